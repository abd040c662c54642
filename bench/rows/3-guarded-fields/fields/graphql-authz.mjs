import { withGraphqlAuthz } from '../with-graphql-authz.mjs';
import { mayView } from './may-view.mjs';

export const prepare = ({ guarded }) => withGraphqlAuthz(guarded, ({ principal }) => mayView(principal));
