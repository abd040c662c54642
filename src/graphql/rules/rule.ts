import type { StepUp } from '../../core/index.ts';

/** A condition. Equal rules of one {@link RuleTable} are one object, so that a rule can be a memo key. */
export type Rule = {
  /** The rule in words, unique among rules. */
  readonly text: string;
  /** Its number among the rules of its table. */
  readonly index: number;
  /** Depends on the principal and the moment only, so that it is decided once per principal. */
  readonly principalOnly: boolean;
} & (
  | { readonly kind: 'authenticated' | 'never' }
  | { readonly kind: 'role' | 'permission' | 'scope' | 'policy'; readonly name: string }
  | { readonly kind: 'owner'; readonly path: readonly string[] }
  | { readonly kind: 'all' | 'any'; readonly rules: readonly Rule[] }
  | { readonly kind: 'not'; readonly rule: Rule }
  | { readonly kind: 'stepUp'; readonly stepUp: StepUp }
);

type Leaf = 'role' | 'permission' | 'scope' | 'policy';

type Unnumbered<R = Rule> = R extends Rule ? Omit<R, 'index'> : never;

/** Makes rules; equal ones are the same object. */
export interface RuleTable {
  readonly authenticated: Rule;
  readonly never: Rule;
  leaf(kind: Leaf, name: string): Rule;
  owner(path: readonly string[]): Rule;
  /** Without rules: whoever is authenticated. */
  all(rules: readonly Rule[]): Rule;
  /** Without rules: never. */
  any(rules: readonly Rule[]): Rule;
  not(rule: Rule): Rule;
  /** Of several demands on the login what satisfies them all; `undefined` when nothing does. */
  stepUp(demands: readonly StepUp[]): Rule | undefined;
}

export function createRuleTable(): RuleTable {
  const known = new Map<string, Rule>();
  const intern = (rule: Unnumbered): Rule => {
    const same = known.get(rule.text);
    if (same !== undefined) return same;
    const numbered: Rule = { ...rule, index: known.size };
    known.set(rule.text, numbered);
    return numbered;
  };
  const authenticated = intern({ kind: 'authenticated', text: 'authenticated', principalOnly: true });
  const never = intern({ kind: 'never', text: 'never', principalOnly: true });

  const join = (kind: 'all' | 'any', members: readonly Rule[], empty: Rule): Rule => {
    const [only] = members;
    if (only !== undefined && members.length === 1) return only;
    const flat = members.flatMap((rule) => (rule.kind === kind ? rule.rules : [rule]));
    const rules = [...new Set(flat)].filter((rule) => rule !== empty).sort(cheapestFirst);
    const [first, second] = rules;
    if (first === undefined) return empty;
    if (second === undefined) return first;
    const principalOnly = rules.every((rule) => rule.principalOnly);
    return intern({ kind, rules, principalOnly, text: `${kind}(${rules.map((rule) => rule.text).join(', ')})` });
  };

  return {
    authenticated,
    never,
    leaf: (kind, name) =>
      intern({ kind, name, principalOnly: kind !== 'policy', text: `${kind}(${JSON.stringify(name)})` }),
    owner: (path) => intern({ kind: 'owner', path, principalOnly: false, text: `owner(${path.join('.')})` }),
    all: (rules) => join('all', rules, authenticated),
    any: (rules) => join('any', rules, never),
    not: (rule) => intern({ kind: 'not', rule, principalOnly: rule.principalOnly, text: `not(${rule.text})` }),
    stepUp(demands) {
      const stepUp = demands.reduce(stricter, {});
      if (stepUp.acrValues?.length === 0) return undefined;
      return intern({ kind: 'stepUp', stepUp, principalOnly: true, text: `login(${JSON.stringify(stepUp)})` });
    },
  };
}

/** The parts of a rule that are ANDed. */
export function conjuncts(rule: Rule): readonly Rule[] {
  return rule.kind === 'all' ? rule.rules : [rule];
}

/** The ANDed parts that are decided once per principal. */
export function onePerPrincipal(rule: Rule): readonly Rule[] {
  return conjuncts(rule).filter((part) => part.principalOnly);
}

/** What is decided once per principal goes before what is decided per call. */
function cheapestFirst(a: Rule, b: Rule): number {
  return Number(b.principalOnly) - Number(a.principalOnly) || (a.text < b.text ? -1 : 1);
}

/** The lesser age, and the classes that both take. */
function stricter(a: StepUp, b: StepUp): StepUp {
  const ages = [a, b].flatMap(({ maxAgeSeconds }) => maxAgeSeconds ?? []);
  const acrValues = a.acrValues?.filter((value) => b.acrValues?.includes(value) ?? true) ?? b.acrValues;
  return {
    ...(ages.length > 0 && { maxAgeSeconds: Math.min(...ages) }),
    ...(acrValues !== undefined && { acrValues }),
  };
}
