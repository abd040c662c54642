export { type ContractPermission, contractRoles } from './contract-roles.ts';
export { defineRoles } from './define-roles.ts';
export type { RoleTable } from './role-table.ts';
