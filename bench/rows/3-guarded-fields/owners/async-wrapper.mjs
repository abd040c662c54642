import { withWrapper } from '../with-wrapper.mjs';
import { isOwner } from './is-owner.mjs';

export const prepare = ({ guarded }) =>
  withWrapper(guarded, (resolve) => async (source, args, context, info) => {
    if (!isOwner(context.principal, source)) throw new Error('Forbidden');
    return resolve(source, args, context, info);
  });
