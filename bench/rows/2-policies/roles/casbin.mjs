import { casbinRoles } from '../casbin-roles.mjs';
import { people, questions, table } from './table.mjs';

export async function prepare() {
  const grants = Object.entries(table).flatMap(([role, actions]) => actions.map((action) => [role, 'post', action]));
  const members = people.flatMap(({ id, roles }) => roles.map((role) => [id, role]));
  const enforcer = await casbinRoles(grants, members);
  return {
    questions: questions(),
    decide: ({ person, action }) => enforcer.enforceSync(person.id, 'post', action),
  };
}
