import { type Formula, isFalse, isTrue } from '../condition/formula.ts';
import { type Known, literalOf } from './literal.ts';
import type { OrderedRule } from './rules.ts';
import { askStep, endAt, type Step } from './step.ts';
import { flipOf } from './valid-until.ts';

/** When a rule fires: an allow rule when it is true. A deny rule does not when this is so: it is false. */
export function formulaOf({ rule, node }: OrderedRule): Formula {
  return clockLast(rule.effect === 'allow' ? isTrue(node) : isFalse(node));
}

/**
 * Links the questions of rules into one way to decide: where a rule does not fire, the way leads on to the next.
 *
 * @param none - the place to end at when no rule fires
 */
export function link(rules: readonly OrderedRule[], known: Known, none: number): Step {
  return rules.reduceRight<Step>((next, rule) => {
    const formula = formulaOf(rule);
    const fired = endAt(rule.place);
    return rule.rule.effect === 'allow' ? linked(formula, fired, next, known) : linked(formula, next, fired, known);
  }, endAt(none));
}

function linked(formula: Formula, yes: Step, no: Step, known: Known): Step {
  if (formula.kind === 'leaf') {
    return askStep(literalOf(formula.leaf, formula.outcome, known), yes, no);
  }
  const isAll = formula.kind === 'all';
  return formula.formulas.reduceRight<Step>(
    (next, part) => (isAll ? linked(part, next, no, known) : linked(part, yes, next, known)),
    isAll ? yes : no,
  );
}

/** What is settled without the clock, or without asking a predicate, is then valid for as long as nothing changes. */
function clockLast(formula: Formula): Formula {
  if (formula.kind === 'leaf') return formula;
  const formulas = formula.formulas.map(clockLast);
  return { kind: formula.kind, formulas: formulas.toSorted((a, b) => lateness(a) - lateness(b)) };
}

function lateness(formula: Formula): number {
  if (formula.kind !== 'leaf') return Math.max(0, ...formula.formulas.map(lateness));
  if (formula.leaf.kind === 'predicate') return 2;
  return flipOf(formula.leaf) === undefined ? 0 : 1;
}
