import { prepareShield } from './shield.mjs';

export const prepare = ({ guarded }) => prepareShield(guarded, 'contextual');
