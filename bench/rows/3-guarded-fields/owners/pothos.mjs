import { withPothos } from '../with-pothos.mjs';
import { isOwner } from './is-owner.mjs';

export const prepare = ({ guarded }) =>
  withPothos(guarded, (object, _args, { principal }) => isOwner(principal, object), { authScopes: () => ({}) });
