import { configInvalid, isPlainObject } from '../core/config-invalid.ts';
import { ownProperty } from '../core/own-property.ts';

/** A role that has all permissions of other roles, and its own. */
export interface InheritingRole {
  /** Roles of the same table whose permissions this role has too. */
  readonly inherits: readonly string[];
  /** @default none of its own */
  readonly permissions?: readonly string[];
}

/** What a role table is made from: each role with its permissions. */
export type RoleDefinitions = Readonly<Record<string, readonly string[] | InheritingRole>>;

/** A role as it was written down, checked. */
export interface DefinedRole {
  readonly permissions: readonly string[];
  readonly inherits: readonly string[];
}

/** @throws `CONFIG_INVALID` */
export function parseRoleDefinitions(table: unknown): ReadonlyMap<string, DefinedRole> {
  if (!isPlainObject(table)) throw configInvalid('roles', 'must be a plain object');
  return new Map(Object.entries(table).map(([role, definition]) => [role, parseRole(role, definition)]));
}

function parseRole(role: string, definition: unknown): DefinedRole {
  if (role === '') throw configInvalid('roles', 'has a role without a name');
  const field = `roles.${role}`;
  if (!isPlainObject(definition)) return { permissions: namesOf(field, definition, 'permission'), inherits: [] };
  const unknown = Object.keys(definition).find((key) => key !== 'inherits' && key !== 'permissions');
  if (unknown !== undefined) throw configInvalid(`${field}.${unknown}`, 'is not a known option');
  const permissions = ownProperty(definition, 'permissions');
  return {
    permissions: permissions === undefined ? [] : namesOf(`${field}.permissions`, permissions, 'permission'),
    inherits: namesOf(`${field}.inherits`, ownProperty(definition, 'inherits'), 'role'),
  };
}

function namesOf(field: string, list: unknown, what: 'permission' | 'role'): readonly string[] {
  if (!Array.isArray(list)) throw configInvalid(field, `must be an array of ${what}s`);
  const names: readonly unknown[] = Array.from(list);
  if (!names.every((name): name is string => typeof name === 'string' && name !== '')) {
    throw configInvalid(field, 'must hold non-empty strings only');
  }
  if (new Set(names).size !== names.length) throw configInvalid(field, `lists a ${what} twice`);
  return names;
}
