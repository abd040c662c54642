import type { GraphQLResolveInfo } from 'graphql';
import { type Decision, deny, isPromise, type MaybePromise, type Principal } from '../../core/index.ts';
import type { FieldPlan } from '../compile/plan.ts';
import type { Rule } from '../rules/rule.ts';
import type { AuthDenial } from '../rules/rule-arguments.ts';
import { callOf, type Enforcer, firstDenial, principalOf, type Step, stepsBefore, stepsOfObject } from './enforcer.ts';
import type { TypeResolver } from './guard-abstract.ts';
import type { Resolver } from './guard-field.ts';
import { observeItems } from './observe-items.ts';
import { presentInput } from './present-input.ts';

/** A denial that a dry run did not enforce. */
export interface DryRunDenial {
  /** Where it would have been enforced: a field, or an object type that an interface or a union came out as. */
  readonly coordinate: string;
  /** The rule in words. */
  readonly rule: string;
  readonly onDeny: AuthDenial;
  /** Absent for an anonymous caller, whom every rule denies. */
  readonly decision?: Decision;
  readonly principal?: Principal;
  readonly requestId?: string;
}

export type OnDryRun = (denial: DryRunDenial) => void;

type ResolverArguments = readonly [unknown, Record<string, unknown>, unknown, GraphQLResolveInfo];

/** Stands where the guards would stand, decides what they would, and lets everything pass. */
export interface DryRun {
  /** @param isEvent - whether each call is an event of a subscription, which is decided anew */
  field(field: FieldPlan, resolve: Resolver, isEvent?: boolean): Resolver;
  abstractType(resolveType: TypeResolver): TypeResolver;
}

/** @param onDryRun - told of every denial; of those that depend on the caller only once per caller and coordinate */
export function createDryRun(enforcer: Enforcer, onDryRun: OnDryRun | undefined): DryRun {
  const { plan, evaluator, memos, authOf, report } = enforcer;
  const told = new WeakMap<object, Set<string>>();

  function tell(denial: Omit<DryRunDenial, 'rule' | 'requestId'>, rule: Rule, context: unknown): void {
    const auth = authOf(context);
    const caller = denial.principal ?? auth;
    if (caller !== undefined && (rule.principalOnly || denial.principal === undefined)) {
      const known = told.get(caller) ?? new Set();
      told.set(caller, known);
      const key = `${denial.coordinate} ${denial.onDeny} ${rule.text}`;
      if (known.has(key)) return;
      known.add(key);
    }
    const requestId = auth?.requestId;
    quietly(denial.coordinate, () =>
      onDryRun?.({ ...denial, rule: rule.text, ...(requestId !== undefined && { requestId }) }),
    );
  }

  /** Whatever goes wrong here is nothing that a caller may notice. */
  function quietly(coordinate: string, work: () => unknown): void {
    const failed = (error: unknown): void => report(error, coordinate);
    try {
      const done = work();
      if (isPromise(done)) Promise.resolve(done).catch(failed);
    } catch (error) {
      failed(error);
    }
  }

  /** Tells the first step that denies; whether there is none, or one that still shows something. */
  function judge(coordinate: string, steps: readonly Step[], call: ResolverArguments): MaybePromise<boolean> {
    const [first] = steps;
    if (first === undefined) return true;
    const known = callOf(enforcer, coordinate, ...call);
    if (known === undefined) {
      tell({ coordinate, onDeny: 'ERROR' }, first.rule, call[2]);
      return false;
    }
    const { principal } = known;
    // A demand on the login is a decision like any other: nobody is told to log in again.
    const plain = steps.map(({ rule, about, onDeny }) => ({ rule, about, onDeny }));
    const denial = firstDenial(evaluator, known, plain);
    const passed = (denied: Awaited<typeof denial>): boolean => {
      if (denied === undefined) return true;
      const { rule, decision, onDeny } = denied;
      tell({ coordinate, onDeny, decision, principal }, rule, call[2]);
      return onDeny === 'MASK';
    };
    return isPromise(denial) ? denial.then(passed) : passed(denial);
  }

  function before(field: FieldPlan, call: ResolverArguments): MaybePromise<boolean> {
    const [, args] = call;
    try {
      const present = field.input.length === 0 ? [] : presentInput(field.input, args, plan.inputTypes);
      if (field.gate === undefined && present.length === 0) return true;
      const judged = judge(field.coordinate, stepsBefore(field, present), call);
      return isPromise(judged) ? judged.catch((error: unknown) => unjudged(error, field.coordinate)) : judged;
    } catch (error) {
      return unjudged(error, field.coordinate);
    }
  }

  function unjudged(error: unknown, coordinate: string): boolean {
    report(error, coordinate);
    return false;
  }

  function judgeItem(field: FieldPlan, admitted: MaybePromise<boolean>, call: ResolverArguments, item: unknown): void {
    const about = { resource: item, result: item };
    const steps = field.after.map(({ rule, onDeny }) => ({ rule, onDeny, about }));
    const decide = (isAdmitted: boolean): unknown => isAdmitted && judge(field.coordinate, steps, call);
    quietly(field.coordinate, () => (isPromise(admitted) ? admitted.then(decide) : decide(admitted)));
  }

  function ofAbstract(name: unknown, call: ResolverArguments): unknown {
    if (typeof name !== 'string' || call[3].schema.getType(name) === undefined) return undefined;
    const object = plan.objects.get(name);
    if (object !== undefined) return judge(name, stepsOfObject(object), call);
    if (!plan.objects.has(name)) tell({ coordinate: name, onDeny: 'ERROR', decision: deny('no_rule') }, NEVER, call[2]);
    return undefined;
  }

  return {
    field:
      (field, resolve, isEvent = false) =>
      (source, args, context, info) => {
        const call: ResolverArguments = [source, args, context, info];
        const principal = isEvent ? principalOf(authOf(context)) : undefined;
        if (principal !== undefined) memos.forget(principal);
        const admitted = before(field, call);
        const value = resolve(source, args, context, info);
        if (field.after.length === 0) return value;
        return observeItems(value, field.listDepth, (item) => judgeItem(field, admitted, call, item));
      },
    abstractType: (resolveType) => (value, context, info, abstractType) => {
      const name = resolveType(value, context, info, abstractType);
      const call: ResolverArguments = [value, {}, context, info];
      const look = (settled: unknown): void => quietly(info.fieldName, () => ofAbstract(settled, call));
      if (!isPromise(name)) {
        look(name);
        return name;
      }
      const settled = Promise.resolve(name);
      settled.then(look, () => undefined);
      return settled;
    },
  };
}

const NEVER: Rule = { kind: 'never', text: 'never', index: -1, principalOnly: true };
