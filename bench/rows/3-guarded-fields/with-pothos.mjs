import SchemaBuilder from '@pothos/core';
import ScopeAuthPlugin from '@pothos/plugin-scope-auth';
import { resolvers } from './schema.mjs';

/**
 * The same schema, written in code.
 * @param authScopes of every guarded field
 * @param scopeAuth the options of the plugin
 */
export function withPothos(guarded, authScopes, scopeAuth) {
  const builder = new SchemaBuilder({ plugins: [ScopeAuthPlugin], scopeAuth });
  const { users, openUsers, openPosts } = resolvers.Query;
  const [User, Post] = [builder.objectRef('User'), builder.objectRef('Post')];
  const options = (coordinate) => ({ nullable: true, ...(guarded.includes(coordinate) && { authScopes }) });
  Post.implement({
    fields: (t) => ({
      id: t.exposeID('id', options('Post.id')),
      title: t.exposeString('title', options('Post.title')),
      content: t.exposeString('content', options('Post.content')),
    }),
  });
  User.implement({
    fields: (t) => ({
      id: t.exposeID('id', options('User.id')),
      name: t.exposeString('name', options('User.name')),
      email: t.exposeString('email', options('User.email')),
      posts: t.expose('posts', { type: [Post], ...options('User.posts') }),
    }),
  });
  builder.queryType({
    fields: (t) => ({
      users: t.field({
        type: [User],
        args: { limit: t.arg.int({ required: true }) },
        resolve: users,
        ...options('Query.users'),
      }),
      openUsers: t.field({ type: [User], nullable: true, resolve: openUsers }),
      openPosts: t.field({ type: [Post], nullable: true, resolve: openPosts }),
    }),
  });
  return { schema: builder.toSchema(), contextFor: (principal) => ({ principal }) };
}
