import { AccessControl } from 'accesscontrol';
import { questions, table } from './table.mjs';

/** The check is told nothing but roles and action. */
export function prepare() {
  const access = new AccessControl();
  for (const [role, actions] of Object.entries(table)) {
    for (const action of actions) access.grant(role).action(action, 'post', ['*']);
  }
  return {
    access,
    questions: questions(),
    decide: ({ person, action }) => access.can(person.roles).do(action, 'post').granted,
  };
}
