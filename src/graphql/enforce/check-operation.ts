import { GraphQLError, type GraphQLResolveInfo, type GraphQLSchema, type OperationDefinitionNode } from 'graphql';
import { isPromise, type MaybePromise } from '../../core/index.ts';
import { isAsyncIterable } from './async-iterable.ts';
import { notAuthenticated, notAuthorized } from './denial.ts';
import { aboutOf, denialError, type Enforcer, principalOf } from './enforcer.ts';
import type { Resolver } from './guard-field.ts';
import { type EventVerdict, guardStream } from './guard-stream.ts';
import { type Execution, judgeOperation, type OperationDenial } from './judge-operation.ts';
import { isPlanOf, type OperationPlan, planOperation } from './operation-plan.ts';

/** Makes the error that refuses an operation, a new one for each root field. */
export type Refusal = () => GraphQLError;

/** Judges an operation as a whole; all its root fields get the same answer. */
export type CheckOperation = (
  source: unknown,
  context: unknown,
  info: GraphQLResolveInfo,
) => MaybePromise<Refusal | undefined>;

interface Judged {
  readonly variables: unknown;
  readonly context: unknown;
  readonly refusal: MaybePromise<Refusal | undefined>;
}

/**
 * Plans are kept by document; what was judged is kept by principal object, plan, variables and context, and never
 * longer than the principal. About an anonymous caller nothing but the variables matters.
 */
export function createOperationCheck(enforcer: Enforcer): CheckOperation {
  const plans = new WeakMap<GraphQLSchema, WeakMap<OperationDefinitionNode, OperationPlan>>();
  const judged = new WeakMap<object, WeakMap<OperationPlan, Judged>>();
  const anonymous = {};

  function planOf(info: GraphQLResolveInfo): OperationPlan {
    const ofSchema = entry(plans, info.schema, () => new WeakMap());
    const known = ofSchema.get(info.operation);
    if (known !== undefined && isPlanOf(known, info.fragments)) return known;
    const plan = planOperation(enforcer.plan, info);
    ofSchema.set(info.operation, plan);
    return plan;
  }

  function judge(plan: OperationPlan, execution: Execution): MaybePromise<Refusal | undefined> {
    const refused = (denial: OperationDenial | undefined): Refusal | undefined =>
      denial === undefined ? undefined : refusalOf(enforcer, denial);
    const denial = judgeOperation(enforcer, plan, execution);
    return isPromise(denial) ? denial.then(refused).catch(failed) : refused(denial);
  }

  function failed(error: unknown): Refusal {
    enforcer.report(error, 'operation');
    return notAuthorized;
  }

  return (source, context, info) => {
    try {
      const auth = enforcer.authOf(context);
      const principal = principalOf(auth);
      const plan = planOf(info);
      const variables = info.variableValues;
      const caller = principal ? enforcer.memos.of(principal) : (variables ?? anonymous);
      const ofCaller = entry(judged, caller, () => new WeakMap());
      const last = ofCaller.get(plan);
      if (last !== undefined && last.variables === variables && last.context === context) return last.refusal;
      const refusal = judge(plan, { source, context, info, auth, principal });
      ofCaller.set(plan, { variables, context, refusal });
      return refusal;
    } catch (error) {
      return failed(error);
    }
  };
}

/** Lets a root field in when its operation is not refused. */
export function checkField(check: CheckOperation, resolve: Resolver): Resolver {
  return (source, args, context, info) => {
    const enter = (refusal: Refusal | undefined): unknown => {
      if (refusal !== undefined) throw refusal();
      return resolve(source, args, context, info);
    };
    const refusal = check(source, context, info);
    return isPromise(refusal) ? refusal.then(enter) : enter(refusal);
  };
}

/** The same for the source of a subscription, and for every event after it, when the caller was renewed. */
export function checkSubscription({ report }: Enforcer, check: CheckOperation, subscribe: Resolver): Resolver {
  const start = checkField(check, subscribe);
  return (source, args, context, info) => {
    const judge = async (): Promise<EventVerdict> =>
      (await check(source, context, info)) === undefined ? 'DELIVER' : 'END';
    const guarded = (stream: unknown): unknown =>
      isAsyncIterable(stream)
        ? guardStream(stream, judge, (error) => report(error, `${info.parentType.name}.${info.fieldName}`))
        : stream;
    const stream = start(source, args, context, info);
    return isPromise(stream) ? Promise.resolve(stream).then(guarded) : guarded(stream);
  };
}

/** The error says where in the document it is denied, since its path can only be that of a root field. */
function refusalOf(enforcer: Enforcer, { node, by }: OperationDenial): Refusal {
  if (by !== undefined) publish(enforcer, by);
  return () => {
    const { message, extensions } = by === undefined ? notAuthenticated() : denialError(enforcer, by.call, by.denied);
    return new GraphQLError(message, { nodes: node, extensions });
  };
}

function publish({ evaluator }: Enforcer, { denied, call }: NonNullable<OperationDenial['by']>): void {
  const { rule, decision, isTold } = denied;
  // That a caller was told of a login is an event of its own.
  if (isTold) return;
  if (rule.principalOnly) void evaluator.decide(rule, call, aboutOf(denied, call));
  else evaluator.publish(rule, call, decision);
}

function entry<Key extends object, Value>(map: WeakMap<Key, Value>, key: Key, make: () => Value): Value {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}
