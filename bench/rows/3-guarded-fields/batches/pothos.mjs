import SchemaBuilder from '@pothos/core';
import ScopeAuthPlugin from '@pothos/plugin-scope-auth';
import { loadAuthor, posts } from './authors.mjs';
import { checks } from './checks.mjs';

export function prepare({ guarded, rule }) {
  const builder = new SchemaBuilder({ plugins: [ScopeAuthPlugin], scopeAuth: { authScopes: () => ({}) } });
  const authScopes = (post, _args, { principal }) => checks[rule](principal, post);
  const options = (coordinate) => ({ nullable: true, ...(guarded.includes(coordinate) && { authScopes }) });
  const [Post, User] = [builder.objectRef('Post'), builder.objectRef('User')];
  User.implement({
    fields: (t) => ({
      id: t.exposeID('id', { nullable: true }),
      name: t.exposeString('name', options('User.name')),
    }),
  });
  Post.implement({
    fields: (t) => ({
      id: t.exposeID('id', { nullable: true }),
      title: t.exposeString('title', options('Post.title')),
      author: t.field({ type: User, resolve: loadAuthor, ...options('Post.author') }),
    }),
  });
  builder.queryType({ fields: (t) => ({ posts: t.field({ type: [Post], nullable: true, resolve: () => posts }) }) });
  return { schema: builder.toSchema(), contextFor: (principal) => ({ principal }) };
}
