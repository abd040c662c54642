import { withShield } from '../with-shield.mjs';
import { isOwner } from './is-owner.mjs';

export const prepare = ({ guarded }) =>
  withShield(guarded, 'no_cache', (object, _args, { principal }) => isOwner(principal, object));
