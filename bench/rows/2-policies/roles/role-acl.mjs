import { AccessControl } from 'role-acl';
import { questions, table } from './table.mjs';

export function prepare() {
  const access = new AccessControl();
  for (const [role, actions] of Object.entries(table)) access.grant(role).execute(actions).on('post');
  return {
    questions: questions(),
    decide: ({ person, action }) => access.can(person.roles).execute(action).sync().on('post').granted,
  };
}
