import { plainSchema } from './authors.mjs';

/** graphql alone, nothing guarded. */
export function prepare() {
  return { schema: plainSchema(), contextFor: (principal) => ({ principal }), unguarded: true };
}
