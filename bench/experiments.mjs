import { experiments as tokens } from './rows/1-tokens/experiments.mjs';
import { experiments as policies } from './rows/2-policies/experiments.mjs';
import { experiments as guardedFields } from './rows/3-guarded-fields/experiments.mjs';
import { experiments as logins } from './rows/4-logins/experiments.mjs';
import { experiments as opaCalls } from './rows/5-opa-calls/experiments.mjs';
import { experiments as schemaTransform } from './rows/6-schema-transform/experiments.mjs';

/** Every experiment. One can settle goals of several rows. */
export const experiments = [...tokens, ...policies, ...guardedFields, ...logins, ...opaCalls, ...schemaTransform];
