import { deny } from 'doorward';
import { withDoorward } from '../with-doorward.mjs';

export const prepare = ({ guarded }) =>
  withDoorward(guarded, '@auth(owner: "ownerId")', { decide: () => deny('no_rule') });
