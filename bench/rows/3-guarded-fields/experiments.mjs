import { experiments as batches } from './batches/experiments.mjs';
import { experiments as fields } from './fields/experiments.mjs';
import { experiments as owners } from './owners/experiments.mjs';
import { experiments as remote } from './remote/experiments.mjs';

export const experiments = [...fields, ...remote, ...owners, ...batches];
