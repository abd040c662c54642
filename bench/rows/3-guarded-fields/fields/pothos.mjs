import { withPothos } from '../with-pothos.mjs';
import { mayView } from './may-view.mjs';

/** The scope is worked out once for each context object. */
export const prepare = ({ guarded }) =>
  withPothos(guarded, { viewer: true }, { authScopes: ({ principal }) => ({ viewer: mayView(principal) }) });
