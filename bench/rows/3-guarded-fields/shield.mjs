import { makeExecutableSchema } from '@graphql-tools/schema';
import { applyMiddleware } from 'graphql-middleware';
import { allow, rule, shield } from 'graphql-shield';
import { ROLE } from './principals.mjs';
import { resolvers, typeDefs } from './schema.mjs';

/** graphql-shield as its manual shows it, with one rule on every guarded field. */
export function prepareShield(guarded, cache) {
  const isViewer = rule({ cache })((_source, _args, { principal }) => principal.roles.includes(ROLE));
  const rules = {};
  for (const coordinate of guarded) {
    const [type, field] = coordinate.split('.');
    rules[type] = { ...rules[type], [field]: isViewer };
  }
  const schema = makeExecutableSchema({ typeDefs: typeDefs(guarded), resolvers });
  return {
    schema: applyMiddleware(schema, shield(rules, { fallbackRule: allow })),
    contextFor: (principal) => ({ principal }),
  };
}
