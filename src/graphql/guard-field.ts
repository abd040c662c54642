import type { GraphQLFieldResolver } from 'graphql';
import { type Decision, isPromise, type MaybePromise } from '../core/index.ts';
import { notAuthenticated, notAuthorized } from './denial.ts';
import { type Admission, admit, callOf, type Enforcer, principalOf } from './enforcer.ts';
import { guardResult, masked } from './guard-result.ts';
import type { FieldPlan } from './plan.ts';

export type Resolver = GraphQLFieldResolver<unknown, unknown, Record<string, unknown>>;

/**
 * Puts a plan before a resolver. It answers at once whenever the decision is there at once, so that a guarded
 * field costs a look-up, and batching of what the resolvers load is left as it was.
 */
export function guardField(enforcer: Enforcer, field: FieldPlan, resolve: Resolver): Resolver {
  const { gate, stepUp } = field;
  const isGateOnly = field.before.length + field.input.length + field.after.length === 0;
  const guarded = guardCall(enforcer, field, resolve);
  if (gate === undefined) return guarded;
  const beyond = isGateOnly ? resolve : guarded;

  return (source, args, context, info) => {
    const principal = principalOf(enforcer.authOf(context));
    const memo = principal && enforcer.memos.of(principal);
    const decision = memo?.enforced.get(gate);
    if (decision === undefined || isPromise(decision)) return guarded(source, args, context, info);
    if (!decision.allowed) throw notAuthorized();
    if (stepUp === undefined || isMet(memo?.parts.get(stepUp))) return beyond(source, args, context, info);
    return guarded(source, args, context, info);
  };
}

function isMet(decision: MaybePromise<Decision> | undefined): boolean {
  return decision !== undefined && !isPromise(decision) && decision.allowed;
}

/** The whole plan, step by step. */
function guardCall(enforcer: Enforcer, field: FieldPlan, resolve: Resolver): Resolver {
  return (source, args, context, info) => {
    const enter = (admission: Admission): unknown => {
      if (admission === 'NULL') return null;
      const value = resolve(source, args, context, info);
      if (field.after.length === 0 && admission === 'OPEN') return value;
      return isPromise(value)
        ? Promise.resolve(value).then((settled) => shown(settled, admission))
        : shown(value, admission);
    };
    const shown = (value: unknown, admission: Admission): unknown => {
      const result = decided(value);
      if (admission !== 'MASK') return result;
      return isPromise(result)
        ? result.then((settled) => masked(enforcer, field, settled))
        : masked(enforcer, field, result);
    };
    const decided = (value: unknown): unknown => {
      if (field.after.length === 0) return value;
      const call = callOf(enforcer, field.coordinate, [source, args, context]);
      if (call === undefined) throw notAuthenticated();
      return guardResult(enforcer, field, call, value);
    };

    const admission = admit(enforcer, field, source, args, context);
    return isPromise(admission) ? admission.then(enter) : enter(admission);
  };
}
