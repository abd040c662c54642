import { withGraphqlAuthz } from '../with-graphql-authz.mjs';
import { askRemote } from './ask-remote.mjs';

export const prepare = ({ guarded }) => withGraphqlAuthz(guarded, ({ principal }) => askRemote(principal));
