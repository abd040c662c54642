import type { RequestListener } from 'node:http';
import SchemaBuilder from '@pothos/core';
import { assertProtected, definePolicies, type ProtectSchemaOptions, protectSchema } from 'doorward/graphql';
import { defineRoles } from 'doorward/rbac';
import { type YogaAuth, yogaAuth } from 'doorward/use/yoga';
import { createYoga } from 'graphql-yoga';
import type { Blog, Post, User } from '../tools/blog.ts';

interface Context {
  readonly blog: Blog;
}

// The types of the plugin that before.ts loads are global, and want its options here too; yours is `{}`.
const builder = new SchemaBuilder<{
  Context: Context;
  Objects: { User: User; Post: Post; Stats: Blog };
  Interfaces: { Owned: Post };
}>({} as never);

builder.interfaceType('Owned', {
  resolveType: () => 'Post',
  fields: (t) => ({ authorId: t.exposeID('authorId'), note: t.exposeString('note', { nullable: true }) }),
});
builder.objectType('Post', {
  interfaces: ['Owned'],
  fields: (t) => ({ id: t.exposeID('id'), note: t.string({ nullable: true, resolve: ({ note }) => note.trim() }) }),
});
builder.objectType('User', {
  fields: (t) => ({ id: t.exposeID('id'), email: t.exposeString('email', { nullable: true }) }),
});
builder.objectType('Stats', {
  fields: (t) => ({ users: t.int({ nullable: true, resolve: ({ users }) => users.length }) }),
});
builder.queryType({
  fields: (t) => ({
    hello: t.string({ nullable: true, resolve: () => 'world' }),
    posts: t.field({ type: ['Post'], nullable: true, resolve: (_, _args, { blog }) => [...blog.posts.values()] }),
    users: t.field({ type: ['User'], nullable: true, resolve: (_, _args, { blog }) => blog.users }),
    stats: t.field({ type: 'Stats', nullable: true, resolve: (_, _args, { blog }) => blog }),
  }),
});
const byId = builder.args((t) => ({ id: t.id({ required: true }) }));
builder.mutationType({
  fields: (t) => ({
    createPost: t.field({
      type: 'Post',
      nullable: true,
      args: { title: t.arg.string({ required: true }), authorId: t.arg.id({ required: true }) },
      resolve: (_, { title, authorId }, { blog }) => blog.add(title, String(authorId)),
    }),
    publishPost: t.field({
      type: 'Post',
      nullable: true,
      args: byId,
      resolve: (_, { id }, { blog }) => blog.publish(String(id)),
    }),
    handOver: t.field({
      type: 'Post',
      nullable: true,
      args: { ...byId, to: t.arg.id({ required: true }) },
      resolve: (_, { id, to }, { blog }) => blog.handOver(String(id), String(to)),
    }),
  }),
});
builder.subscriptionType({
  fields: (t) => ({
    postPublished: t.field({
      type: 'Post',
      nullable: true,
      subscribe: (_, _args, { blog }) => blog.watch(),
      resolve: (post) => post as Post,
    }),
  }),
});

const policies = definePolicies<Context>()({
  isAuthor: ({ principal, args, context }) => context.blog.posts.get(String(args.id))?.authorId === principal.id,
});

// What was the scopes.
const protection: ProtectSchemaOptions<Context, keyof typeof policies> = {
  pdp: defineRoles({ viewer: [], editor: [], admin: [] }),
  policies,
  unprotected: 'deny',
  rules: {
    'Query.hello': 'public',
    'Query.posts': {},
    'Query.users': { roles: ['admin'] },
    'Query.stats': {},
    'Mutation.createPost': { roles: ['editor', 'admin'] },
    'Mutation.createPost(authorId:)': { rule: { any: [{ owner: 'authorId' }, { role: 'admin' }] } },
    'Mutation.publishPost': { rule: { any: [{ policy: 'isAuthor' }, { role: 'admin' }] } },
    'Mutation.handOver': { rule: { any: [{ policy: 'isAuthor' }, { role: 'admin' }] } },
    'Subscription.postPublished': {},
    User: 'public',
    'User.email': { rule: { any: [{ owner: 'id' }, { role: 'admin' }] } },
    Post: 'public',
    Stats: { roles: ['admin'] },
    'Owned.note': { rule: { any: [{ owner: 'authorId' }, { role: 'admin' }] } },
  },
};

/** A server of users and posts, guarded by Doorward. */
export function createAfter(blog: Blog): { app: RequestListener; auth: YogaAuth } {
  const schema = protectSchema(builder.toSchema(), protection);
  assertProtected(schema);
  const auth = yogaAuth({ authenticate: blog.authenticate });
  const app = createYoga({
    schema,
    plugins: [auth.plugin],
    maskedErrors: auth.maskedErrors,
    logging: false,
    context: { blog },
  });
  return { app, auth };
}
