import { configInvalid } from '../../core/config-invalid.ts';
import type { AccessRequest } from '../../core/index.ts';
import type { Policy } from '../policy/policy.ts';
import { type Atom, keysOf } from './atom.ts';
import { choicesOf } from './choices.ts';
import { connected } from './connected.ts';
import { atomsOf } from './goal.ts';
import { isOfClock, momentOf, moments } from './moments.ts';
import { type AnalysisOptions, budgetOf } from './options.ts';
import { requestOf } from './request-of.ts';
import type { Budget } from './search.ts';
import { type Choice, settle, type Value } from './settle.ts';
import { matterOf } from './subject-matter.ts';

const CONTEXTS = 16;
const LARGE_PRIME = 104_729;
/** What the engine takes for missing, and another evaluator might not. */
const ODD: readonly Value[] = [
  { is: 'nothing', raw: null },
  { is: 'nothing', raw: { a: 'a' } },
  { is: 'nothing', raw: [['a']] },
  { is: 'nothing', raw: [] },
];
/** Choices about attributes that meet each other, by what all their comparisons come out as. */
type Part = ReadonlyMap<string, readonly (readonly Choice[])[]>;

/**
 * Requests that stand for all requests, as far as some policies can tell them apart: every combination of the
 * outcomes of their comparisons, and every class of values of attributes that meet each other beside a number of
 * combinations of the others. All of them survive JSON. They are samples, and prove nothing, where one attribute is
 * compared for how it begins or ends another, where hours of time zones are counted, and where two constants are
 * neighbours among the numbers.
 *
 * @throws `CONFIG_INVALID` when a policy is not valid or has a predicate, and when there are more than the limit.
 * @example
 * for (const request of representatives(contractPolicy)) engine.decide(request);
 */
export function* representatives(
  policies: Policy | readonly Policy[],
  options: AnalysisOptions = {},
): Generator<AccessRequest> {
  const budget = budgetOf(options);
  const all = [policies].flat();
  const rules = all.flatMap((policy) => matterOf(policy).rules);
  const atoms = new Map(rules.flatMap(({ holds }) => atomsOf(holds)).map((atom) => [JSON.stringify(atom), atom]));
  const parts = separated([...atoms.values()]).map((some) => grouped(some, budget));
  const combinations = parts.reduce((product, part) => product * part.size, 1);
  if (combinations > budget.left) throw tooMany();
  for (let index = 0; index < combinations; index++) yield requestOf(combination(parts, index));
  for (const part of parts) {
    for (const choices of [...part.values()].flat()) {
      for (let context = 0; context < CONTEXTS; context++) {
        const others = parts.filter((other) => other !== part);
        const index = (context * LARGE_PRIME) % combinations;
        yield requestOf([...choices, ...combination(others, index, context)]);
      }
    }
  }
}

function combination(parts: readonly Part[], index: number, turn: number = index): readonly Choice[] {
  let rest = index;
  return parts.flatMap((part) => {
    const group = [...part.values()][rest % part.size] ?? [];
    rest = Math.floor(rest / part.size);
    return group[turn % group.length] ?? [];
  });
}

/** Atoms that read nothing in common, apart; whatever hangs on the clock stays together. */
function separated(atoms: readonly Atom[]): readonly (readonly Atom[])[] {
  const clock = atoms.filter((atom) => keysOf(atom).some(isOfClock));
  const whole = new Set(clock.flatMap((atom) => keysOf(atom)).flatMap((key) => connected(key, atoms).atoms));
  const parts: (readonly Atom[])[] = whole.size > 0 ? [[...whole]] : [];
  const placed = new Set(whole);
  for (const atom of atoms) {
    const [key] = keysOf(atom);
    if (placed.has(atom) || key === undefined) continue;
    const part = connected(key, atoms).atoms;
    for (const each of part) placed.add(each);
    parts.push(part);
  }
  return parts;
}

function grouped(atoms: readonly Atom[], budget: Budget): Part {
  const groups = new Map<string, (readonly Choice[])[]>();
  const visit = (left: readonly (Atom | { readonly outcome: unknown })[], path: readonly Choice[]): void => {
    if (budget.left-- <= 0) throw tooMany();
    const open = left.filter((atom): atom is Atom => 'kind' in atom);
    if (open.length === 0) {
      const outcomes = JSON.stringify(left.map((atom) => ('outcome' in atom ? String(atom.outcome) : '')));
      const group = groups.get(outcomes) ?? [];
      group.push(path);
      groups.set(outcomes, group);
      return;
    }
    for (const choices of steps(open)) {
      const settled = choices.reduce<typeof left>(
        (some, choice) => some.map((atom) => ('kind' in atom ? settle(atom, choice, false) : atom)),
        left,
      );
      visit(settled, [...path, ...choices]);
    }
  };
  visit(atoms, []);
  return groups;
}

/** The next things to choose: moments, if the clock is read, or whatever one attribute can be. */
function steps(open: readonly Atom[]): readonly (readonly Choice[])[] {
  const clock = new Set(open.flatMap(keysOf).filter(isOfClock));
  if ([...clock].some((key) => key.includes('@'))) return moments(open).map((time) => momentOf(time, clock));
  const { choices } = choicesOf(open);
  const [first] = choices;
  if (first?.kind !== 'attribute') return choices.map((choice) => [choice]);
  const odd = ODD.map((value): Choice => ({ kind: 'attribute', key: first.key, value }));
  const isList = choices.some((choice) => choice.kind === 'attribute' && choice.value.is === 'list');
  return [...choices, ...(isList ? odd.slice(0, 2) : odd)].map((choice) => [choice]);
}

function tooMany(): Error {
  return configInvalid('limit', 'is smaller than the number of classes of the policy');
}
