import type { AccessRequest, Decision, Trace } from '../../core/index.ts';
import type { Candidates } from './candidates.ts';
import type { CompiledRule } from './compiled-rule.ts';
import type { Seen } from './detail.ts';
import { factsOf } from './facts.ts';
import { firstIn, firstOf, type Outcomes, outcomesOf, type RuleSet, validUntil } from './rule-set.ts';
import { traceOf } from './trace.ts';

export interface DeciderOptions {
  readonly rules: readonly CompiledRule[];
  readonly candidates: Candidates<RuleSet>;
  readonly revision: string;
  readonly trace: boolean;
  readonly seen: Omit<Seen, 'facts'>;
}

/** Makes the function that decides, with or without a trace. */
export function decider(options: DeciderOptions): (request: AccessRequest) => Decision {
  return options.trace ? traced(options) : untraced(options);
}

/** Every rule is asked, and what came of it is kept in a few bits. */
function traced({ rules, candidates, revision, seen }: DeciderOptions): (request: AccessRequest) => Decision {
  const traceLater = (request: AccessRequest, set: RuleSet, outcomes: Outcomes) => (): Trace =>
    traceOf(rules, set, outcomes, { ...seen, facts: factsOf(request) });
  return (request) => {
    const facts = factsOf(request);
    const set = candidates(facts);
    const outcomes = outcomesOf(set, facts);
    const place = firstIn(set, outcomes);
    const until = set.clocked.length === 0 ? undefined : validUntil(set, facts, place);
    const trace = traceLater(request, set, outcomes);
    const rule = place === -1 ? undefined : set.rules[place]?.rule;
    if (rule === undefined) {
      return until === undefined
        ? { allowed: false, effect: 'deny', reason: 'no_rule', revision, trace }
        : { allowed: false, effect: 'deny', reason: 'no_rule', revision, validUntil: until, trace };
    }
    const { id: ruleId, effect } = rule;
    const allowed = effect === 'allow';
    return until === undefined
      ? { allowed, effect, reason: 'rule', ruleId, revision, trace }
      : { allowed, effect, reason: 'rule', ruleId, revision, validUntil: until, trace };
  };
}

/** Nothing of a request is in a decision without a trace, so there is one for each rule. */
function untraced({ rules, candidates, revision }: DeciderOptions): (request: AccessRequest) => Decision {
  const none: Decision = Object.freeze({ allowed: false, effect: 'deny', reason: 'no_rule', revision });
  const decisions = rules.map(({ rule: { id: ruleId, effect } }): Decision => {
    return Object.freeze({ allowed: effect === 'allow', effect, reason: 'rule', ruleId, revision });
  });
  return (request) => {
    const facts = factsOf(request);
    const set = candidates(facts);
    const place = firstOf(set, facts);
    const decision = place === -1 ? none : (decisions[set.rules[place]?.order ?? 0] ?? none);
    const until = set.clocked.length === 0 ? undefined : validUntil(set, facts, place);
    return until === undefined ? decision : ending(decision, until);
  };
}

/** Written out, since a spread is much slower. */
function ending({ allowed, effect, reason, ruleId, revision = '' }: Decision, validUntil: number): Decision {
  return ruleId === undefined
    ? { allowed, effect, reason, revision, validUntil }
    : { allowed, effect, reason, ruleId, revision, validUntil };
}
