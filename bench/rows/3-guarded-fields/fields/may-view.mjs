import { ROLE } from '../principals.mjs';

/** What every contestant asks. */
export const mayView = ({ roles }) => roles.includes(ROLE);
