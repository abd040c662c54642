import diagnostics from 'node:diagnostics_channel';
import {
  allow,
  ask,
  DECISION_CHANNEL,
  type Decision,
  deny,
  type Environment,
  isIndeterminate,
  isPromise,
  type MaybePromise,
  type PolicyDecisionPoint,
  type Principal,
  publishDecision,
  type StepUp,
  withDeadline,
} from '../core/index.ts';
import { meetsStepUp } from '../core/step-up.ts';
import type { AuthContext } from './auth-context.ts';
import { type Memos, once } from './memo.ts';
import { ownerDecision } from './owner.ts';
import type { Policies } from './policies.ts';
import type { Rule } from './rule.ts';

/** One field being resolved for a known principal. */
export interface Call {
  readonly coordinate: string;
  readonly principal: Principal;
  readonly auth: AuthContext;
  readonly context: unknown;
  readonly args: Readonly<Record<string, unknown>>;
  readonly parent: unknown;
}

/** What a rule is about; see `PolicyInput`. */
export interface About {
  readonly resource: unknown;
  readonly result?: unknown;
}

export interface Evaluator {
  /** Decides a rule where it is enforced, and publishes the decision if it is a new one. */
  decide(rule: Rule, call: Call, about: About): MaybePromise<Decision>;
  /** Decides a rule without a word about it. */
  consider(rule: Rule, call: Call, about: About): MaybePromise<Decision>;
}

export interface EvaluatorOptions {
  readonly pdp: PolicyDecisionPoint;
  readonly policies: Policies<never>;
  readonly timeoutMs: number;
  readonly memos: Memos;
  readonly report: (error: unknown, coordinate: string) => void;
}

/**
 * Decides rules. The logic has three values: a decision that is indeterminate (an error, a late answer, a
 * missing owner) is unknown; `not` and `any` keep it unknown, and unknown never allows.
 */
