import { prepare as prepareDoorward } from './doorward.mjs';

/** Nobody shares a call. */
export const prepare = (input) => prepareDoorward(input, { singleFlight: false });
