import { configInvalid } from './config-invalid.ts';

/** Each role with the roles it inherits directly. */
export type RoleHierarchy = ReadonlyMap<string, readonly string[]>;

/**
 * Each role with itself and all that it inherits, however far.
 *
 * @throws `CONFIG_INVALID` when a role inherits an unknown one, or itself.
 */
export function includedRoles(hierarchy: RoleHierarchy, field: string): ReadonlyMap<string, ReadonlySet<string>> {
  const included = new Map<string, ReadonlySet<string>>();
  const entered = new Set<string>();
  const visit = (role: string): ReadonlySet<string> => {
    const known = included.get(role);
    if (known !== undefined) return known;
    if (entered.has(role)) throw configInvalid(`${field}.${role}`, 'inherits itself');
    entered.add(role);
    const all = new Set([role]);
    for (const parent of hierarchy.get(role) ?? []) {
      if (!hierarchy.has(parent)) throw configInvalid(`${field}.${role}`, 'inherits an unknown role');
      for (const each of visit(parent)) all.add(each);
    }
    included.set(role, all);
    return all;
  };
  for (const role of hierarchy.keys()) visit(role);
  return included;
}
