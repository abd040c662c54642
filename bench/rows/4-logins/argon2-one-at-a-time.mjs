import { prepare as prepareArgon2 } from './argon2.mjs';

export const prepare = (input) => prepareArgon2(input, { concurrency: 1 });
