import { withPothos } from '../with-pothos.mjs';
import { askRemote } from './ask-remote.mjs';

/** The scopes of a context object are made once. */
export const prepare = ({ guarded }) =>
  withPothos(
    guarded,
    { viewer: true },
    { authScopes: async ({ principal }) => ({ viewer: await askRemote(principal) }) },
  );
