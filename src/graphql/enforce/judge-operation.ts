import {
  type FieldNode,
  GraphQLIncludeDirective,
  type GraphQLResolveInfo,
  GraphQLSkipDirective,
  getArgumentValues,
  getDirectiveValues,
} from 'graphql';
import { type Decision, deny, isPromise, type MaybePromise, type Principal } from '../../core/index.ts';
import type { AuthContext } from '../auth-context.ts';
import type { FieldPlan } from '../compile/plan.ts';
import type { Call } from '../decide/call.ts';
import type { AuthDenial } from '../rules/rule-arguments.ts';
import {
  aboutOf,
  type Denied,
  type Enforcer,
  isDecidedWith,
  type Step,
  stepsBefore,
  stepsOfObject,
} from './enforcer.ts';
import type { OperationPlan, PossibleObject, Selected, SelectedField, SelectedPart } from './operation-plan.ts';
import { presentInput } from './present-input.ts';

/** Why an operation is refused. */
export interface OperationDenial {
  /** The selection that is denied whenever it is reached. */
  readonly node: FieldNode;
  readonly coordinate: string;
  /** What denied, and to whom; absent when a rule asks for a principal and there is none. */
  readonly by: { readonly denied: Denied; readonly call: Call } | undefined;
}

/** One execution of an operation. */
export interface Execution {
  readonly source: unknown;
  readonly context: unknown;
  readonly info: GraphQLResolveInfo;
  readonly auth: AuthContext | undefined;
  readonly principal: Principal | undefined;
}

interface Asked {
  readonly call: Call | undefined;
  readonly steps: readonly Step[];
}

/**
 * Finds a denial that is certain before anything runs: of rules that ask only for the principal, and on root
 * fields of rules on the arguments too. What depends on data is left to the guards of the fields. An object of
 * an interface or a union denies only if every type that it can have denies.
 *
 * Decisions that are not there at once are asked for together, and then the operation is walked again.
 */
