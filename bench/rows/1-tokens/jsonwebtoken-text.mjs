import { prepare as prepareWith } from './jsonwebtoken.mjs';

/** The secret as a string, the key as PEM: what its users do. */
export const prepare = (input) => prepareWith(input, ({ text }) => [text, text]);
