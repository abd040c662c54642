import { isAllowed, questions } from './table.mjs';

export const prepare = () => ({ questions: questions(), decide: isAllowed });
