import type { RequestListener } from 'node:http';
import { createRequire } from 'node:module';
import { GraphQLError, type GraphQLSchema } from 'graphql';
import { createYoga } from 'graphql-yoga';
import type { Blog, Post, User } from '../tools/blog.ts';
import { type BlogContext, createSchema } from './schema.ts';

// As an ES module graphql-shield does not load in Node 23 and later.
const require = createRequire(import.meta.url);
const { applyMiddleware } = require('graphql-middleware') as typeof import('graphql-middleware');
const { allow, and, deny, not, or, rule, shield } = require('graphql-shield') as typeof import('graphql-shield');

interface Context extends BlogContext {
  readonly user: User | undefined;
}

const isAuthenticated = rule({ cache: 'contextual' })((_parent, _args, { user }: Context) => user !== undefined);
const isAdmin = rule({ cache: 'contextual' })((_parent, _args, { user }: Context) => user?.role === 'admin');
const isEditor = rule({ cache: 'contextual' })((_parent, _args, { user }: Context) => user?.role === 'editor');
const isSuspended = rule({ cache: 'contextual' })(
  (_parent, _args, { user, blog }: Context) => user !== undefined && blog.isSuspended(user.id),
);
const isAuthor = rule({ cache: 'strict' })(
  (_parent, { id }: { id: string }, { user, blog }: Context) =>
    user !== undefined && blog.posts.get(id)?.authorId === user.id,
);
const isForOneself = rule({ cache: 'strict' })(
  (_parent, { authorId }: { authorId: string }, { user }: Context) => authorId === user?.id,
);
const isSelf = rule({ cache: 'strict' })(({ id }: User, _args, { user }: Context) => id === user?.id);
const isOwner = rule({ cache: 'strict' })(({ authorId }: Post, _args, { user }: Context) => authorId === user?.id);

const permissions = shield(
  {
    Query: { '*': isAuthenticated, hello: allow, users: isAdmin },
    Mutation: {
      '*': deny,
      createPost: and(or(isEditor, isAdmin), not(isSuspended), or(isForOneself, isAdmin)),
      publishPost: or(isAuthor, isAdmin),
      handOver: or(isAuthor, isAdmin),
    },
    Subscription: { '*': isAuthenticated },
    User: { email: or(isSelf, isAdmin) },
    Stats: isAdmin,
    Owned: { note: or(isOwner, isAdmin) },
  },
  { fallbackRule: allow, fallbackError: new GraphQLError('Not Authorised!') },
);

/** The schema as graphql-shield guards it. */
export function shieldedSchema(): GraphQLSchema {
  return applyMiddleware(createSchema(), permissions);
}

/** A server of users and posts, guarded by graphql-shield. */
export function createBefore(blog: Blog): RequestListener {
  return createYoga({
    schema: shieldedSchema(),
    logging: false,
    context: ({ request }): Context => ({ blog, user: blog.callerOf(request) }),
  });
}
