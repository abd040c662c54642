import { isPromise, type MaybePromise } from '../../core/index.ts';
import type { FieldPlan } from '../compile/plan.ts';
import type { Call } from '../decide/call.ts';
import { isAsyncIterable } from './async-iterable.ts';
import { notAuthorized } from './denial.ts';
import { type Enforcer, firstDenial } from './enforcer.ts';

const REMOVED: unique symbol = Symbol('removed');

/** Applies the rules with `from: RESULT` to what a field resolved to: to each item, where it is a list. */
export function guardResult(enforcer: Enforcer, field: FieldPlan, call: Call, value: unknown): MaybePromise<unknown> {
  const removes = field.after.some(({ onDeny }) => onDeny === 'FILTER');
  let isWaitedFor = false;

  function guarded(value: unknown, depth: number): MaybePromise<unknown> {
    const shown = guardedValue(value, depth);
    if (isPromise(shown) || shown instanceof Error) isWaitedFor = true;
    return shown;
  }

  function guardedValue(value: unknown, depth: number): MaybePromise<unknown> {
    if (isPromise(value)) return Promise.resolve(value).then((settled) => guarded(settled, depth));
    // Nothing is there to decide on; an error is for the executor to report.
    if (value === null || value === undefined || value instanceof Error) return value;
    if (depth === 0) return decided(value);
    if (isIterable(value)) return items(Array.from(value, (item) => guarded(item, depth - 1)));
    return isAsyncIterable(value) ? streamed(value, depth - 1) : value;
  }

  function decided(item: unknown): MaybePromise<unknown> {
    const about = { resource: item, result: item };
    const steps = field.after.map(({ rule, onDeny }) => ({ rule, onDeny, about }));
    const denial = firstDenial(enforcer.evaluator, call, steps);
    const shown = (denied: Awaited<typeof denial>): unknown => {
      switch (denied?.onDeny) {
        case undefined:
          return item;
        case 'NULL':
          return null;
        case 'MASK':
          return masked(enforcer, field, item);
        case 'FILTER':
          return field.listDepth > 0 ? REMOVED : notAuthorized();
        case 'ERROR':
          return notAuthorized();
      }
    };
    return isPromise(denial) ? denial.then(shown) : shown(denial);
  }

  /**
   * Items may stay promises, so that one that fails costs that item only; to leave some out all must be known. One
   * promise or error makes promises of all: the executor, which may give up at an error that it meets at once, must
   * not leave a promise behind to which nobody listens.
   */
  function items(list: readonly unknown[]): MaybePromise<unknown> {
    if (!removes || !list.some(isPromise)) return kept(list);
    const settled = list.map((item) => Promise.resolve(item).catch(asError));
    return Promise.all(settled).then(kept);
  }

  function kept(list: readonly unknown[]): readonly unknown[] {
    const items = removes ? list.filter((item) => item !== REMOVED) : list;
    return isWaitedFor ? items.map((item) => Promise.resolve(item)) : items;
  }

  async function* streamed(source: AsyncIterable<unknown>, depth: number): AsyncGenerator<unknown> {
    for await (const item of source) {
      const shown = await guarded(item, depth);
      if (shown !== REMOVED) yield shown;
    }
  }

  return guarded(value, field.listDepth);
}

/** What the mask of a field makes of a value; an error stays one, and if the mask fails, nothing is shown. */
export function masked({ report }: Enforcer, { mask, coordinate, listDepth }: FieldPlan, value: unknown): unknown {
  if (value instanceof Error) return value;
  listenTo(value, listDepth);
  const failed = (error: unknown): Error => {
    report(error, coordinate);
    return notAuthorized();
  };
  try {
    const shown = mask === undefined ? notAuthorized() : mask.apply(value);
    return isPromise(shown) ? Promise.resolve(shown).catch(failed) : shown;
  } catch (error) {
    return failed(error);
  }
}

/** What a mask leaves out of a list nobody waits for, and it may fail: unheard, that would end the process. */
function listenTo(value: unknown, depth: number): void {
  if (isPromise(value)) {
    const settled = Promise.resolve(value);
    settled.then(
      (item) => listenTo(item, depth),
      () => undefined,
    );
  } else if (depth > 0 && Array.isArray(value)) {
    for (const item of value) listenTo(item, depth - 1);
  }
}

/** A list as the executor takes it, where a list is expected. */
export function isIterable(value: unknown): value is Iterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.iterator in value;
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error('A list item failed', { cause: error });
}
