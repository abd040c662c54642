import { contractRoles } from 'doorward/rbac';
import { questions } from './table.mjs';

export const prepare = () => ({
  questions: questions(),
  decide: ({ person, action }) => contractRoles.can(person.roles, action),
});
