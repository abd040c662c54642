import type { RequestListener } from 'node:http';
import SchemaBuilder from '@pothos/core';
import ScopeAuthPlugin from '@pothos/plugin-scope-auth';
import { createYoga } from 'graphql-yoga';
import type { Blog, Post, Role, User } from '../tools/blog.ts';

interface Context {
  readonly blog: Blog;
  readonly user: User | undefined;
}

const builder = new SchemaBuilder<{
  Context: Context;
  Objects: { User: User; Post: Post; Stats: Blog };
  Interfaces: { Owned: Post };
  AuthScopes: { loggedIn: boolean; role: Role; authorOf: string };
}>({
  plugins: [ScopeAuthPlugin],
  scopeAuth: {
    authScopes: ({ user, blog }) => ({
      loggedIn: user !== undefined,
      role: (role) => user?.role === role,
      authorOf: (id) => user !== undefined && blog.posts.get(id)?.authorId === user.id,
    }),
  },
});

builder.interfaceType('Owned', {
  resolveType: () => 'Post',
  fields: (t) => ({
    authorId: t.exposeID('authorId'),
    note: t.exposeString('note', {
      nullable: true,
      authScopes: ({ authorId }, _args, { user }) => (authorId === user?.id ? true : { role: 'admin' }),
    }),
  }),
});
builder.objectType('Post', {
  interfaces: ['Owned'],
  // The note is declared again to trim it, and with that the scopes of the interface field are gone.
  fields: (t) => ({ id: t.exposeID('id'), note: t.string({ nullable: true, resolve: ({ note }) => note.trim() }) }),
});
builder.objectType('User', {
  fields: (t) => ({
    id: t.exposeID('id'),
    email: t.exposeString('email', {
      nullable: true,
      authScopes: ({ id }, _args, { user }) => (id === user?.id ? true : { role: 'admin' }),
    }),
  }),
});
builder.objectType('Stats', {
  authScopes: { role: 'admin' },
  fields: (t) => ({ users: t.int({ nullable: true, resolve: ({ users }) => users.length }) }),
});
builder.queryType({
  authScopes: { loggedIn: true },
  fields: (t) => ({
    hello: t.string({ nullable: true, skipTypeScopes: true, resolve: () => 'world' }),
    posts: t.field({ type: ['Post'], nullable: true, resolve: (_, _args, { blog }) => [...blog.posts.values()] }),
    users: t.field({
      type: ['User'],
      nullable: true,
      authScopes: { role: 'admin' },
      resolve: (_, _args, { blog }) => blog.users,
    }),
    stats: t.field({ type: 'Stats', nullable: true, resolve: (_, _args, { blog }) => blog }),
  }),
});
const byId = builder.args((t) => ({ id: t.id({ required: true }) }));
builder.mutationType({
  authScopes: { loggedIn: true },
  fields: (t) => ({
    createPost: t.field({
      type: 'Post',
      nullable: true,
      args: { title: t.arg.string({ required: true }), authorId: t.arg.id({ required: true }) },
      authScopes: (_, { authorId }, { user }) =>
        user?.role === 'editor' && authorId === user.id ? true : { role: 'admin' },
      resolve: (_, { title, authorId }, { blog }) => blog.add(title, String(authorId)),
    }),
    publishPost: t.field({
      type: 'Post',
      nullable: true,
      args: byId,
      authScopes: (_, { id }) => ({ $any: { role: 'admin', authorOf: String(id) } }),
      resolve: (_, { id }, { blog }) => blog.publish(String(id)),
    }),
    handOver: t.field({
      type: 'Post',
      nullable: true,
      args: { ...byId, to: t.arg.id({ required: true }) },
      authScopes: (_, { id }) => ({ $any: { role: 'admin', authorOf: String(id) } }),
      resolve: (_, { id, to }, { blog }) => blog.handOver(String(id), String(to)),
    }),
  }),
});
builder.subscriptionType({
  authScopes: { loggedIn: true },
  fields: (t) => ({
    postPublished: t.field({
      type: 'Post',
      nullable: true,
      subscribe: (_, _args, { blog }) => blog.watch(),
      resolve: (post) => post as Post,
    }),
  }),
});

/** A server of users and posts, guarded by the scope auth plugin of Pothos. */
export function createBefore(blog: Blog): RequestListener {
  return createYoga({
    schema: builder.toSchema(),
    logging: false,
    context: ({ request }): Context => ({ blog, user: blog.callerOf(request) }),
  });
}
