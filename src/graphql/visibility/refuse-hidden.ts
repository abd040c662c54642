import { defaultTypeResolver, type GraphQLAbstractType, type GraphQLSchema } from 'graphql';
import { isPromise } from '../../core/index.ts';
import { notAuthenticated, notAuthorized } from '../enforce/denial.ts';
import { type Enforcer, principalOf } from '../enforce/enforcer.ts';
import type { TypeResolver } from '../enforce/guard-abstract.ts';

/**
 * Resolves the types of an interface or a union as the whole schema does, and refuses an object of a hidden type as
 * its guard would: an error of the executor would name the type.
 */
export function refuseHidden(
  whole: GraphQLSchema,
  enforcer: Enforcer,
  type: GraphQLAbstractType,
  isVisible: (name: string) => boolean,
): TypeResolver {
  const possible = new Set(whole.getPossibleTypes(type).map(({ name }) => name));
  const resolveType: TypeResolver = type.resolveType ?? defaultTypeResolver;
  const shown = (name: string | undefined, context: unknown): string | undefined => {
    if (name === undefined || !possible.has(name) || isVisible(name)) return name;
    throw principalOf(enforcer.authOf(context)) === undefined ? notAuthenticated() : notAuthorized();
  };
  return (value, context, info) => {
    const name = resolveType(value, context, { ...info, schema: whole }, type);
    return isPromise(name) ? Promise.resolve(name).then((settled) => shown(settled, context)) : shown(name, context);
  };
}
