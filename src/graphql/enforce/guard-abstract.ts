import type { GraphQLResolveInfo, GraphQLTypeResolver } from 'graphql';
import { isPromise, type MaybePromise } from '../../core/index.ts';
import { notAuthenticated, notAuthorized } from './denial.ts';
import { itemEndsList } from './denial-in-list.ts';
import { callOf, type Denied, denialError, type Enforcer, firstDenial, stepsOfObject } from './enforcer.ts';

export type TypeResolver = GraphQLTypeResolver<unknown, unknown>;

/**
 * Decides the rules of the concrete object type before anything of the object is told, its `__typename`
 * included. A type that was unknown when the schema was protected is refused.
 */
export function guardAbstract(enforcer: Enforcer, resolveType: TypeResolver): TypeResolver {
  const { plan, evaluator } = enforcer;

  function decided(
    name: string | undefined,
    context: unknown,
    parent: unknown,
    info: GraphQLResolveInfo,
  ): MaybePromise<string | undefined> {
    // Not a type at all: the executor says so.
    if (name === undefined || info.schema.getType(name) === undefined) return name;
    const object = plan.objects.get(name);
    if (object === undefined) {
      if (plan.objects.has(name)) return name;
      throw notAuthorized();
    }
    const call = callOf(enforcer, name, parent, {}, context, info);
    if (call === undefined) throw notAuthenticated();
    const denial = firstDenial(evaluator, call, stepsOfObject(object));
    const passed = (denied: Denied | undefined): string => {
      if (denied === undefined) return name;
      throw denialError(enforcer, call, denied);
    };
    return isPromise(denial) ? denial.then(passed) : passed(denial);
  }

  return (value, context, info, abstractType) => {
    const name = resolveType(value, context, info, abstractType);
    if (isPromise(name)) return Promise.resolve(name).then((settled) => decided(settled, context, value, info));
    try {
      return decided(name, context, value, info);
    } catch (error) {
      if (itemEndsList(info)) return Promise.reject(error);
      throw error;
    }
  };
}
