import { makeExecutableSchema } from '@graphql-tools/schema';
import { allow, deny, environmentSource } from 'doorward';
import { authDirectives, protectSchema } from 'doorward/graphql';
import { ROLE } from '../principals.mjs';
import { resolvers, typeDefs } from './authors.mjs';
import { askTogether } from './checks.mjs';

const environment = environmentSource();
const decision = (isAllowed) => (isAllowed ? allow('rule') : deny('no_rule'));

const policies = {
  seeAuthor: {
    action: 'see-author',
    resource: ({ resource }) => ({ type: 'Post', id: resource.id, attributes: {} }),
    pdp: {
      decide: async ({ subject }) => decision(await askTogether(subject)),
      async decideAll(requests) {
        const answer = decision(await askTogether(requests[0].subject));
        return requests.map(() => answer);
      },
    },
  },
};
const directives = { role: `@auth(roles: ["${ROLE}"])`, remote: '@auth(policy: [["seeAuthor"]])' };

export function prepare({ guarded, rule }) {
  const on = (coordinate) => (guarded.includes(coordinate) ? directives[rule] : '');
  const schema = makeExecutableSchema({ typeDefs: [authDirectives(), typeDefs(on)], resolvers });
  return {
    schema: protectSchema(schema, { pdp: { decide: () => deny('no_rule') }, policies }),
    contextFor: (principal) => ({ auth: { principal, environment } }),
  };
}
