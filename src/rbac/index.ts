export { type ContractPermission, type ContractRole, contractRoles } from './contract-roles.ts';
export { defineRoles, type PermissionOf, type WithKnownRoles } from './define-roles.ts';
export type { InheritingRole, RoleDefinitions } from './role-definition.ts';
export type { RoleTable } from './role-table.ts';
