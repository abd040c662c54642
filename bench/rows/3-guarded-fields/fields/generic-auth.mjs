import { withGenericAuth } from '../with-generic-auth.mjs';

export const prepare = ({ guarded }) =>
  withGenericAuth(
    guarded,
    ({ principal }) => principal,
    ({ roles }) => roles,
  );
