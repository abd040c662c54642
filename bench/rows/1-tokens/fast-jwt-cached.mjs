import { prepare as prepareWith } from './fast-jwt.mjs';

export const prepare = (input) => prepareWith(input, { cache: true });
