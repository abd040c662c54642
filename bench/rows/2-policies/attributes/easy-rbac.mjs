import RBAC from 'easy-rbac';
import { people, questions } from '../documents.mjs';

const sensitiveHours = ({ person, document, hour }) =>
  document.sensitivity === 'high' && hour >= 9 && hour <= 18 && person.department === document.department;
const owns = ({ person, document }) => person.id === document.owner_id;
const when = async (question) => sensitiveHours(question) || owns(question);
const whenRead = async (question) =>
  sensitiveHours(question) || owns(question) || question.person.department === question.document.department;

/** Its rules are functions and no data, and every answer is a promise. */
export function prepare() {
  const can = [{ name: 'read', when: whenRead }, ...['create', 'update', 'delete'].map((name) => ({ name, when }))];
  const roles = Object.fromEntries(people.map(({ role }) => [role, { can }]));
  const rbac = new RBAC({ ...roles, admin: { can: ['create', 'read', 'update', 'delete'] } });
  return {
    isAsync: true,
    questions: questions(),
    decide: (question) => rbac.can(question.person.role, question.action, question),
  };
}
