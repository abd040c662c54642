import diagnostics from 'node:diagnostics_channel';
import { configInvalid } from '../../core/config-invalid.ts';
import {
  allow,
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
} from '../../core/index.ts';
import { meetsStepUp } from '../../core/step-up.ts';
import type { AuthContext } from '../auth-context.ts';
import type { Policies, Policy, PolicyInput } from '../policies.ts';
import type { Rule } from '../rules/rule.ts';
import { createBounded } from './bounded.ts';
import type { About, Call } from './call.ts';
import type { DecisionPointPolicy } from './decision-point-policy.ts';
import { type Memos, once } from './memo.ts';
import { ownerDecision } from './owner.ts';
import { createPoints } from './points.ts';
import type { Decided } from './resource-memo.ts';

export interface Evaluator {
  /** Decides a rule where it is enforced, and publishes the decision if it is a new one. */
  decide(rule: Rule, call: Call, about: About): MaybePromise<Decision>;
  /** Decides a rule without a word about it. */
  consider(rule: Rule, call: Call, about: About): MaybePromise<Decision>;
  /** Publishes a decision that was considered and is obeyed after all. */
  publish(rule: Rule, call: Call, decision: Decision): void;
}

export interface EvaluatorOptions {
  readonly pdp: PolicyDecisionPoint;
  readonly policies: Policies<never>;
  readonly timeoutMs: number;
  /** Whether what is decided is obeyed, which the events tell. */
  readonly isEnforced: boolean;
  readonly memos: Memos;
  readonly report: (error: unknown, coordinate: string) => void;
}

/**
 * Decides rules. The logic has three values: a decision that is indeterminate (an error, a late answer, a
 * missing owner) is unknown; `not` and `any` keep it unknown, and unknown never allows.
 */
