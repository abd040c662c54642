import { prepare as prepareDoorward } from './doorward.mjs';

/** With the cache on: what was answered within a second is not asked again. */
export const prepare = (input) => prepareDoorward(input, { cache: { maxEntries: 1_000, ttlMs: 1_000 } });
