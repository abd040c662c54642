import { withWrapper } from '../with-wrapper.mjs';
import { mayView } from './may-view.mjs';

/** Its check is synchronous and it awaits nothing, so it pays for one promise a field and for nothing else. */
export const prepare = ({ guarded }) =>
  withWrapper(guarded, (resolve) => async (source, args, context, info) => {
    if (!mayView(context.principal)) throw new Error('Forbidden');
    return resolve(source, args, context, info);
  });
