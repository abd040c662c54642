import { type Environment, isScopeGranted, type Principal } from 'doorward';
import { attr, createPolicyEngine, eq, hasRole, or, owner, policy, rule } from 'doorward/abac';
import { type AuthContext, definePolicies } from 'doorward/graphql';
import { GraphQLError, GraphQLScalarType } from 'graphql';
import type { Data, Post, User } from '../data/data.ts';

export type Context = { readonly auth: AuthContext; readonly data: Data };
type PostFields = { title?: string | null; content?: string | null; authorId?: string | null };

/** Who sees a post: everybody once it is published, before that its author and the staff. */
const posts = createPolicyEngine(
  policy('posts', [
    rule.allow('published', eq(attr('resource.published'), true)),
    rule.allow('author', owner('author_id')),
    rule.allow('staff', or(hasRole('editor'), hasRole('moderator'), hasRole('admin'))),
  ]),
);

export function decidePost(subject: Principal, { id, authorId, published }: Post, environment: Environment) {
  const resource = { type: 'post', id, attributes: { author_id: authorId, published } };
  return posts.decide({ subject, action: 'read', resource, environment });
}

/** The policies that the schema names. */
export const policies = definePolicies<Context>()({
  visible: ({ principal, result, environment }) => decidePost(principal, result as Post, environment),
  ownPost: async ({ principal, args, context }) =>
    isScopeGranted(principal, 'update') && (await context.data.post(String(args.id)))?.authorId === principal.id,
});

/** What those see who may not see the value. */
export const masks = { 'User.email': (email: unknown) => String(email).replace(/^.*@/, '***@') };

export const resolvers = {
  DateTime: new GraphQLScalarType({ name: 'DateTime', serialize: (value) => (value as Date).toISOString() }),
  User: { posts: ({ id }: User, _: unknown, { data }: Context) => data.postsOf(id) },
  Post: { author: ({ authorId }: Post, _: unknown, { data }: Context) => data.user(authorId) },
  Query: {
    user: (_: unknown, { id }: { id: string }, { data }: Context) => data.user(id),
    post: (_: unknown, { id }: { id: string }, { data }: Context) => data.post(id),
    users(_: unknown, args: { limit?: number | null; offset?: number | null }, { data }: Context) {
      const [limit, offset] = [args.limit ?? 20, args.offset ?? 0];
      if (limit < 0 || limit > 100 || offset < 0) throw badInput('limit must be 0 to 100, offset at least 0');
      return data.users(limit, offset);
    },
  },
  Mutation: {
    createUser: (_: unknown, { name, email }: { name: string; email: string }, { data }: Context) =>
      data.createUser(name, email),
    async createPost(
      _: unknown,
      { input, ...plain }: PostFields & { input?: PostFields | null },
      { auth, data }: Context,
    ) {
      const { title, content, authorId } = input ?? plain;
      if (input && Object.values(plain).some((value) => value != null))
        throw badInput('Give either input, or title and content');
      if (title == null || content == null) throw badInput('title and content are required');
      const post = await data.createPost(title, content, authorId ?? auth.principal?.id ?? '');
      return post ?? Promise.reject(badInput('There is no such author'));
    },
    publishPost: async (_: unknown, { id }: { id: string }, { data }: Context) =>
      (await data.publishPost(id)) ??
      Promise.reject(new GraphQLError('Not found', { extensions: { code: 'NOT_FOUND' } })),
  },
  Subscription: {
    postCreated: event(() => 'postCreated'),
    userCreated: event(() => 'userCreated'),
    postPublished: event(({ authorId }) => (authorId == null ? 'postPublished' : `postPublished by ${authorId}`)),
  },
};

/** A subscription to an event of the data, by name. */
function event(name: (args: { authorId?: string | null }) => string) {
  return {
    subscribe: (_: unknown, args: { authorId?: string | null }, { data }: Context) => data.subscribe(name(args)),
    resolve: ([payload]: unknown[]) => payload,
  };
}

function badInput(message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { code: 'BAD_USER_INPUT' } });
}
