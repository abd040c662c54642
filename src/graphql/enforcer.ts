import { isPromise, type MaybePromise, type Principal } from '../core/index.ts';
import type { AuthContext } from './auth-context.ts';
import { notAuthenticated, notAuthorized } from './denial.ts';
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
}

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
  if (field.gate !== undefined) steps.push({ rule: field.gate, about: { resource: undefined }, onDeny: 'ERROR' });
  for (const { rule, resource } of present) steps.push({ rule, about: { resource }, onDeny: 'ERROR' });
  for (const { rule, from, onDeny } of field.before) {
    steps.push({ rule, about: { resource: from === 'ARGS' ? args : parent }, onDeny });
  }
  const denial = firstDenial(enforcer.evaluator, call, steps);
  return isPromise(denial) ? denial.then(admission) : admission(denial);
}

/** The first step in order that denies. */
export function firstDenial(
  evaluator: Evaluator,
  call: Call,
  steps: readonly Step[],
): MaybePromise<AuthDenial | undefined> {
  const from = (start: number): MaybePromise<AuthDenial | undefined> => {
    for (let index = start; ; index++) {
      const step = steps[index];
      if (step === undefined) return undefined;
      const answer = evaluator.decide(step.rule, call, step.about);
      if (isPromise(answer)) {
        return answer.then((decision) => (decision.allowed ? from(index + 1) : step.onDeny));
      }
      if (!answer.allowed) return step.onDeny;
    }
  };
  return from(0);
}

function admission(denial: AuthDenial | undefined): Admission {
  switch (denial) {
    case undefined:
      return 'OPEN';
    case 'NULL':
    case 'MASK':
      return denial;
    default:
      throw notAuthorized();
  }
}