export function judgeOperation(
  { evaluator, plan: { inputTypes } }: Enforcer,
  { root, rules, isPlain }: OperationPlan,
  { source, context, info, auth, principal }: Execution,
): MaybePromise<OperationDenial | undefined> {
  const decided = new Map<object, Decision>();
  const asked = new Map<object, Asked>();
  let pending: Promise<unknown>[] = [];
  let seen = new Map<Selected, OperationDenial | undefined>();
  let seenPossible = new Map<SelectedField['possible'], OperationDenial | undefined>();

  function walk(): MaybePromise<OperationDenial | undefined> {
    pending = [];
    seen = new Map();
    seenPossible = new Map();
    const denial = ofSelected(root);
    const isFinal = pending.length === 0 || (denial !== undefined && !asksForLogin(denial));
    return isFinal ? denial : Promise.all(pending).then(walk);
  }

  /** Nobody is told to log in again for an operation that another rule denies all the same. */
  function ofSelected(selected: Selected): OperationDenial | undefined {
    if (seen.has(selected)) return seen.get(selected);
    seen.set(selected, undefined);
    let login: OperationDenial | undefined;
    for (const member of selected.members) {
      if (!isIncluded(member)) continue;
      const denial = member.kind === 'part' ? ofSelected(member.selected) : ofField(member);
      if (denial === undefined) continue;
      if (!asksForLogin(denial)) {
        seen.set(selected, denial);
        return denial;
      }
      login ??= denial;
    }
    seen.set(selected, login);
    return login;
  }

  function ofField(field: SelectedField): OperationDenial | undefined {
    const { node, plan, isRoot, possible } = field;
    if (plan !== undefined) {
      const verdict = ofSteps(
        remembered(field, () => fieldSteps(field, plan)),
        node,
        plan.coordinate,
        isRoot,
      );
      if (verdict !== 'OPEN') return verdict;
      if (plan.after.some(hides)) return undefined;
    }
    if (seenPossible.has(possible)) return seenPossible.get(possible);
    const denial = ofPossible(possible, node);
    seenPossible.set(possible, denial);
    return denial;
  }

  function ofPossible(possible: SelectedField['possible'], node: FieldNode): OperationDenial | undefined {
    let found: OperationDenial | undefined;
    for (const object of possible) {
      const denial = ofObject(object, node);
      if (denial === undefined) return undefined;
      if (found === undefined || asksForLogin(denial)) found = denial;
    }
    return found;
  }

  function ofObject(possible: PossibleObject, node: FieldNode): OperationDenial | undefined {
    const { name, object, selected } = possible;
    if (object !== undefined) {
      const own = remembered(possible, () => ({ call: callOf(name, {}, undefined), steps: stepsOfObject(object) }));
      const verdict = ofSteps(own, node, name, false);
      if (verdict !== 'OPEN') return verdict;
    }
    return ofSelected(selected);
  }

  /** `undefined` where the field is not denied and what is below it does not matter, or is not known yet. */
  function ofSteps(
    { call, steps }: Asked,
    node: FieldNode,
    coordinate: string,
    isRoot: boolean,
  ): OperationDenial | 'OPEN' | undefined {
    if (steps.length === 0) return 'OPEN';
    if (call === undefined) return { node, coordinate, by: undefined };
    let isOpen = false;
    let awaited: Step | undefined;
    for (const step of steps) {
      const { rule, isTold } = step;
      if (awaited !== undefined && !isDecidedWith(step, awaited)) return undefined;
      if (!isRoot && !rule.principalOnly) {
        if (hides(step)) return undefined;
        isOpen = true;
        continue;
      }
      // Another rule may deny when its data is there: a login would be for nothing.
      if (isTold && isOpen) continue;
      const decision = decisionOf(step, call);
      if (decision === undefined) awaited = step;
      if (decision === undefined || decision.allowed) continue;
      return hides(step) ? undefined : { node, coordinate, by: { denied: { ...step, decision }, call } };
    }
    return awaited === undefined ? 'OPEN' : undefined;
  }

  function decisionOf(step: Step, call: Call): Decision | undefined {
    const key = step.rule.principalOnly ? step.rule : step;
    const known = decided.get(key);
    if (known !== undefined) return known;
    const answer = evaluator.consider(step.rule, call, aboutOf(step, call));
    if (!isPromise(answer)) {
      decided.set(key, answer);
      return answer;
    }
    const settle = (decision: Decision): unknown => decided.set(key, decision);
    pending.push(answer.then(settle, () => settle(deny('error'))));
    return undefined;
  }

  function fieldSteps({ node, definition, isRoot }: SelectedField, plan: FieldPlan): Asked {
    const needsArgs = isRoot || plan.input.length > 0;
    const args = needsArgs ? argumentsOf(definition, node) : {};
    // What cannot be coerced is never resolved: the executor answers with an error of its own.
    if (args === undefined) return { call: undefined, steps: [] };
    const present = plan.input.length === 0 ? [] : presentInput(plan.input, args, inputTypes);
    const parent = isRoot ? source : undefined;
    const steps = plan.gate === undefined && present.length === 0 ? [] : stepsBefore(plan, present);
    return { call: callOf(plan.coordinate, args, parent), steps };
  }

  function argumentsOf(definition: SelectedField['definition'], node: FieldNode): Record<string, unknown> | undefined {
    try {
      return getArgumentValues(definition, node, info.variableValues);
    } catch {
      return undefined;
    }
  }

  function callOf(coordinate: string, args: Record<string, unknown>, parent: unknown): Call | undefined {
    if (auth === undefined || principal === undefined) return undefined;
    return { coordinate, principal, auth, context, args, parent, info };
  }

  /** Steps stay the same objects from walk to walk, since what was decided is kept by them. */
  function remembered(place: object, make: () => Asked): Asked {
    const known = asked.get(place);
    if (known !== undefined) return known;
    const made = make();
    asked.set(place, made);
    return made;
  }

  function isIncluded({ isConditional, node }: SelectedField | SelectedPart): boolean {
    if (!isConditional) return true;
    const { variableValues } = info;
    try {
      const { if: skips } = getDirectiveValues(GraphQLSkipDirective, node, variableValues) ?? {};
      const { if: includes } = getDirectiveValues(GraphQLIncludeDirective, node, variableValues) ?? {};
      return skips !== true && includes !== false;
    } catch {
      return true;
    }
  }

  /** The common case without a walk: whoever every rule lets through is let through. */
  function isAllowedAll(): boolean {
    for (const [rule, coordinate] of rules) {
      const call = callOf(coordinate, {}, undefined);
      const answer = call && evaluator.consider(rule, call, { resource: undefined });
      if (answer === undefined || isPromise(answer) || !answer.allowed) return false;
    }
    return true;
  }

  return isPlain && isAllowedAll() ? undefined : walk();
}

/** Whoever is denied like this gets no error, and nothing of what is below. */
function hides({ onDeny }: { readonly onDeny: AuthDenial }): boolean {
  return onDeny !== 'ERROR';
}

function asksForLogin({ by }: OperationDenial): boolean {
  return by?.denied.isTold === true;
}
