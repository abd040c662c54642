import type { AccessRequest } from '../../core/index.ts';
import type { Policy } from '../policy/policy.ts';
import { both, type Goal, negated } from './goal.ts';
import { type AnalysisOptions, budgetOf } from './options.ts';
import { type Found, seek } from './search.ts';
import { matterOf, type PolicyMatter, type RuleMatter } from './subject-matter.ts';

/**
 * Something about a rule that its author hardly means.
 *
 * - `dead`: no request makes it fire.
 * - `shadowed`: whenever it fires, one of `by` has decided already.
 * - `always`: it fires for every request, although it asks for something.
 * - `conflict`: an allow rule and a deny rule fire together, for the request in `example` for instance; which of
 *   them decides is up to how the rules are combined.
 */
export type Finding =
  | { readonly kind: 'dead' | 'always'; readonly policy: string; readonly ruleId: string }
  | { readonly kind: 'shadowed'; readonly policy: string; readonly ruleId: string; readonly by: readonly string[] }
  | {
      readonly kind: 'conflict';
      readonly policy: string;
      readonly ruleId: string;
      readonly by: readonly string[];
      readonly example: AccessRequest;
    };

export interface Analysis {
  /** Whatever is not among the findings is proved not to be so; otherwise the limit was reached before that. */
  readonly exhaustive: boolean;
  readonly findings: readonly Finding[];
}

/** Seeks, and keeps in mind whether everything could be settled. */
type Seek = (goal: Goal, isReal: (request: AccessRequest) => boolean) => Found;
type IsImpossible = (...parameters: Parameters<Seek>) => boolean;

/**
 * Looks for rules that are dead, shadowed or always fire, and for allow and deny rules that fire together.
 *
 * @throws `CONFIG_INVALID` when a policy is not valid or has a predicate.
 * @example
 * const { findings } = analyze(contractPolicy); // []
 */
export function analyze(policies: Policy | readonly Policy[], options: AnalysisOptions = {}): Analysis {
  const budget = budgetOf(options);
  let exhaustive = true;
  const seekHere: Seek = (goal, isReal) => {
    const found = seek(goal, isReal, budget);
    if (found === 'undecided') exhaustive = false;
    return found;
  };
  const all = [policies].flat();
  const findings = all.flatMap((policy) => findingsOf(matterOf(policy), seekHere));
  return { exhaustive, findings };
}

/** Most of what is possible is shown by a request that was found for something else. */
function impossibility(seekHere: Seek): IsImpossible {
  const seen: AccessRequest[] = [];
  return (goal, isReal) => {
    if (seen.some(isReal)) return false;
    const found = seekHere(goal, isReal);
    if (typeof found === 'object') seen.push(found);
    return found === 'none';
  };
}

function findingsOf(matter: PolicyMatter, seekHere: Seek): readonly Finding[] {
  const isImpossible = impossibility(seekHere);
  const policy = matter.policy.name;
  const about = (kind: 'dead' | 'always', { id }: RuleMatter): Finding => ({ kind, policy, ruleId: id });
  const dead = matter.rules.filter((rule) => isImpossible(rule.fires, rule.doesFire));
  const alive = matter.rules.filter((rule) => !dead.includes(rule));
  const always = alive.filter(
    (rule) => rule.isPlain || isImpossible(negated(rule.fires), (request) => !rule.doesFire(request)),
  );
  // The many small questions come before the few large ones, which may use up what is left.
  const conflicting = conflicts(
    policy,
    alive.filter((rule) => !always.includes(rule)),
    seekHere,
  );
  return [
    ...dead.map((rule) => about('dead', rule)),
    ...always.filter((rule) => !rule.isPlain).map((rule) => about('always', rule)),
    ...shadowed(matter.policy, alive, isImpossible),
    ...conflicting,
  ];
}

function shadowed(
  { name, combining }: Policy,
  rules: readonly RuleMatter[],
  isImpossible: IsImpossible,
): readonly Finding[] {
  return rules.flatMap((rule, index): readonly Finding[] => {
    const isBefore = (other: RuleMatter, at: number): boolean =>
      combining === 'deny-overrides' && other.effect !== rule.effect ? other.effect === 'deny' : at < index;
    const before = rules.filter(isBefore);
    if (before.length === 0 || !isCovered(rule, before, isImpossible)) return [];
    const alone = before.find((other) => isCovered(rule, [other], isImpossible));
    if (alone !== undefined) return [{ kind: 'shadowed', policy: name, ruleId: rule.id, by: [alone.id] } as const];
    const by = before.reduce((kept, other) => {
      const fewer = kept.filter((each) => each !== other);
      return isCovered(rule, fewer, isImpossible) ? fewer : kept;
    }, before);
    return [{ kind: 'shadowed', policy: name, ruleId: rule.id, by: by.map(({ id }) => id) } as const];
  });
}

/** Whenever the rule fires, one of the others does. */
function isCovered(rule: RuleMatter, others: readonly RuleMatter[], isImpossible: IsImpossible): boolean {
  const goal = both(rule.fires, ...others.map(({ fires }) => negated(fires)));
  const isReal = (request: AccessRequest): boolean =>
    rule.doesFire(request) && !others.some((other) => other.doesFire(request));
  return isImpossible(goal, isReal);
}

function conflicts(policy: string, rules: readonly RuleMatter[], seekHere: Seek): readonly Finding[] {
  const [allows, denies] = [
    rules.filter(({ effect }) => effect === 'allow'),
    rules.filter(({ effect }) => effect === 'deny'),
  ];
  return allows.flatMap((rule) =>
    denies.flatMap((other) => {
      const example = together(rule, other, seekHere);
      return example === undefined
        ? []
        : [{ kind: 'conflict', policy, ruleId: rule.id, by: [other.id], example } as const];
    }),
  );
}

/** A request for which both fire, if possible one of which the deny rule knows that it is concerned. */
function together(allow: RuleMatter, deny: RuleMatter, seekHere: Seek): AccessRequest | undefined {
  const known = seekHere(both(allow.holds, deny.holds), (request) => allow.doesHold(request) && deny.doesHold(request));
  if (typeof known === 'object') return known;
  const found = seekHere(both(allow.fires, deny.fires), (request) => allow.doesFire(request) && deny.doesFire(request));
  return typeof found === 'object' ? found : undefined;
}
