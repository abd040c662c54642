import { casbinRoles } from '../casbin-roles.mjs';
import { levelOf } from './growth.mjs';

export const prepare = () => ({
  isLinear: true,
  load: async (size) => {
    const all = Array.from({ length: size }, (_, index) => index);
    const grants = all.map((index) => [`role-${index}`, `type-${levelOf(index)}`, 'read']);
    const members = all.map((index) => [`person-${index}`, `role-${index}`]);
    const enforcer = await casbinRoles(grants, members);
    return (question) => enforcer.enforceSync(...question);
  },
  formOf: ({ rule, level }) => [`person-${rule}`, `type-${level}`, 'read'],
});
