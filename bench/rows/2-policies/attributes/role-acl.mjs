import { AccessControl } from 'role-acl';
import { people, questions } from '../documents.mjs';

const HOURS = [9, 10, 11, 12, 13, 14, 15, 16, 17, 18];
const equals = (args) => ({ Fn: 'EQUALS', args });
const either = (...args) => ({ Fn: 'OR', args });
const sensitiveHours = equals({ sensitivity: 'high', hour: HOURS, department: '$.own_department' });
const owns = equals({ owner_id: '$.person_id' });
const sameDepartment = equals({ department: '$.own_department' });

/** Conditions as data; it knows no comparison but equality, so the hours are listed. */
export function prepare() {
  const access = new AccessControl();
  for (const role of new Set(people.map((person) => person.role))) {
    if (role === 'admin') access.grant(role).execute('*').on('document');
    else {
      access.grant(role).execute(['create', 'update', 'delete']).when(either(sensitiveHours, owns)).on('document');
      access
        .grant(role)
        .execute('read')
        .when(either(sensitiveHours, owns, sameDepartment))
        .on('document');
    }
  }
  return {
    questions: questions().map(({ person, action, document, hour }) => ({
      role: person.role,
      action,
      context: { ...document, hour, person_id: person.id, own_department: person.department },
    })),
    decide: ({ role, action, context }) =>
      access.can(role).context(context).execute(action).sync().on('document').granted,
  };
}
