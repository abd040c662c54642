import { makeExecutableSchema } from '@graphql-tools/schema';
import { deny, environmentSource } from 'doorward';
import { authDirectives, protectSchema } from 'doorward/graphql';
import { ROLE } from './principals.mjs';
import { resolvers, typeDefs } from './schema.mjs';

const environment = environmentSource();

/** A role is written behind every guarded field; the decision point is there but has no permissions to answer. */
export function prepare({ guarded }) {
  const schema = makeExecutableSchema({
    typeDefs: [authDirectives(), typeDefs(guarded, `@auth(roles: ["${ROLE}"])`)],
    resolvers,
  });
  return {
    schema: protectSchema(schema, { pdp: { decide: () => deny('no_rule') } }),
    contextFor: (principal) => ({ auth: { principal, environment } }),
  };
}
