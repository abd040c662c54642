import type { GraphQLError } from 'graphql';
import { type Decision, isIndeterminate, isPromise, type MaybePromise, type Principal } from '../core/index.ts';
import { publishStepUp } from '../core/step-up.ts';
import type { AuthContext } from './auth-context.ts';
import { insufficientLogin, notAuthenticated, notAuthorized } from './denial.ts';
import type { About, Call, Evaluator } from './evaluate.ts';
import type { Memos } from './memo.ts';
import type { FieldPlan, SchemaPlan } from './plan.ts';
import { presentInput } from './present-input.ts';
import type { Rule } from './rule.ts';
import type { AuthDenial } from './rule-arguments.ts';

/** What all guards of one schema share. */
export interface Enforcer {
  readonly plan: SchemaPlan;
  readonly memos: Memos;
  readonly evaluator: Evaluator;
  readonly timeoutMs: number;
  /** The host's AuthContext of an operation; `undefined` also when the host fails to give it. */
  authOf(context: unknown): AuthContext | undefined;
  /** Tells the host of an error that a client does not get to see. */
  report(error: unknown, coordinate: string): void;
}

/** How a field is entered: as it is, not at all (it is null), or behind its mask. */
export type Admission = 'OPEN' | 'NULL' | 'MASK';

/** One rule to be decided on the way, and what happens when it denies. */
export interface Step {
  readonly rule: Rule;
  readonly about: About;
  readonly onDeny: AuthDenial;
  /** Whether who is denied is told which login would do. */
  readonly isTold?: true;
}

/** A step that denied. */
export interface Denied extends Step {
  readonly decision: Decision;
}

const NOTHING: About = { resource: undefined };

/** The principal of an operation, if it has one worth the name. */
export function principalOf(auth: AuthContext | undefined): Principal | undefined {
  const principal: unknown = auth?.principal;
  return typeof principal === 'object' && principal !== null ? auth?.principal : undefined;
}

/** A field being resolved, if by a known principal. */
export function callOf(
  { authOf }: Enforcer,
  coordinate: string,
  [parent, args, context]: readonly [unknown, Readonly<Record<string, unknown>>, unknown],
): Call | undefined {
  const auth = authOf(context);
  const principal = principalOf(auth);
  if (auth === undefined || principal === undefined) return undefined;
  return { coordinate, principal, auth, context, args, parent };
}

/** Decides all that must be decided before the resolver runs; throws the error where a rule denies with one. */
export function admit(
  enforcer: Enforcer,
  field: FieldPlan,
  parent: unknown,
  args: Record<string, unknown>,
  context: unknown,
): MaybePromise<Admission> {
  const present = field.input.length === 0 ? [] : presentInput(field.input, args, enforcer.plan.inputTypes);
  if (field.gate === undefined && present.length === 0) return 'OPEN';
  const call = callOf(enforcer, field.coordinate, [parent, args, context]);
  if (call === undefined) throw notAuthenticated();
  const steps: Step[] = [];
  let logins = field.stepUp === undefined ? undefined : [loginStep(field.stepUp)];
  if (field.gate !== undefined) steps.push({ rule: field.gate, about: NOTHING, onDeny: 'ERROR' });
  for (const { rule, resource } of present) {
    if (rule.kind === 'stepUp') logins = [...(logins ?? []), loginStep(rule)];
    else steps.push({ rule, about: { resource }, onDeny: 'ERROR' });
  }
  for (const { rule, from, onDeny } of field.before) {
    // A login is asked for only of those for whom it is worth while: after all that deny with an error.
    if (onDeny !== 'ERROR' && logins !== undefined) {
      steps.push(...logins);
      logins = undefined;
    }
    steps.push({ rule, about: { resource: from === 'ARGS' ? args : parent }, onDeny });
  }
  if (logins !== undefined) steps.push(...logins);
  const denial = firstDenial(enforcer.evaluator, call, steps);
  const admission = (denied: Denied | undefined): Admission => admissionOf(enforcer, call, denied);
  return isPromise(denial) ? denial.then(admission) : admission(denial);
}

/** A demand on the login that the caller is told of. */
export function loginStep(rule: Rule): Step {
  return { rule, about: NOTHING, onDeny: 'ERROR', isTold: true };
}

/** The first step in order that denies. */
export function firstDenial(
  evaluator: Evaluator,
  call: Call,
  steps: readonly Step[],
): MaybePromise<Denied | undefined> {
  const from = (start: number): MaybePromise<Denied | undefined> => {
    for (let index = start; ; index++) {
      const step = steps[index];
      if (step === undefined) return undefined;
      // That a caller was told is an event of its own, in place of the decision.
      const answer = step.isTold
        ? evaluator.consider(step.rule, call, step.about)
        : evaluator.decide(step.rule, call, step.about);
      if (isPromise(answer)) {
        return answer.then((decision) => (decision.allowed ? from(index + 1) : { ...step, decision }));
      }
      if (!answer.allowed) return { ...step, decision: answer };
    }
  };
  return from(0);
}

function admissionOf(enforcer: Enforcer, call: Call, denied: Denied | undefined): Admission {
  if (denied === undefined) return 'OPEN';
  switch (denied.onDeny) {
    case 'NULL':
    case 'MASK':
      return denied.onDeny;
    default:
      throw denialError(enforcer, call, denied);
  }
}

/** What a caller gets whom a step denied with an error; the event tells once per principal what login was asked for. */
export function denialError({ memos }: Enforcer, call: Call, { rule, isTold, decision }: Denied): GraphQLError {
  if (isTold !== true || rule.kind !== 'stepUp' || isIndeterminate(decision)) return notAuthorized();
  const memo = memos.of(call.principal);
  memo.told ??= new Set();
  if (!memo.told.has(rule)) {
    memo.told.add(rule);
    const { ip } = memo.environment ?? {};
    publishStepUp(call.principal, { point: call.coordinate, ip, requestId: call.auth.requestId });
  }
  return insufficientLogin(rule.stepUp);
}
