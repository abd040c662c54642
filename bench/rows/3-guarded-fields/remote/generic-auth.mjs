import { ROLE } from '../principals.mjs';
import { withGenericAuth } from '../with-generic-auth.mjs';
import { askRemote } from './ask-remote.mjs';

/** The user and what the user may do are looked up before the document is visited. */
export const prepare = ({ guarded }) =>
  withGenericAuth(
    guarded,
    async ({ principal }) => ({ ...principal, scopes: (await askRemote(principal)) ? [ROLE] : [] }),
    ({ scopes }) => scopes,
  );
