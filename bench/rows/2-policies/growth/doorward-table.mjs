import { defineRoles } from 'doorward/rbac';
import { levelOf } from './growth.mjs';

/** The roles as a table. */
export const prepare = () => ({
  load: (size) => {
    const names = Array.from({ length: size }, (_, index) => [`role-${index}`, [`type-${levelOf(index)}:read`]]);
    const roles = defineRoles(Object.fromEntries(names));
    return ([held, permission]) => roles.can(held, permission);
  },
  formOf: ({ rule, level }) => [[`role-${rule}`], `type-${level}:read`],
});
