import type { GraphQLError, GraphQLResolveInfo } from 'graphql';
import { type Decision, isIndeterminate, isPromise, type MaybePromise, type Principal } from '../../core/index.ts';
import { publishStepUp } from '../../core/step-up.ts';
import type { AuthContext } from '../auth-context.ts';
import type { FieldPlan, ObjectPlan, SchemaPlan } from '../compile/plan.ts';
import type { About, Call } from '../decide/call.ts';
import type { Evaluator } from '../decide/evaluate.ts';
import type { Memos } from '../decide/memo.ts';
import type { Rule } from '../rules/rule.ts';
import type { AuthDenial } from '../rules/rule-arguments.ts';
import { insufficientLogin, notAuthenticated, notAuthorized } from './denial.ts';
import { type PresentRule, presentInput } from './present-input.ts';

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
  /** The parent and the arguments are those of the call. */
  readonly about: About | 'PARENT' | 'ARGS';
  readonly onDeny: AuthDenial;
  /** Whether who is denied is told which login would do. */
  readonly isTold?: true;
  /** Of a rule on an input: whether it asks for the caller alone, or looks at what was given. */
  readonly ofInput?: 'CALLER' | 'VALUE';
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
  parent: unknown,
  args: Readonly<Record<string, unknown>>,
  context: unknown,
  info: GraphQLResolveInfo | undefined,
): Call | undefined {
  const auth = authOf(context);
  const principal = principalOf(auth);
  if (auth === undefined || principal === undefined) return undefined;
  return { coordinate, principal, auth, context, args, parent, info };
}

/** Decides all that must be decided before a resolver runs; throws the error where a rule denies with one. */
export type Admit = (
  parent: unknown,
  args: Record<string, unknown>,
  context: unknown,
  info: GraphQLResolveInfo,
) => MaybePromise<Admission>;

/** Makes the function that lets callers into a field. */
export function createAdmit(enforcer: Enforcer, field: FieldPlan): Admit {
  const { evaluator, plan } = enforcer;
  const stepsWithoutInput = stepsBefore(field, []);
  return (parent, args, context, info) => {
    const present = field.input.length === 0 ? undefined : presentInput(field.input, args, plan.inputTypes);
    const steps = present === undefined || present.length === 0 ? stepsWithoutInput : stepsBefore(field, present);
    if (steps.length === 0) return 'OPEN';
    const call = callOf(enforcer, field.coordinate, parent, args, context, info);
    if (call === undefined) throw notAuthenticated();
    const denial = firstDenial(evaluator, call, steps);
    if (denial === undefined) return 'OPEN';
    return isPromise(denial) ? admittedLater(enforcer, call, denial) : admissionOf(enforcer, call, denial);
  };
}

// Closures that few calls need are made in functions of their own: elsewhere they would cost every call.

function admittedLater(enforcer: Enforcer, call: Call, denial: Promise<Denied | undefined>): Promise<Admission> {
  return denial.then((denied) => admissionOf(enforcer, call, denied));
}

/** What is to be decided before the resolver runs, in order. */
export function stepsBefore(field: FieldPlan, present: readonly PresentRule[]): readonly Step[] {
  const steps: Step[] = [];
  let logins = field.stepUp === undefined ? undefined : [loginStep(field.stepUp)];
  if (field.gate !== undefined) steps.push({ rule: field.gate, about: NOTHING, onDeny: 'ERROR' });
  for (const { rule, resource } of present) {
    if (rule.kind === 'stepUp') logins = [...(logins ?? []), loginStep(rule)];
    else steps.push({ rule, about: { resource }, onDeny: 'ERROR', ofInput: rule.principalOnly ? 'CALLER' : 'VALUE' });
  }
  for (const { rule, from, onDeny } of field.before) {
    // A login is asked for only of those for whom it is worth while: after all that deny with an error.
    if (onDeny !== 'ERROR' && logins !== undefined) {
      steps.push(...logins);
      logins = undefined;
    }
    steps.push({ rule, about: from === 'ARGS' ? from : 'PARENT', onDeny });
  }
  if (logins !== undefined) steps.push(...logins);
  return steps;
}

/** What is to be decided before an object of an interface or a union is told. */
export function stepsOfObject({ gate, stepUp }: ObjectPlan): readonly Step[] {
  const step: Step = { rule: gate, about: NOTHING, onDeny: 'ERROR' };
  return stepUp === undefined ? [step] : [step, loginStep(stepUp)];
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
  start = 0,
): MaybePromise<Denied | undefined> {
  for (let index = start; index < steps.length; index++) {
    const step = steps[index] as Step;
    const answer = decisionOf(evaluator, call, step);
    if (isPromise(answer)) return deniedLater(evaluator, call, steps, index, answer);
    if (!answer.allowed) return { ...step, decision: answer };
  }
  return undefined;
}

/**
 * Whether a step may be decided together with the one before it, of which the answer is not there yet. What callers
 * give is not looked at before it is known that they may give it.
 */
export function isDecidedWith({ ofInput }: Step, before: Step): boolean {
  return ofInput !== undefined && ofInput === before.ofInput;
}

/** @param answer - to the step at `index`; the inputs that follow are decided with it, not one after another */
async function deniedLater(
  evaluator: Evaluator,
  call: Call,
  steps: readonly Step[],
  index: number,
  answer: Promise<Decision>,
): Promise<Denied | undefined> {
  const answers: MaybePromise<Decision>[] = [answer];
  const first = steps[index] as Step;
  for (let next = index + 1; next < steps.length; next++) {
    const step = steps[next] as Step;
    if (!isDecidedWith(step, first)) break;
    answers.push(decisionOf(evaluator, call, step));
  }
  const decisions = answers.length === 1 ? [await answer] : await Promise.all(answers);
  const place = decisions.findIndex(({ allowed }) => !allowed);
  const decision = decisions[place];
  if (decision !== undefined) return { ...(steps[index + place] as Step), decision };
  return firstDenial(evaluator, call, steps, index + answers.length);
}

function decisionOf(evaluator: Evaluator, call: Call, step: Step): MaybePromise<Decision> {
  const { rule, isTold } = step;
  const about = aboutOf(step, call);
  // That a caller was told is an event of its own, in place of the decision.
  return isTold ? evaluator.consider(rule, call, about) : evaluator.decide(rule, call, about);
}

/** What a step looks at. */
export function aboutOf({ about }: Step, { parent, args }: Call): About {
  if (about === 'PARENT') return { resource: parent };
  return about === 'ARGS' ? { resource: args } : about;
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
