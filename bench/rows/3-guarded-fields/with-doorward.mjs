import { makeExecutableSchema } from '@graphql-tools/schema';
import { environmentSource } from 'doorward';
import { authDirectives, protectSchema } from 'doorward/graphql';
import { resolvers, typeDefs } from './schema.mjs';

const environment = environmentSource();

/** @param {string} directive is written behind every guarded field */
export function withDoorward(guarded, directive, pdp) {
  const schema = makeExecutableSchema({ typeDefs: [authDirectives(), typeDefs(guarded, directive)], resolvers });
  return {
    schema: protectSchema(schema, { pdp }),
    contextFor: (principal) => ({ auth: { principal, environment } }),
  };
}