export function createEvaluator({ pdp, policies, timeoutMs, memos, report }: EvaluatorOptions): Evaluator {
  const named = new Map(Object.entries(policies));

  function environmentOf(call: Call): Environment {
    const memo = memos.of(call.principal);
    memo.environment ??= call.auth.environment();
    return memo.environment;
  }

  function part(rule: Rule, call: Call, about: About): MaybePromise<Decision> {
    if (!rule.principalOnly) return settle(rule, call, about);
    return once(memos.of(call.principal).parts, rule, () => settle(rule, call, about));
  }

  function settle(rule: Rule, call: Call, about: About): MaybePromise<Decision> {
    switch (rule.kind) {
      case 'authenticated':
        return allow('rule');
      case 'never':
        return deny('no_rule');
      case 'role':
        return bounded(call, () => held(call.principal.roles, rule.name, 'no_permission'));
      case 'scope':
        return bounded(call, () => held(call.principal.scopes ?? [], rule.name, 'insufficient_scope'));
      case 'permission':
        return bounded(call, () => permission(rule.name, call));
      case 'policy':
        return bounded(call, () => policy(rule.name, call, about));
      case 'owner':
        return bounded(call, () => ownerDecision(call.principal, about.resource, rule.path));
      case 'stepUp':
        return bounded(call, () => loginDecision(call.principal, rule.stepUp, environmentOf(call).time));
      case 'all':
        return weigh(rule.rules, call, about, (decision) => !decision.allowed && !isIndeterminate(decision));
      case 'any':
        return weigh(rule.rules, call, about, (decision) => decision.allowed);
      case 'not': {
        const answer = part(rule.rule, call, about);
        return isPromise(answer) ? answer.then(inverted) : inverted(answer);
      }
    }
  }

  /** The first decision that settles the matter, else the first that is open, else the last. */
  function weigh(
    rules: readonly Rule[],
    call: Call,
    about: About,
    settles: (decision: Decision) => boolean,
  ): MaybePromise<Decision> {
    const from = (index: number, kept: Decision): MaybePromise<Decision> => {
      const rule = rules[index];
      if (rule === undefined) return kept;
      const next = (decision: Decision): MaybePromise<Decision> => {
        if (settles(decision)) return decision;
        return from(index + 1, isOpen(kept) ? kept : decision);
      };
      const answer = part(rule, call, about);
      return isPromise(answer) ? answer.then(next) : next(answer);
    };
    return from(0, deny('no_rule'));
  }

  function permission(action: string, call: Call): MaybePromise<Decision> {
    const resource = { type: 'graphql', attributes: {} };
    return ask(pdp, { subject: call.principal, action, resource, environment: environmentOf(call) });
  }

  function policy(name: string, call: Call, about: About): unknown {
    const decide = named.get(name);
    if (decide === undefined) return deny('error');
    const { principal, context, args, parent, coordinate } = call;
    const { resource, result } = about;
    const environment = environmentOf(call);
    return decide({
      principal,
      context: context as never,
      args,
      parent,
      resource,
      result,
      environment,
      coordinate,
    });
  }

  /** Whatever goes wrong, takes too long, or is no decision is unknown. */
  function bounded(call: Call, decide: () => unknown): MaybePromise<Decision> {
    const failed = (error: unknown): Decision => {
      report(error, call.coordinate);
      return deny('error');
    };
    try {
      const answer = decide();
      if (!isPromise(answer)) return decisionOf(answer);
      const late = new Error('An authorization policy did not answer in time');
      return withDeadline(Promise.resolve(answer).then(decisionOf), timeoutMs, () => late).catch((error: unknown) => {
        const unknown = failed(error);
        return error === late ? deny('timeout') : unknown;
      });
    } catch (error) {
      return failed(error);
    }
  }

  function enforced(rule: Rule, call: Call, about: About): MaybePromise<Decision> {
    const answer = part(rule, call, about);
    return isPromise(answer)
      ? answer.then((decision) => published(rule, call, decision))
      : published(rule, call, answer);
  }

  /** Observing a decision never changes it. */
  function published(rule: Rule, call: Call, decision: Decision): Decision {
    if (!diagnostics.hasSubscribers(DECISION_CHANNEL)) return decision;
    try {
      const resource = { type: 'graphql', id: call.coordinate, attributes: { rule: rule.text } };
      const request = { subject: call.principal, action: 'resolve', resource, environment: environmentOf(call) };
      const { requestId } = call.auth;
      publishDecision({ point: call.coordinate, request, decision, ...(requestId !== undefined && { requestId }) });
    } catch (error) {
      report(error, call.coordinate);
    }
    return decision;
  }

  return {
    decide(rule, call, about) {
      if (!rule.principalOnly) return enforced(rule, call, about);
      return once(memos.of(call.principal).enforced, rule, () => enforced(rule, call, about));
    },
    consider: part,
  };
}

function loginDecision(principal: Principal, stepUp: StepUp, time: number): Decision {
  return meetsStepUp(principal, stepUp, time) ? allow('rule') : deny('insufficient_user_authentication');
}

function held(names: unknown, name: string, otherwise: 'no_permission' | 'insufficient_scope'): Decision {
  if (!Array.isArray(names)) return deny('invalid_answer');
  return names.includes(name) ? allow('permission') : deny(otherwise);
}

/** Neither "yes" nor "no" about the principal: unknown, or more than the client may do for it. */
function isOpen(decision: Decision): boolean {
  return isIndeterminate(decision) || decision.reason === 'insufficient_scope';
}

/** Scopes only narrow: what a client may not do for its user is not what the user must not be. */
function inverted(decision: Decision): Decision {
  if (isOpen(decision)) return decision;
  return decision.allowed ? deny('rule') : allow('rule');
}

function decisionOf(answer: unknown): Decision {
  if (answer === true) return allow('rule');
  if (answer === false) return deny('rule');
  return isDecision(answer) ? answer : deny('invalid_answer');
}

function isDecision(answer: unknown): answer is Decision {
  if (typeof answer !== 'object' || answer === null || !Object.hasOwn(answer, 'allowed')) return false;
  return 'allowed' in answer && typeof answer.allowed === 'boolean';
}
