import { applyMiddleware } from 'graphql-middleware';
import { allow, rule, shield } from 'graphql-shield';
import { plainSchema } from './schema.mjs';

/** graphql-shield as its manual shows it, with one rule on every guarded field. */
export function withShield(guarded, cache, check) {
  const guard = rule({ cache })(check);
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
