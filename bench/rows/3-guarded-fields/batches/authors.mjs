import { makeExecutableSchema } from '@graphql-tools/schema';
import DataLoader from 'dataloader';
import { execute, parse } from 'graphql';
import { measureCost } from '../../../cost.mjs';
import { digest } from '../../../digest.mjs';
import { onlyCopyOf } from '../../../only-copy-of.mjs';
import { stranger, viewer } from '../principals.mjs';

const POSTS = 50;
export const posts = Array.from({ length: POSTS }, (_, index) => ({
  id: `p${index}`,
  title: `Post ${index}`,
  authorId: `u${index}`,
}));

let batches = 0;
const newLoader = () =>
  new DataLoader(async (ids) => {
    batches++;
    return ids.map((id) => ({ id, name: `User ${id}` }));
  });

/** A request has a loader of its own, as is usual. */
export const loadAuthor = ({ authorId }, _args, { authors }) => authors.load(authorId);
export const resolvers = { Query: { posts: () => posts }, Post: { author: loadAuthor } };

/** @param {(coordinate: string) => string} on the directive of a coordinate */
export const typeDefs = (on) => `
  type Query { posts: [Post!] }
  type Post { id: ID title: String ${on('Post.title')} author: User ${on('Post.author')} }
  type User { id: ID name: String ${on('User.name')} }
`;

export const plainSchema = () => makeExecutableSchema({ typeDefs: typeDefs(() => ''), resolvers });

const measured = parse('{ posts { id title author { id name } } }');

const run = ({ schema, contextFor }, principal) =>
  execute({
    schema,
    document: measured,
    contextValue: { ...contextFor({ ...principal }), authors: newLoader() },
  });

/** In how many batches the authors of all posts were loaded is an answer too, unless the rule itself takes its time. */
export async function answers(contestant, { guarded, rule }) {
  const before = batches;
  const allowed = await run(contestant, viewer);
  if (allowed.errors !== undefined) throw allowed.errors[0];
  const loaded = batches - before;
  const seen = {
    viewer: digest(allowed.data),
    graphql: onlyCopyOf('graphql'),
    ...(rule === 'role' && { batches: String(loaded) }),
  };
  if (contestant.unguarded) return seen;

  const { data, errors = [] } = await run(contestant, stranger);
  for (const post of data.posts) {
    if (post.author !== null) throw new Error('Post.author is open');
    if ((post.title === null) !== guarded.includes('Post.title')) throw new Error('Post.title is wrong');
  }
  if (batches !== before + loaded) throw new Error('what is refused was loaded');
  return { ...seen, stranger: digest({ data, paths: errors.map(({ path }) => path.join('.')).sort() }) };
}

export async function measure(contestant, timing) {
  const figures = await measureCost(() => run(contestant, viewer), timing);
  const before = batches;
  await run(contestant, viewer);
  return { ...figures, batches: batches - before };
}
