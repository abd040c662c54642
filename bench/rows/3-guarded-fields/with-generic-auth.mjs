import { envelop, useEngine, useSchema } from '@envelop/core';
import { REQUIRES_SCOPES_DIRECTIVE_SDL, useGenericAuth } from '@envelop/generic-auth';
import { makeExecutableSchema } from '@graphql-tools/schema';
import { execute, parse, specifiedRules, subscribe, validate } from 'graphql';
import { ROLE } from './principals.mjs';
import { resolvers, typeDefs } from './schema.mjs';

/** generic-auth through envelop as its documentation shows it. A request that asks for a refused field is refused. */
export function withGenericAuth(guarded, resolveUserFn, extractScopes) {
  const schema = makeExecutableSchema({
    typeDefs: [REQUIRES_SCOPES_DIRECTIVE_SDL, typeDefs(guarded, `@requiresScopes(scopes: [["${ROLE}"]])`)],
    resolvers,
  });
  const getEnveloped = envelop({
    plugins: [
      useEngine({ parse, validate, specifiedRules, execute, subscribe }),
      useSchema(schema),
      useGenericAuth({ mode: 'protect-granular', resolveUserFn, extractScopes }),
    ],
  });
  return {
    schema,
    contextFor: (principal) => ({ principal }),
    engineFor(context) {
      const { contextFactory, ...enveloped } = getEnveloped(context);
      return {
        ...enveloped,
        execute: async (args) => enveloped.execute({ ...args, contextValue: await contextFactory() }),
      };
    },
    refusesRequests: true,
  };
}
