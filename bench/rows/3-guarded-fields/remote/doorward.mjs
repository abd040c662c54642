import { allow, deny } from 'doorward';
import { withDoorward } from '../with-doorward.mjs';
import { askRemote } from './ask-remote.mjs';

const decide = async ({ subject }) => ((await askRemote(subject)) ? allow('permission') : deny('no_permission'));

/** What is asked in one turn is one call. */
async function decideAll(requests) {
  const decision = await decide(requests[0]);
  return requests.map(() => decision);
}

export const prepare = ({ guarded }) => withDoorward(guarded, '@auth(permissions: ["view"])', { decide, decideAll });
