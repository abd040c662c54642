import { type AccessRequest, allow, type Decision, deny } from '../core/index.ts';
import { includedRoles } from '../core/role-hierarchy.ts';
import { parseRoleDefinitions, type RoleDefinitions } from './role-definition.ts';
import type { RoleTable } from './role-table.ts';

/** The permissions that a literal of roles names. */
export type PermissionOf<Table extends RoleDefinitions> = {
  readonly [Role in keyof Table]: Table[Role] extends readonly (infer Permission)[]
    ? Permission
    : Table[Role] extends { readonly permissions: readonly (infer Permission)[] }
      ? Permission
      : never;
}[keyof Table] &
  string;

/** The same literal, in which roles inherit roles of the literal only. */
export type WithKnownRoles<Table> = {
  readonly [Role in keyof Table]: Table[Role] extends { readonly inherits: unknown }
    ? { readonly inherits: readonly (keyof Table)[] }
    : unknown;
};

const GRANTED: Decision = Object.freeze(allow('permission'));
const NOT_GRANTED: Decision = Object.freeze(deny('no_permission'));

/**
 * Makes a role table from a literal: each role with the permissions it grants. The permissions become
 * a type, so a misspelt one in `can` does not compile; no more does a misspelt role in `inherits`.
 *
 * @throws `CONFIG_INVALID` when a role or permission is not a non-empty string, a role lists one twice, or inherits
 * an unknown role or, by whatever way, itself.
 * @example
 * const roles = defineRoles({
 *   viewer: ['read'],
 *   editor: { inherits: ['viewer'], permissions: ['create', 'update'] },
 * });
 * roles.can(['editor'], 'read'); // true
 */
export function defineRoles<const Table extends RoleDefinitions>(
  table: Table & WithKnownRoles<Table>,
): RoleTable<PermissionOf<Table>, keyof Table & string> {
  type Permission = PermissionOf<Table>;
  type Role = keyof Table & string;
  const defined = parseRoleDefinitions(table);
  const included = includedRoles(new Map([...defined].map(([role, { inherits }]) => [role, inherits])), 'roles');
  const granted = [...included].map(([role, roles]): [string, readonly string[]] => [
    role,
    [...new Set([...roles].flatMap((each) => defined.get(each)?.permissions ?? []))],
  ]);
  const roles = Object.freeze([...defined.keys()] as Role[]);
  const permissions = Object.freeze([...new Set(granted.flatMap(([, names]) => names))] as Permission[]);
  const can = compile(granted);
  const decide = ({ subject, action }: AccessRequest): Decision => (can(subject.roles, action) ? GRANTED : NOT_GRANTED);

  return Object.freeze({
    isSynchronous: true,
    roles,
    permissions,
    grants: frozenRecord<string, Permission>(granted),
    hierarchy: frozenRecord<Role, Role>([...defined].map(([role, { inherits }]) => [role, inherits])),
    can,
    decide,
    decideAll: (requests: readonly AccessRequest[]) => requests.map(decide),
  });
}

/** Who holds a permission, looked up by permission and then by role: as fast for a thousand names as for four. */
function compile(
  granted: readonly (readonly [string, readonly string[]])[],
): (held: readonly string[], permission: string) => boolean {
  const holdersOf = new Map<string, Set<string>>();
  for (const [role, permissions] of granted) {
    for (const permission of permissions) {
      const holders = holdersOf.get(permission);
      if (holders === undefined) holdersOf.set(permission, new Set([role]));
      else holders.add(role);
    }
  }
  return (held, permission) => {
    const holders = holdersOf.get(permission);
    if (holders === undefined || !Array.isArray(held)) return false;
    // An iterator would cost more than the lookups.
    for (let i = 0; i < held.length; i++) if (holders.has(held[i])) return true;
    return false;
  };
}

function frozenRecord<Key extends string, Name extends string>(
  entries: readonly (readonly [string, readonly string[]])[],
): Readonly<Record<Key, readonly Name[]>> {
  const record: Record<string, readonly string[]> = Object.create(null);
  for (const [key, names] of entries) record[key] = Object.freeze([...names]);
  return Object.freeze(record) as Readonly<Record<Key, readonly Name[]>>;
}
