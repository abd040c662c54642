import { withShield } from '../with-shield.mjs';
import { askRemote } from './ask-remote.mjs';

export const prepare = ({ guarded }) =>
  withShield(guarded, 'contextual', (_source, _args, { principal }) => askRemote(principal));
