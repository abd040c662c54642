import { combined, type RuleFormula, ruleFormula } from '../condition/allowed-when.ts';
import { ALWAYS, type Formula, NEVER } from '../condition/formula.ts';
import { lowerRule } from '../condition/lower.ts';
import type { Leaf } from '../condition/node.ts';
import type { Policy } from '../policy/policy.ts';
import { type Residual, residualOf } from './residual.ts';

/** Prepares a policy for partial evaluation: what is left of "it allows". The policy has been parsed. */
export function policyResidual({ combining, rules }: Policy): Residual {
  const prepared = rules.map((rule) => {
    const { effect, formula } = ruleFormula({ effect: rule.effect, node: lowerRule(rule) });
    return { effect, residual: residualOf(formula) };
  });
  return (request, isOpen) => {
    const left: RuleFormula[] = [];
    for (const { effect, residual } of prepared) {
      const formula = residual(request, isOpen);
      const [silent, fires] = effect === 'allow' ? [NEVER, ALWAYS] : [ALWAYS, NEVER];
      if (formula !== silent) left.push({ effect, formula });
      if (formula === fires && combining === 'first-match') break;
    }
    return combined(combining, left);
  };
}

/** The conditions that a formula is made of. */
export function leavesOf(formula: Formula): readonly Leaf[] {
  return formula.kind === 'leaf' ? [formula.leaf] : formula.formulas.flatMap(leavesOf);
}
