import { pickWith, seededRandom } from './random.mjs';

const REQUESTS = 1_000;
const ACTIONS = ['create', 'read', 'update', 'delete'];
const DEPARTMENTS = ['sales', 'legal', 'research', 'support'];
const ROLES = ['admin', 'editor', 'viewer', 'viewer', 'moderator', 'guest', 'guest', 'guest'];

/** Everybody has one role and a department, as two of the peers can express no more. */
export const people = Array.from({ length: 50 }, (_, index) => ({
  id: `person-${index}`,
  role: ROLES[index % ROLES.length],
  department: DEPARTMENTS[(index * 7) % DEPARTMENTS.length],
}));

export function documentsOf(count, random = seededRandom(7)) {
  const pick = pickWith(random);
  return Array.from({ length: count }, (_, index) => ({
    id: `document-${index}`,
    owner_id: pick(people).id,
    department: pick(DEPARTMENTS),
    sensitivity: random() < 0.5 ? 'high' : 'low',
  }));
}

/** Who wants to do what with which document at what hour: every value is there and has its type. */
export function questions() {
  const random = seededRandom(1);
  const pick = pickWith(random);
  const documents = documentsOf(200, random);
  return Array.from({ length: REQUESTS }, () => {
    const person = pick(people);
    const isOwner = random() < 0.15;
    const document = isOwner ? { ...pick(documents), owner_id: person.id } : pick(documents);
    return { person, action: pick(ACTIONS), document, hour: Math.floor(random() * 24) };
  });
}

/** The policy of the documents, by hand: what every contestant must answer, and the least that an answer can cost. */
export function isAllowed({ person, action, document, hour }) {
  return (
    person.role === 'admin' ||
    (document.sensitivity === 'high' && hour >= 9 && hour <= 18 && person.department === document.department) ||
    person.id === document.owner_id ||
    (action === 'read' && person.department === document.department)
  );
}

/** A question as Doorward is asked. */
export function accessRequest({ person, action, document: { id, ...attributes }, hour }) {
  return {
    subject: { id: person.id, roles: [person.role], attributes: { department: person.department } },
    action,
    resource: { type: 'document', id, attributes },
    environment: { time: Date.UTC(2026, 0, 1, hour), hour },
  };
}
