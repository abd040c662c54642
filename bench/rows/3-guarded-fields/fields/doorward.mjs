import { deny } from 'doorward';
import { ROLE } from '../principals.mjs';
import { withDoorward } from '../with-doorward.mjs';

/** A role is written behind every guarded field; the decision point is there but has no permissions to answer. */
export const prepare = ({ guarded }) =>
  withDoorward(guarded, `@auth(roles: ["${ROLE}"])`, { decide: () => deny('no_rule') });
