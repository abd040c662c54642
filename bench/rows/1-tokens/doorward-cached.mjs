import { prepare as prepareWith } from './doorward.mjs';

export const prepare = (input) => prepareWith(input, { cache: { maxTokens: 10_000 } });
