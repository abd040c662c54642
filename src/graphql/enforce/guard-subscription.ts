import { isPromise, withDeadline } from '../../core/index.ts';
import type { FieldPlan } from '../compile/plan.ts';
import { isAsyncIterable } from './async-iterable.ts';
import { notAuthenticated } from './denial.ts';
import { callOf, createAdmit, type Enforcer, firstDenial, principalOf } from './enforcer.ts';
import type { Resolver } from './guard-field.ts';
import { type EventVerdict, guardStream } from './guard-stream.ts';

/**
 * Decides before the source of a subscription starts, and again before every event: with a principal that is
 * authenticated anew and nothing remembered. What was needed to start is needed to go on.
 *
 * @param resolve - the field's own resolver, to learn what an event resolves to
 */
export function guardSubscription(
  enforcer: Enforcer,
  field: FieldPlan,
  subscribe: Resolver,
  resolve: Resolver,
): Resolver {
  const admit = createAdmit(enforcer, field);
  const filters = field.listDepth > 0 ? [] : field.after.filter(({ onDeny }) => onDeny === 'FILTER');

  return (source, args, context, info) => {
    const auth = enforcer.authOf(context);
    const subscriber = principalOf(auth);
    const id = subscriber?.id;

    const guarded = (stream: unknown): unknown =>
      isAsyncIterable(stream)
        ? guardStream(stream, judge, (error) => enforcer.report(error, field.coordinate), auth?.signal)
        : stream;

    const judge = async (event: unknown): Promise<EventVerdict> => {
      try {
        if (subscriber !== undefined && !(await renew(enforcer, context, id))) return 'END';
      } catch (error) {
        enforcer.report(error, field.coordinate);
        return 'END';
      }
      try {
        await admit(source, args, context, info);
      } catch {
        return 'END';
      }
      return (await isFiltered(event)) ? 'SKIP' : 'DELIVER';
    };

    const isFiltered = async (event: unknown): Promise<boolean> => {
      if (filters.length === 0) return false;
      const call = callOf(enforcer, field.coordinate, event, args, context, info);
      if (call === undefined) return true;
      let result: unknown;
      try {
        result = await resolve(event, args, context, info);
      } catch {
        // The resolver fails again when the event is executed, and is reported there.
        return false;
      }
      if (result === null || result === undefined || result instanceof Error) return false;
      const about = { resource: result, result };
      const steps = filters.map(({ rule, onDeny }) => ({ rule, onDeny, about }));
      return (await firstDenial(enforcer.evaluator, call, steps)) !== undefined;
    };

    const start = (): unknown => {
      // The login may have ended while it was decided what it may do.
      if (auth?.signal?.aborted === true) throw notAuthenticated();
      const stream = subscribe(source, args, context, info);
      return isPromise(stream) ? Promise.resolve(stream).then(guarded) : guarded(stream);
    };

    const admission = admit(source, args, context, info);
    return isPromise(admission) ? admission.then(start) : start();
  };
}

/** Authenticates anew and forgets what was decided; false when the subscriber is no longer who it was. */
async function renew(enforcer: Enforcer, context: unknown, id: string | undefined): Promise<boolean> {
  const { memos, timeoutMs, authOf } = enforcer;
  const auth = authOf(context);
  const former = principalOf(auth);
  if (auth === undefined || former === undefined) return false;
  if (auth.reauthenticate !== undefined) {
    const late = (): Error => new Error('A subscriber was not authenticated anew in time');
    const answer = await withDeadline(Promise.resolve(auth.reauthenticate()), timeoutMs, late);
    // Fields of the last event may still be resolving: they must not be decided for someone else.
    auth.principal = answer?.id === id ? answer : undefined;
    if (authOf(context)?.principal !== auth.principal) {
      throw new Error('A subscription must have one AuthContext: what reauthenticate answered was lost');
    }
  }
  const current = principalOf(auth);
  if (current === undefined || current.id !== id) return false;
  memos.forget(former);
  memos.forget(current);
  return true;
}
