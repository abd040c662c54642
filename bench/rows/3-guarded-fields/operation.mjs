import { execute, GraphQLError, parse, validate } from 'graphql';
import { measureCost } from '../../cost.mjs';
import { digest } from '../../digest.mjs';
import { onlyCopyOf } from '../../only-copy-of.mjs';
import { stranger, viewer } from './principals.mjs';

const selection = '{ id name email posts { id title content } }';
/** Of the query `users(limit: …)`; 20 for each user, of which one more is the field of the query itself. */
const FIELDS_PER_USER = 19;

const attempted = parse(`{
  users(limit: 1) { id }
  openUsers ${selection}
  openPosts { id title content }
}`);
/** Every field that can be guarded, asked for by itself, since some libraries refuse a whole request. */
const alone = {
  'Query.users': '{ users(limit: 1) { __typename } }',
  'User.id': '{ openUsers { id } }',
  'User.name': '{ openUsers { name } }',
  'User.email': '{ openUsers { email } }',
  'User.posts': '{ openUsers { posts { __typename } } }',
  'Post.id': '{ openPosts { id } }',
  'Post.title': '{ openPosts { title } }',
  'Post.content': '{ openPosts { content } }',
};

const graphqlItself = { parse, validate, execute };

/**
 * One request as a server runs it: validate and execute, and parse when it is given a text. Every request
 * has a principal of its own, so nothing that a library remembers about one serves the next.
 */
export function run({ schema, contextFor, engineFor }, source, principal) {
  const context = contextFor({ ...principal });
  const engine = engineFor?.(context) ?? graphqlItself;
  const document = typeof source === 'string' ? engine.parse(source) : source;
  const errors = engine.validate(schema, document);
  if (errors.length > 0) throw errors[0];
  return engine.execute({ schema, document, contextValue: context });
}

function countFields(value) {
  if (Array.isArray(value)) return value.reduce((sum, item) => sum + countFields(item), 0);
  if (value === null || typeof value !== 'object') return 0;
  return Object.values(value).reduce((sum, item) => sum + 1 + countFields(item), 0);
}

function assertRefused(coordinate, isRefused, guarded) {
  if (isRefused !== guarded.includes(coordinate)) {
    throw new Error(`${coordinate} is ${isRefused ? 'refused' : 'open'}`);
  }
}

/** Exactly the guarded fields are null: neither does one leak nor is an open one refused. */
async function refusedTogether(contestant, guarded) {
  const { data, errors = [] } = await run(contestant, attempted, stranger);
  const { users, openUsers, openPosts } = data;
  const reached = { 'Query.users': users };
  for (const [field, value] of Object.entries(openUsers[0])) reached[`User.${field}`] = value;
  for (const [field, value] of Object.entries(openPosts[0])) reached[`Post.${field}`] = value;
  for (const [coordinate, value] of Object.entries(reached)) assertRefused(coordinate, value === null, guarded);
  return digest({ data, paths: errors.map(({ path }) => path.join('.')).sort() });
}

/** Whether a request for one field alone got a value of it, or an error instead. */
async function isRefusedAlone(contestant, coordinate) {
  let result;
  try {
    result = await run(contestant, alone[coordinate], stranger);
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error;
    result = { errors: [error] };
  }
  const [type, field] = coordinate.split('.');
  const found = type === 'Query' ? result.data?.[field] : Object.values(result.data ?? {})[0]?.[0]?.[field];
  const isNothing = found === undefined || found === null;
  if (isNothing !== result.errors?.length > 0) throw new Error(`${coordinate}: a value and an error, or neither`);
  return isNothing;
}

/**
 * The data that the viewer sees, and what exactly a stranger is refused. Who refuses field by field answers for all
 * fields of a request together, with their paths; who refuses a whole request (`refusesRequests`) only for each alone.
 * Messages and codes are each library's own and not compared.
 * @returns {Promise<Record<string, string>>}
 */
export async function answers(contestant, { guarded, users = 1_000 }) {
  const allowed = await run(contestant, `{ users(limit: ${users}) ${selection} }`, viewer);
  if (allowed.errors !== undefined) throw allowed.errors[0];
  const [fields, expected] = [countFields(allowed.data), 1 + users * FIELDS_PER_USER];
  if (fields !== expected) throw new Error(`expected ${expected} fields, got ${fields}`);
  const seen = { viewer: digest(allowed.data), graphql: onlyCopyOf('graphql') };
  if (contestant.unguarded) return seen;

  for (const coordinate of Object.keys(alone)) {
    assertRefused(coordinate, await isRefusedAlone(contestant, coordinate), guarded);
  }
  return contestant.refusesRequests ? seen : { ...seen, stranger: await refusedTogether(contestant, guarded) };
}

/** The document is parsed once, or with `fromText` in every request. */
export function measure(contestant, timing, { users = 1_000, fromText = false }) {
  const text = `{ users(limit: ${users}) ${selection} }`;
  const source = fromText ? text : parse(text);
  return measureCost(() => run(contestant, source, viewer), timing);
}
