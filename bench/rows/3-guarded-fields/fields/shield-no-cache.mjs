import { withShield } from '../with-shield.mjs';
import { mayView } from './may-view.mjs';

export const prepare = ({ guarded }) =>
  withShield(guarded, 'no_cache', (_source, _args, { principal }) => mayView(principal));
