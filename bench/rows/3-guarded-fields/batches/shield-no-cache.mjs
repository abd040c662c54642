import { applyMiddleware } from 'graphql-middleware';
import { allow, rule, shield } from 'graphql-shield';
import { plainSchema } from './authors.mjs';
import { checks } from './checks.mjs';

export function prepare({ guarded, rule: name }) {
  const guard = rule({ cache: 'no_cache' })((post, _args, { principal }) => checks[name](principal, post));
  const rules = {};
  for (const coordinate of guarded) {
    const [type, field] = coordinate.split('.');
    rules[type] = { ...rules[type], [field]: guard };
  }
  return {
    schema: applyMiddleware(plainSchema(), shield(rules, { fallbackRule: allow })),
    contextFor: (principal) => ({ principal }),
  };
}
