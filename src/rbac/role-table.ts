import type { AccessRequest, Decision, SyncPolicyDecisionPoint, Vocabulary } from '../core/index.ts';

/**
 * Which role grants which permission. It is a decision point too: the action of a request is the
 * permission asked for, and the resource does not matter.
 */
export interface RoleTable<Permission extends string = string, Role extends string = string>
  extends SyncPolicyDecisionPoint,
    Vocabulary {
  readonly isSynchronous: true;
  readonly roles: readonly Role[];
  readonly permissions: readonly Permission[];
  /** The table as plain data: each role with all the permissions it grants, inherited ones included. */
  readonly grants: Readonly<Record<string, readonly Permission[]>>;
  /** Each role with the roles it inherits directly. */
  readonly hierarchy: Readonly<Record<Role, readonly Role[]>>;
  /**
   * Tells whether any of the roles grants the permission. Unknown roles grant nothing; unknown
   * permissions are granted by nobody.
   *
   * @example
   * contractRoles.can(['viewer', 'editor'], 'update'); // true
   */
  can(roles: readonly string[], permission: Permission): boolean;
  /** The decisions of several requests, in their order. */
  decideAll(requests: readonly AccessRequest[]): readonly Decision[];
}
