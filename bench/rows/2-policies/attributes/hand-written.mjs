import { isAllowed, questions } from '../documents.mjs';

/** The limit: no data, no engine, no reason, and no care for a value that is missing or of another type. */
export const prepare = () => ({ questions: questions(), decide: isAllowed });
