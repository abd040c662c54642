import { defineRoles } from './define-roles.ts';
import type { RoleTable } from './role-table.ts';

/** The permissions of {@link contractRoles}. */
export type ContractPermission = 'create' | 'read' | 'update' | 'delete' | 'manage_users';

/** The roles of {@link contractRoles}. */
export type ContractRole = 'admin' | 'editor' | 'viewer' | 'moderator';

/**
 * The role table to start from: admin, editor, viewer and moderator.
 *
 * @example
 * contractRoles.can(['moderator'], 'delete'); // true
 */
export const contractRoles: RoleTable<ContractPermission, ContractRole> = defineRoles({
  admin: ['create', 'read', 'update', 'delete', 'manage_users'],
  editor: ['create', 'read', 'update'],
  viewer: ['read'],
  moderator: ['read', 'update', 'delete'],
});
