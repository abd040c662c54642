import type { Policy, PolicyRule } from '../abac/index.ts';
import { configInvalid } from '../core/config-invalid.ts';
import type { AccessRequest, Decision, RuleTrace, SyncPolicyDecisionPoint } from '../core/index.ts';

/** How often a rule did what, in all decisions that were counted. */
export interface RuleCounts {
  readonly ruleId: string;
  /** It was the rule that decided. */
  readonly decided: number;
  /** Its condition did its part, whether or not another rule came before it. */
  readonly fired: number;
  readonly silent: number;
}

/** What no request has shown of a rule yet. */
export interface UncoveredRule {
  readonly ruleId: string;
  readonly never: readonly ('fired' | 'silent')[];
}

/** An engine that counts, and what it has counted. */
export interface RuleCoverage<E> {
  /** Decides as the engine given; `decide` and `decideAll` count. */
  readonly engine: E;
  counts(): readonly RuleCounts[];
  /** Rules that never fired or, unless they always do, were never silent. Empty when the tests cover the policy. */
  uncovered(): readonly UncoveredRule[];
}

type Counted = { decided: number; fired: number; silent: number };

/**
 * Counts which rules of a policy the decisions of a test suite have seen firing and not firing.
 *
 * @throws `CONFIG_INVALID`, when it decides, for an engine that was made without traces.
 * @example
 * const coverage = ruleCoverage(createPolicyEngine(contractPolicy));
 * coverage.engine.decide(request);
 * coverage.uncovered(); // every rule that a test is missing for
 */
export function ruleCoverage<E extends SyncPolicyDecisionPoint & { readonly policy: Policy }>(
  engine: E,
): RuleCoverage<E> {
  const { rules } = engine.policy;
  const counted = new Map<string, Counted>(rules.map(({ id }) => [id, { decided: 0, fired: 0, silent: 0 }]));
  const decide = (request: AccessRequest): Decision => {
    const decision = engine.decide(request);
    const trace = decision.trace?.();
    if (trace === undefined) throw configInvalid('engine', 'must be made with traces');
    for (const rule of trace.rules) {
      const counts = counted.get(rule.ruleId);
      if (counts === undefined) continue;
      counts[hasFired(rule) ? 'fired' : 'silent']++;
      if (rule.ruleId === decision.ruleId) counts.decided++;
    }
    return decision;
  };
  const decideAll = (requests: readonly AccessRequest[]): readonly Decision[] => requests.map(decide);
  return Object.freeze({
    engine: Object.freeze({ ...engine, decide, decideAll }),
    counts: () => [...counted].map(([ruleId, counts]) => ({ ruleId, ...counts })),
    uncovered: () => rules.flatMap((rule) => uncoveredRule(rule, counted.get(rule.id))),
  });
}

function uncoveredRule(rule: PolicyRule, counts: Counted | undefined): readonly UncoveredRule[] {
  const asksNothing = rule.when === 'always' && rule.resources === undefined && rule.actions === undefined;
  const never = (['fired', 'silent'] as const).filter((what) => !counts?.[what] && !(what === 'silent' && asksNothing));
  return never.length === 0 ? [] : [{ ruleId: rule.id, never }];
}

function hasFired({ effect, outcome }: RuleTrace): boolean {
  return outcome === 'match' || (effect === 'deny' && outcome === 'unknown');
}
