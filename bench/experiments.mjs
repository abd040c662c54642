import { experiments as tokens } from './rows/1-tokens/experiments.mjs';
import { experiments as guardedFields } from './rows/3-guarded-fields/experiments.mjs';
import { experiments as logins } from './rows/4-logins/experiments.mjs';

/** Every experiment. One can settle goals of several rows. */
export const experiments = [...tokens, ...guardedFields, ...logins];
