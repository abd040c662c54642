import { prepare as prepareAccessControl } from './accesscontrol.mjs';

/** The check is told who asks, as in the middleware of its documentation. */
export function prepare() {
  const { access, questions } = prepareAccessControl();
  return {
    questions: questions.map((question) => ({ ...question, context: { user: question.person } })),
    decide: ({ person, action, context }) => access.can(person.roles, context).do(action, 'post').granted,
  };
}
