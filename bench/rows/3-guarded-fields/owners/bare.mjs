import { plainSchema } from '../schema.mjs';

/** graphql alone, nothing guarded: the lower bound. */
export function prepare() {
  return { schema: plainSchema(), contextFor: (principal) => ({ principal }), unguarded: true };
}
