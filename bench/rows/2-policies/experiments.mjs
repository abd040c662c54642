import { experiments as attributes } from './attributes/experiments.mjs';
import { experiments as filter } from './filter/experiments.mjs';
import { experiments as growth } from './growth/experiments.mjs';
import { experiments as roles } from './roles/experiments.mjs';

export const experiments = [...attributes, ...roles, ...growth, ...filter];
