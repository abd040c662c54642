import type { RequestListener } from 'node:http';
import { assertProtected, definePolicies, type ProtectSchemaOptions, protectSchema } from 'doorward/graphql';
import { defineRoles } from 'doorward/rbac';
import { type YogaAuth, yogaAuth } from 'doorward/use/yoga';
import type { GraphQLSchema } from 'graphql';
import { createYoga } from 'graphql-yoga';
import type { Blog } from '../tools/blog.ts';
import { type BlogContext, createSchema } from './schema.ts';

const policies = definePolicies<BlogContext>()({
  isSuspended: ({ principal, context }) => context.blog.isSuspended(principal.id),
  isAuthor: ({ principal, args, context }) => context.blog.posts.get(String(args.id))?.authorId === principal.id,
});

const authorOrAdmin = { rule: { any: [{ policy: 'isAuthor' }, { role: 'admin' }] } } as const;

/** What was the rule tree. */
export const protection: ProtectSchemaOptions<BlogContext, keyof typeof policies> = {
  pdp: defineRoles({ viewer: [], editor: [], admin: [] }),
  policies,
  unprotected: 'deny',
  rules: {
    'Query.hello': 'public',
    'Query.posts': {},
    'Query.post': {},
    'Query.owned': {},
    'Query.users': { roles: ['admin'] },
    'Query.stats': {},
    'Mutation.createPost': { roles: ['editor', 'admin'], rule: { not: { policy: 'isSuspended' } } },
    'Mutation.createPost(authorId:)': { rule: { any: [{ owner: 'authorId' }, { role: 'admin' }] } },
    'Mutation.publishPost': authorOrAdmin,
    'Mutation.handOver': authorOrAdmin,
    'Subscription.postPublished': {},
    User: 'public',
    'User.email': { rule: { any: [{ owner: 'id' }, { role: 'admin' }] } },
    Post: 'public',
    Stats: { roles: ['admin'] },
    'Owned.note': { rule: { any: [{ owner: 'authorId' }, { role: 'admin' }] } },
  },
};

/** The schema with the rules above. `dry-run` enforces none of them; it is what a migration begins with. */
export function protectedSchema(options: Partial<typeof protection> = {}): GraphQLSchema {
  const schema = protectSchema(createSchema(), { ...protection, onUnprotected: () => {}, ...options });
  assertProtected(schema);
  return schema;
}

/** A server of users and posts, guarded by Doorward. */
export function createAfter(blog: Blog): { app: RequestListener; auth: YogaAuth } {
  const auth = yogaAuth({ authenticate: blog.authenticate });
  const app = createYoga({
    schema: protectedSchema(),
    plugins: [auth.plugin],
    maskedErrors: auth.maskedErrors,
    logging: false,
    context: { blog },
  });
  return { app, auth };
}
