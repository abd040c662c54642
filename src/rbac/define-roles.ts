import { configInvalid } from '../core/config-invalid.ts';
import { type AccessRequest, allow, type Decision, deny } from '../core/index.ts';
import type { RoleTable } from './role-table.ts';

type Grants = Readonly<Record<string, readonly string[]>>;

const GRANTED: Decision = Object.freeze(allow('permission'));
const NOT_GRANTED: Decision = Object.freeze(deny('no_permission'));

/**
 * Makes a role table from a literal: each role with the permissions it grants. The permissions become
 * a type, so a misspelt one in `can` does not compile.
 *
 * @throws `CONFIG_INVALID` when a role or permission is not a non-empty string, or a role lists a permission twice.
 * @example
 * const roles = defineRoles({ editor: ['create', 'read', 'update'], viewer: ['read'] });
 * roles.can(['viewer'], 'read'); // true
 */
export function defineRoles<const Table extends Grants>(table: Table): RoleTable<Table[keyof Table][number]> {
  type Permission = Table[keyof Table][number];
  const grants = validated<Permission>(table);
  const roles = Object.freeze(Object.keys(grants));
  const permissions = Object.freeze([...new Set(Object.values(grants).flat())]);
  const bitOf: ReadonlyMap<string, number> = new Map(permissions.map((permission, bit) => [permission, bit]));
  const maskOf = new Map(Object.entries(grants).map(([role, granted]) => [role, mask(granted, bitOf)]));

  const can = (held: readonly string[], permission: string): boolean => {
    const bit = bitOf.get(permission);
    if (bit === undefined || !Array.isArray(held)) return false;
    for (const role of held) {
      const words = maskOf.get(role);
      if (words !== undefined && ((words[bit >>> 5] ?? 0) & (1 << bit)) !== 0) return true;
    }
    return false;
  };
  const decide = ({ subject, action }: AccessRequest): Decision => (can(subject.roles, action) ? GRANTED : NOT_GRANTED);

  return Object.freeze({ roles, permissions, grants, can, decide });
}

/** One bit a permission, 32 to a word. `1 << bit` counts modulo 32, so it is the bit inside its word. */
function mask(granted: readonly string[], bitOf: ReadonlyMap<string, number>): Uint32Array {
  const words = new Uint32Array((bitOf.size >>> 5) + 1);
  for (const permission of granted) {
    const bit = bitOf.get(permission) ?? 0;
    words[bit >>> 5] = (words[bit >>> 5] ?? 0) | (1 << bit);
  }
  return words;
}

function validated<Permission extends string>(table: Grants): Readonly<Record<string, readonly Permission[]>> {
  if (!isPlainObject(table)) throw configInvalid('roles', 'must be a plain object');
  const grants: Record<string, readonly Permission[]> = Object.create(null);
  for (const [role, granted] of Object.entries(table)) {
    if (role === '') throw configInvalid('roles', 'has a role without a name');
    const field = `roles.${role}`;
    if (!Array.isArray(granted)) throw configInvalid(field, 'must be an array of permissions');
    const list = Object.freeze(Array.from(granted));
    if (!list.every((permission) => typeof permission === 'string' && permission !== '')) {
      throw configInvalid(field, 'must hold non-empty strings only');
    }
    if (new Set(list).size !== list.length) throw configInvalid(field, 'lists a permission twice');
    grants[role] = list;
  }
  return Object.freeze(grants);
}

function isPlainObject(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
