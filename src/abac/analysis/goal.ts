import { createHash } from 'node:crypto';
import { configInvalid } from '../../core/config-invalid.ts';
import type { Formula } from '../condition/formula.ts';
import { type Atom, atomOf } from './atom.ts';
import { type Choice, settle } from './settle.ts';

/** What a request is sought for: a formula that may deny. `text` is equal for equal goals. */
export type Goal =
  | { readonly kind: 'all' | 'any'; readonly goals: readonly Goal[]; readonly text: string }
  | {
      readonly kind: 'atom';
      readonly atom: Atom;
      /** The goal is that the atom comes out so, or, with `holds` false, that it does not. */
      readonly outcome: boolean;
      readonly holds: boolean;
      readonly text: string;
    };

const LONGEST_TEXT = 100;

/** Met by every request. */
export const MET: Goal = { kind: 'all', goals: [], text: 'met' };
/** Met by none. */
export const UNMET: Goal = { kind: 'any', goals: [], text: 'unmet' };

/** @throws `CONFIG_INVALID` for a predicate, of which nothing can be known. */
export function goalOf(formula: Formula): Goal {
  if (formula.kind !== 'leaf') return join(formula.kind, formula.formulas.map(goalOf));
  const { leaf, outcome } = formula;
  if (leaf.kind === 'predicate') throw configInvalid('policy', 'has a predicate, which cannot be analysed');
  return wish(atomOf(leaf), outcome, true);
}

export function negated(goal: Goal): Goal {
  if (goal.kind === 'atom') return wish(goal.atom, goal.outcome, !goal.holds);
  return join(goal.kind === 'all' ? 'any' : 'all', goal.goals.map(negated));
}

export function both(...goals: readonly Goal[]): Goal {
  return join('all', goals);
}

/** What is left of a goal after a choice. */
export function after(goal: Goal, choice: Choice, relaxed: boolean): Goal {
  if (goal.kind === 'atom') {
    const { atom, outcome, holds } = goal;
    const left = settle(atom, choice, relaxed);
    if (left === atom) return goal;
    if ('kind' in left) return wish(left, outcome, holds);
    return (left.outcome === outcome) === holds ? MET : UNMET;
  }
  const goals = goal.goals.map((part) => after(part, choice, relaxed));
  return goals.every((part, index) => part === goal.goals[index]) ? goal : join(goal.kind, goals);
}

/** The atoms of a goal, from left to right. */
export function atomsOf(goal: Goal): readonly Atom[] {
  const atoms: Atom[] = [];
  const collect = (part: Goal): void => {
    if (part.kind === 'atom') atoms.push(part.atom);
    else part.goals.forEach(collect);
  };
  collect(goal);
  return atoms;
}

function wish(atom: Atom, outcome: boolean, holds: boolean): Goal {
  return {
    kind: 'atom',
    atom,
    outcome,
    holds,
    text: `${holds ? '' : '!'}${outcome ? '' : '-'}${JSON.stringify(atom)}`,
  };
}

function join(kind: 'all' | 'any', goals: readonly Goal[]): Goal {
  const settling = kind === 'all' ? UNMET : MET;
  const parts = new Map<string, Goal>();
  for (const goal of goals) {
    if (goal === settling) return settling;
    const inner = goal.kind === kind ? goal.goals : [goal];
    for (const part of inner) parts.set(part.text, part);
  }
  const [only] = parts.values();
  if (only === undefined) return kind === 'all' ? MET : UNMET;
  if (parts.size === 1) return only;
  return { kind, goals: [...parts.values()], text: short(`${kind}(${[...parts.keys()].join(',')})`) };
}

/** Goals hold each other's texts; the digest of a long one keeps a large policy from filling the memory. */
function short(text: string): string {
  return text.length <= LONGEST_TEXT ? text : createHash('sha256').update(text).digest('base64');
}
