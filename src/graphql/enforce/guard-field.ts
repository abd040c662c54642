import { defaultFieldResolver, type GraphQLFieldResolver, type GraphQLResolveInfo } from 'graphql';
import { type Decision, isPromise, type MaybePromise } from '../../core/index.ts';
import type { FieldPlan } from '../compile/plan.ts';
import type { Rule } from '../rules/rule.ts';
import { notAuthenticated, notAuthorized } from './denial.ts';
import { endsList } from './denial-in-list.ts';
import { type Admission, callOf, createAdmit, type Enforcer } from './enforcer.ts';
import { guardResult, masked } from './guard-result.ts';

export type Resolver = GraphQLFieldResolver<unknown, unknown, Record<string, unknown>>;

/**
 * Puts a plan before a resolver. It answers at once whenever the decision is there at once, so that a guarded
 * field costs a look-up, and batching of what the resolvers load is left as it was.
 */
export function guardField(enforcer: Enforcer, field: FieldPlan, resolve: Resolver): Resolver {
  const { gate, stepUp } = field;
  const isGateOnly = field.before.length + field.input.length + field.after.length === 0;
  if (gate === undefined || !isGateOnly) return guardCall(enforcer, field, resolve);

  // Made for the fields that are asked for, which of a large schema are few.
  let guarded: Resolver | undefined;
  const otherwise = (known: MaybePromise<Decision> | undefined, ...call: Parameters<Resolver>): unknown => {
    if (isPromise(known)) {
      return known.then(({ allowed }) => {
        if (allowed) return resolve(...call);
        throw notAuthorized();
      });
    }
    guarded ??= guardCall(enforcer, field, resolve);
    return guarded(...call);
  };
  if (resolve === defaultFieldResolver) {
    // Named here, the function that most fields have is compiled into the guard.
    return (source, args, context, info) => {
      const known = remembered(enforcer, gate, stepUp, context);
      return isAllowed(known)
        ? defaultFieldResolver(source, args, context, info)
        : otherwise(known, source, args, context, info);
    };
  }
  return (source, args, context, info) => {
    const known = remembered(enforcer, gate, stepUp, context);
    return isAllowed(known) ? resolve(source, args, context, info) : otherwise(known, source, args, context, info);
  };
}

/** What was answered to the same principal before to all that a field asks, if it was asked. */
function remembered(
  { authOf, memos }: Enforcer,
  gate: Rule,
  stepUp: Rule | undefined,
  context: unknown,
): MaybePromise<Decision> | undefined {
  const { latest } = memos;
  const principal = authOf(context)?.principal;
  if (principal === undefined || principal !== latest.principal) return undefined;
  if (stepUp !== undefined && !isAllowed(latest.memo?.parts[stepUp.index])) return undefined;
  return latest.memo?.enforced[gate.index];
}

function isAllowed(decision: MaybePromise<Decision> | undefined): boolean {
  return decision !== undefined && !isPromise(decision) && decision.allowed;
}

/** The whole plan, step by step. */
function guardCall(enforcer: Enforcer, field: FieldPlan, resolve: Resolver): Resolver {
  const admit = createAdmit(enforcer, field);
  const isShownAsItIs = field.after.length === 0;

  function enter(admission: Admission, ...call: Parameters<Resolver>): unknown {
    if (admission === 'NULL') return null;
    const value = resolve(...call);
    if (isShownAsItIs && admission === 'OPEN') return value;
    return isPromise(value)
      ? Promise.resolve(value).then((settled) => shown(settled, admission, call))
      : unended(shown(value, admission, call), call[3]);
  }

  function enterLater(admission: Promise<Admission>, ...call: Parameters<Resolver>): unknown {
    return admission.then((settled) => enter(settled, ...call));
  }

  function shown(value: unknown, admission: Admission, call: Parameters<Resolver>): unknown {
    const result = decided(value, call);
    if (admission !== 'MASK') return result;
    return isPromise(result)
      ? result.then((settled) => masked(enforcer, field, settled))
      : masked(enforcer, field, result);
  }

  function decided(value: unknown, call: Parameters<Resolver>): unknown {
    if (isShownAsItIs) return value;
    const known = callOf(enforcer, field.coordinate, ...call);
    if (known === undefined) throw notAuthenticated();
    return guardResult(enforcer, field, known, value);
  }

  return (source, args, context, info) => {
    try {
      const admission = admit(source, args, context, info);
      if (admission === 'OPEN' && isShownAsItIs) return resolve(source, args, context, info);
      return isPromise(admission)
        ? enterLater(admission, source, args, context, info)
        : enter(admission, source, args, context, info);
    } catch (error) {
      if (endsList(info)) return Promise.reject(error);
      throw error;
    }
  };
}

/** An error, or nothing, where there must be something, is an error that is known at once. */
function unended(value: unknown, info: GraphQLResolveInfo): unknown {
  const isError = value === null || value === undefined || value instanceof Error;
  return isError && endsList(info) ? Promise.resolve(value) : value;
}
