import { withWrapper } from '../with-wrapper.mjs';
import { askRemote } from './ask-remote.mjs';

/** Asks once a request, and awaits the answer in every field. */
export const prepare = ({ guarded }) =>
  withWrapper(guarded, (resolve) => async (source, args, context, info) => {
    context.answer ??= askRemote(context.principal);
    if (!(await context.answer)) throw new Error('Forbidden');
    return resolve(source, args, context, info);
  });
