import { pickWith, seededRandom } from '../random.mjs';

const REQUESTS = 1_000;

export const table = {
  admin: ['create', 'read', 'update', 'delete', 'manage_users'],
  editor: ['create', 'read', 'update'],
  viewer: ['read'],
  moderator: ['read', 'update', 'delete'],
};
const HELD = [['admin'], ['editor'], ['viewer'], ['moderator'], ['viewer', 'editor'], ['viewer', 'moderator']];

/** Everybody has one role or two. */
export const people = Array.from({ length: 48 }, (_, index) => ({
  id: `person-${index}`,
  roles: HELD[index % HELD.length],
}));

/** Who wants to do what. The array of roles is the person's own, as it comes with a token. */
export function questions() {
  const pick = pickWith(seededRandom(2));
  return Array.from({ length: REQUESTS }, () => {
    const { id, roles } = pick(people);
    return { person: { id, roles: [...roles] }, action: pick(table.admin) };
  });
}

const granted = {
  admin: { create: true, read: true, update: true, delete: true, manage_users: true },
  editor: { create: true, read: true, update: true },
  viewer: { read: true },
  moderator: { read: true, update: true, delete: true },
};

/** The table by hand: what every contestant must answer. It would take a role named `toString` for one of the table. */
export function isAllowed({ person, action }) {
  for (const role of person.roles) if (granted[role]?.[action] === true) return true;
  return false;
}
