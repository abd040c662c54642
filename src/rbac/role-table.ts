import type { SyncPolicyDecisionPoint, Vocabulary } from '../core/index.ts';

/**
 * Which role grants which permission. It is a decision point too: the action of a request is the
 * permission asked for, and the resource does not matter.
 */
export interface RoleTable<Permission extends string = string> extends SyncPolicyDecisionPoint, Vocabulary {
  readonly roles: readonly string[];
  readonly permissions: readonly Permission[];
  /** The table as plain data: each role with the permissions it grants. */
  readonly grants: Readonly<Record<string, readonly Permission[]>>;
  /**
   * Tells whether any of the roles grants the permission. Unknown roles grant nothing; unknown
   * permissions are granted by nobody.
   *
   * @example
   * contractRoles.can(['viewer', 'editor'], 'update'); // true
   */
  can(roles: readonly string[], permission: Permission): boolean;
}
