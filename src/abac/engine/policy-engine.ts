import type { AccessRequest, Decision, SyncPolicyDecisionPoint } from '../../core/index.ts';
import { createFiltering, type Filtering } from '../filter/create-filtering.ts';
import type { Filter, ResourceQuery } from '../filter/filter.ts';
import { parsePolicy } from '../policy/parse-policy.ts';
import type { AttributePath, Policy } from '../policy/policy.ts';
import { revisionOf } from '../policy/revision.ts';
import { decider } from './decider.ts';
import { answering, tracing } from './decision.ts';
import { checkedOptions, type PolicyEngineOptions } from './options.ts';
import { checkedPredicates } from './predicates.ts';
import { inOrder } from './rules.ts';
import { traceOf } from './trace.ts';

/** A policy made ready to decide. */
export interface PolicyEngine extends SyncPolicyDecisionPoint {
  readonly isSynchronous: true;
  readonly policy: Policy;
  /** Names exactly this policy text; every decision carries it. */
  readonly revision: string;
  /** What decides: closures, or code that was generated from the policy. The answers are the same. */
  readonly compiled: 'closures' | 'code';
  /** The attributes that no trace and no explanation shows. */
  readonly redact: readonly AttributePath[];
  /** The same answers as one by one, in order. */
  decideAll(requests: readonly AccessRequest[]): readonly Decision[];
  /**
   * Whether the subject may do this to some resource of the type, as far as can be told without one: it may say
   * yes too often and never says no wrongly. It is for menus, and replaces no decision about a resource.
   */
  mightAllow(query: ResourceQuery): boolean;
  /** Which resources of the type the subject may do this to: all, none, or those that satisfy a condition. */
  filter(query: ResourceQuery): Filter;
}

/**
 * Compiles a policy into a decision point. The first rule that fires decides, with `deny-overrides` the first
 * deny rule that does: an allow rule whose condition is true, or a deny rule whose condition is not known to be
 * false. If none fires, the policy denies. A decision's `trace()` says what every rule made of the request.
 *
 * @throws `CONFIG_INVALID` when the policy is not valid (see {@link parsePolicy}), for an unknown option, and when
 * a predicate that the policy names is missing.
 * @example
 * const engine = createPolicyEngine(policy('documents', [rule.allow('owner', owner())]));
 * engine.decide(request).allowed;
 */
export function createPolicyEngine(policy: Policy, options: PolicyEngineOptions = {}): PolicyEngine {
  const { generateCode, trace, redact, predicates: given } = checkedOptions(options);
  const parsed = parsePolicy(policy);
  const revision = revisionOf(parsed);
  const rules = inOrder(parsed);
  const predicates = checkedPredicates(
    given,
    rules.map(({ node }) => node),
  );
  const byRule = new Map(rules.map((one) => [one.rule, one]));
  const shown = parsed.rules.flatMap((one) => byRule.get(one) ?? []);
  const redacted: ReadonlySet<string> = new Set(redact);
  const answer = trace
    ? tracing(rules, revision, (request) => traceOf(shown, { request, predicates, redact: redacted }))
    : answering(rules, revision);
  const { compiled, decide } = decider({ rules, predicates, answer, generateCode });
  let prepared: Filtering | undefined;
  const filtering = (): Filtering => {
    prepared ??= createFiltering(parsed, revision);
    return prepared;
  };
  return Object.freeze({
    isSynchronous: true,
    policy: parsed,
    revision,
    compiled,
    redact: Object.freeze([...redact]),
    decide,
    decideAll: (requests: readonly AccessRequest[]) => requests.map(decide),
    mightAllow: (query: ResourceQuery) => filtering().mightAllow(query),
    filter: (query: ResourceQuery) => filtering().filter(query),
  });
}
