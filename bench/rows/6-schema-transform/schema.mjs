import { makeExecutableSchema } from '@graphql-tools/schema';
import { authDirectives } from 'doorward/graphql';

export const ROLE = 'viewer';

/** As many of each as the public schema of GitHub has. */
const OBJECTS = 924;
const INTERFACES = 45;
const UNIONS = 43;
const FIELDS = 6_094;
const INPUTS = 400;
const ENUMS = 190;
const SCALARS = ['String', 'Int!', 'Boolean!', '[String!]!', 'ID'];

const list = (length, make) => Array.from({ length }, (_, index) => make(index));
/** The object type whose fields are the last ones. */
const nameOf = (index) => (index === OBJECTS - 1 ? 'Query' : `Object${index}`);
const objectAt = (index) => nameOf(index % (OBJECTS - 1));

function outputType(object, field) {
  const index = object * 7 + field * 13;
  if (field % 3 === 0) return objectAt(index);
  if (field % 3 === 1) return SCALARS[index % SCALARS.length];
  if (field % 6 === 2) return `Enum${index % ENUMS}`;
  return index % 2 === 0 ? `Union${index % UNIONS}` : `Interface${index % INTERFACES}`;
}

function fieldOf(object, field) {
  const args = field % 4 === 2 ? `(first: Int = 10, after: String, filter: Input${(object + field) % INPUTS})` : '';
  return `"Field ${field}." field${field}${args}: ${outputType(object, field)}`;
}

/** @param {number} guarded on how many fields, evenly spread, a rule is written */
function objects(guarded) {
  let written = 0;
  return list(OBJECTS, (object) => {
    const count = Math.floor((FIELDS * (object + 1)) / OBJECTS) - Math.floor((FIELDS * object) / OBJECTS);
    const isNode = object % 3 === 0 && nameOf(object) !== 'Query';
    const fields = list(count, (field) => {
      written++;
      const isGuarded = Math.floor((written * guarded) / FIELDS) > Math.floor(((written - 1) * guarded) / FIELDS);
      const text = isNode && field === 0 ? 'id: ID!' : fieldOf(object, field);
      return isGuarded ? `${text} @auth(roles: ["${ROLE}"])` : text;
    });
    const implemented = isNode ? ` implements Interface${object % INTERFACES}` : '';
    return `"Object ${object}." type ${nameOf(object)}${implemented} { ${fields.join('\n')} }`;
  });
}

/** A large schema that is ready to be protected; nothing of what makes it is measured. */
export function largeSchema({ guarded }) {
  const typeDefs = [
    ...list(INTERFACES, (index) => `"Interface ${index}." interface Interface${index} { id: ID! }`),
    ...list(
      UNIONS,
      (index) => `union Union${index} = ${[1, 2, 3].map((step) => objectAt(index * 17 + step)).join(' | ')}`,
    ),
    ...list(
      ENUMS,
      (index) => `"Enum ${index}." enum Enum${index} { ${list(8, (value) => `VALUE_${value}`).join(' ')} }`,
    ),
    ...list(INPUTS, (index) => {
      const nested = index === 0 ? '' : `nested: Input${index - 1}`;
      return `"Input ${index}." input Input${index} { id: ID! name: String kind: Enum${index % ENUMS} ${nested} }`;
    }),
    ...objects(guarded),
  ];
  return makeExecutableSchema({ typeDefs: [authDirectives(), typeDefs.join('\n')] });
}
