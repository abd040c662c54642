import { AccessControl } from 'accesscontrol';
import { people, questions } from '../documents.mjs';

const sensitiveHours = {
  and: [
    '$.document.sensitivity == "high"',
    '$.hour >= 9',
    '$.hour <= 18',
    '$.person.department == $.document.department',
  ],
};
const owns = '$.person.id == $.document.owner_id';
const sameDepartment = '$.person.department == $.document.department';

export function prepare() {
  const access = new AccessControl();
  for (const role of new Set(people.map((person) => person.role))) {
    for (const action of ['create', 'read', 'update', 'delete']) {
      const conditions = action === 'read' ? [sensitiveHours, owns, sameDepartment] : [sensitiveHours, owns];
      const grant = access.grant(role);
      (role === 'admin' ? grant : grant.where({ or: conditions })).action(action, 'document', ['*']);
    }
  }
  return {
    questions: questions().map(({ person, action, document, hour }) => ({
      role: person.role,
      action,
      context: { person, document, hour },
    })),
    decide: ({ role, action, context }) => access.can(role, context).do(action, 'document').granted,
  };
}
