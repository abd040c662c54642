import { execute, parse, validate } from 'graphql';
import { measureCost } from '../../cost.mjs';
import { digest } from '../../digest.mjs';
import { onlyCopyOf } from '../../only-copy-of.mjs';
import { stranger, viewer } from './principals.mjs';

const measured = parse('{ users(limit: 1000) { id name email posts { id title content } } }');
const attempted = parse(`{
  users(limit: 1) { id }
  openUsers { id name email posts { id title content } }
  openPosts { id title content }
}`);

/**
 * One request as a server runs it once the document is parsed: validate, then execute. Every request
 * has a principal of its own, so nothing that a library remembers about one serves the next.
 */
function run({ schema, contextFor }, document, principal) {
  const errors = validate(schema, document);
  if (errors.length > 0) throw errors[0];
  return execute({ schema, document, contextValue: contextFor({ ...principal }) });
}

function countFields(value) {
  if (Array.isArray(value)) return value.reduce((sum, item) => sum + countFields(item), 0);
  if (value === null || typeof value !== 'object') return 0;
  return Object.values(value).reduce((sum, item) => sum + 1 + countFields(item), 0);
}

/** Exactly the guarded fields are null: neither does one leak nor is an open one refused. */
function assertRefused({ users, openUsers, openPosts }, guarded) {
  const reached = { 'Query.users': users };
  for (const [field, value] of Object.entries(openUsers[0])) reached[`User.${field}`] = value;
  for (const [field, value] of Object.entries(openPosts[0])) reached[`Post.${field}`] = value;
  for (const [coordinate, value] of Object.entries(reached)) {
    const refused = value === null;
    if (refused !== guarded.includes(coordinate)) throw new Error(`${coordinate} is ${refused ? 'refused' : 'open'}`);
  }
}

/**
 * The data that the viewer sees, and what exactly a stranger is refused, field by field.
 * Messages and codes are each library's own and not compared.
 * @returns {Promise<Record<string, string>>}
 */
export async function answers(contestant, { guarded }) {
  const allowed = await run(contestant, measured, viewer);
  if (allowed.errors !== undefined) throw allowed.errors[0];
  const fields = countFields(allowed.data);
  if (fields !== 19_001) throw new Error(`expected 19,001 fields, got ${fields}`);
  const seen = { viewer: digest(allowed.data), graphql: onlyCopyOf('graphql') };
  if (contestant.unguarded) return seen;

  const { data, errors = [] } = await run(contestant, attempted, stranger);
  const paths = errors.map(({ path }) => path.join('.')).sort();
  assertRefused(data, guarded);
  return { ...seen, stranger: digest({ data, paths }) };
}

export function measure(contestant, timing) {
  return measureCost(() => run(contestant, measured, viewer), timing);
}
