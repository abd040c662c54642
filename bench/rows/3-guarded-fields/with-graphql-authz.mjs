import { preExecRule, wrapExecuteFn } from '@graphql-authz/core';
import { execute, parse, validate } from 'graphql';
import { plainSchema } from './schema.mjs';

/** graphql-authz with an authSchema and a rule before execution. A request that asks for a refused field is refused. */
export function withGraphqlAuthz(guarded, check) {
  const authSchema = {};
  for (const coordinate of guarded) {
    const [type, field] = coordinate.split('.');
    authSchema[type] = { ...authSchema[type], [field]: { __authz: { rules: ['isViewer'] } } };
  }
  const engine = {
    parse,
    validate,
    execute: wrapExecuteFn(execute, { rules: { isViewer: preExecRule()(check) }, authSchema }),
  };
  return {
    schema: plainSchema(),
    contextFor: (principal) => ({ principal }),
    engineFor: () => engine,
    refusesRequests: true,
  };
}
