import { prepare as prepareDoorward } from './doorward.mjs';

export const prepare = (input) => prepareDoorward(input, { trace: false });
