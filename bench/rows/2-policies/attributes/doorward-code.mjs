import { prepare as prepareDoorward } from './doorward.mjs';

/** With generated code, an option, since some servers forbid it. */
export const prepare = (input) => prepareDoorward(input, { generateCode: true });