export function createEvaluator({ pdp, policies, timeoutMs, isEnforced, memos, report }: EvaluatorOptions): Evaluator {
  const channel = diagnostics.channel(DECISION_CHANNEL);
  const named = new Map(Object.entries(policies));
  const bounded = createBounded({ timeoutMs, report });
  const points = createPoints({ pdp, timeoutMs, report, environmentOf, bounded });

  function environmentOf(call: Call): Environment {
    const memo = memos.of(call.principal);
    memo.environment ??= momentOf(call.auth);
    return memo.environment;
  }

  function part(rule: Rule, call: Call, about: About): MaybePromise<Decision> {
    if (!rule.principalOnly) return settle(rule, call, about);
    const { parts } = memos.of(call.principal);
    return parts[rule.index] ?? partOnce(parts, rule, call, about);
  }

  // Closures that few calls need are made in functions of their own: elsewhere they would cost every call.

  function partOnce(parts: Decided, rule: Rule, call: Call, about: About): MaybePromise<Decision> {
    return once(parts, rule, () => settle(rule, call, about));
  }

  function settle(rule: Rule, call: Call, about: About): MaybePromise<Decision> {
    switch (rule.kind) {
      case 'authenticated':
        return allow('rule');
      case 'never':
        return deny('no_rule');
      case 'role':
        return role(rule.name, call);
      case 'scope':
        return scope(rule.name, call);
      case 'stepUp':
        return login(rule.stepUp, call);
      case 'permission':
        return points.permission(rule.name, call);
      case 'policy':
        return policy(rule, call, about);
      case 'owner':
        return owner(rule.path, call, about);
      case 'all':
        return weigh(rule.rules, call, about, isRefused);
      case 'any':
        return weigh(rule.rules, call, about, isGranted);
      case 'not': {
        const answer = part(rule.rule, call, about);
        return isPromise(answer) ? answer.then(inverted) : inverted(answer);
      }
    }
  }

  function role(name: string, call: Call): MaybePromise<Decision> {
    return bounded(call, () => held(call.principal.roles, name, 'no_permission'));
  }

  function scope(name: string, call: Call): MaybePromise<Decision> {
    return bounded(call, () => held(call.principal.scopes ?? [], name, 'insufficient_scope'));
  }

  function login(stepUp: StepUp, call: Call): MaybePromise<Decision> {
    return bounded(call, () => loginDecision(call.principal, stepUp, environmentOf(call).time));
  }

  function owner(path: readonly string[], { principal, coordinate }: Call, { resource }: About): Decision {
    try {
      return ownerDecision(principal, resource, path);
    } catch (error) {
      report(error, coordinate);
      return deny('error');
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

  function policy(rule: Rule & { readonly name: string }, call: Call, about: About): MaybePromise<Decision> {
    const definition = named.get(rule.name);
    if (definition === undefined) return deny('error');
    // A resolver may ask about a field and not say of which object: about nothing, nothing is known.
    if (about.resource === undefined || about.resource === null) return deny('undefined_decision');
    if (typeof definition === 'function') return asked(definition, call, about);
    const known = memos.of(call.principal).resources.decisions(about.resource, call);
    return known?.[rule.index] ?? policyOnce(definition, known, rule, call, about);
  }

  function asked(definition: Policy<never>, call: Call, about: About): MaybePromise<Decision> {
    return bounded(call, () => definition(inputOf(call, about)));
  }

  function policyOnce(
    definition: DecisionPointPolicy<never>,
    known: Decided | undefined,
    rule: Rule,
    call: Call,
    about: About,
  ): MaybePromise<Decision> {
    const decide = (): MaybePromise<Decision> => points.policy(definition, call, about.resource);
    return known === undefined ? decide() : once(known, rule, decide);
  }

  function inputOf(call: Call, { resource, result }: About): PolicyInput<never> {
    const { principal, context, args, parent, coordinate } = call;
    const environment = environmentOf(call);
    return { principal, context: context as never, args, parent, resource, result, environment, coordinate };
  }

  function enforced(rule: Rule, call: Call, about: About): MaybePromise<Decision> {
    const answer = part(rule, call, about);
    return isPromise(answer) ? publishedLater(rule, call, answer) : published(rule, call, answer);
  }

  function publishedLater(rule: Rule, call: Call, answer: Promise<Decision>): Promise<Decision> {
    return answer.then((decision) => published(rule, call, decision));
  }

  function enforcedOnce(known: Decided, rule: Rule, call: Call, about: About): MaybePromise<Decision> {
    return once(known, rule, () => enforced(rule, call, about));
  }

  /** Observing a decision never changes it. */
  function published(rule: Rule, call: Call, decision: Decision): Decision {
    if (channel.hasSubscribers) publishEvent(rule, call, decision);
    return decision;
  }

  function publishEvent(rule: Rule, call: Call, decision: Decision): void {
    try {
      const resource = { type: 'graphql', id: call.coordinate, attributes: { rule: rule.text } };
      const request = { subject: call.principal, action: 'resolve', resource, environment: environmentOf(call) };
      const { requestId } = call.auth;
      publishDecision({
        point: call.coordinate,
        request,
        decision,
        ...(!isEnforced && { enforced: false }),
        ...(requestId !== undefined && { requestId }),
      });
    } catch (error) {
      report(error, call.coordinate);
    }
  }

  return {
    decide(rule, call, about) {
      if (!rule.principalOnly) return enforced(rule, call, about);
      const { enforced: known } = memos.of(call.principal);
      return known[rule.index] ?? enforcedOnce(known, rule, call, about);
    },
    consider: part,
    publish: published,
  };
}

function momentOf(auth: AuthContext): Environment {
  if (typeof auth.environment !== 'function') throw configInvalid('auth.environment', 'must be a function');
  return auth.environment();
}

function isRefused(decision: Decision): boolean {
  return !decision.allowed && !isOpen(decision);
}

function isGranted({ allowed }: Decision): boolean {
  return allowed;
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
