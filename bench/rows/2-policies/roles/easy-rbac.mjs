import RBAC from 'easy-rbac';
import { questions, table } from './table.mjs';

export function prepare() {
  const rbac = new RBAC(Object.fromEntries(Object.entries(table).map(([role, can]) => [role, { can }])));
  return {
    isAsync: true,
    questions: questions(),
    decide: ({ person, action }) => rbac.can(person.roles, action),
  };
}
