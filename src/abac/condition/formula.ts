import type { Leaf, Node } from './node.ts';

/**
 * A two-valued formula over "this leaf is known to be true" and "this leaf is known to be false". Nothing in it
 * is negated, so a leaf whose outcome is unknown satisfies neither, as a row with NULL does in SQL.
 */
export type Formula = Junction | { readonly kind: 'leaf'; readonly leaf: Leaf; readonly outcome: boolean };

interface Junction {
  readonly kind: 'all' | 'any';
  readonly formulas: readonly Formula[];
}

/** Always so: all of nothing. */
export const ALWAYS: Junction = { kind: 'all', formulas: [] };
/** Never so: a disjunction of nothing. */
export const NEVER: Junction = { kind: 'any', formulas: [] };

/** When a condition is known to be true. */
export function isTrue(node: Node): Formula {
  return settled(node, true);
}

/** When a condition is known to be false. */
export function isFalse(node: Node): Formula {
  return settled(node, false);
}

/** All formulas hold. One that never does settles it. */
export function all(...formulas: readonly Formula[]): Formula {
  return joined('all', formulas);
}

/** At least one formula holds. One that always does settles it. */
export function any(...formulas: readonly Formula[]): Formula {
  return joined('any', formulas);
}

/** `not` swaps the two outcomes; `and` is true when all parts are, and false when any is. */
function settled(node: Node, outcome: boolean): Formula {
  switch (node.kind) {
    case 'not':
      return settled(node.node, !outcome);
    case 'and':
    case 'or': {
      const parts = node.nodes.map((part) => settled(part, outcome));
      return joined((node.kind === 'and') === outcome ? 'all' : 'any', parts);
    }
    default:
      return { kind: 'leaf', leaf: node, outcome };
  }
}

function joined(kind: 'all' | 'any', formulas: readonly Formula[]): Formula {
  const settling = kind === 'all' ? NEVER : ALWAYS;
  const parts = formulas.flatMap((formula) => (formula.kind === kind ? formula.formulas : [formula]));
  if (parts.some((part) => isEmpty(part) && part.kind === settling.kind)) return settling;
  const [only] = parts;
  if (only === undefined) return kind === 'all' ? ALWAYS : NEVER;
  return parts.length === 1 ? only : { kind, formulas: parts };
}

function isEmpty(formula: Formula): boolean {
  return formula.kind !== 'leaf' && formula.formulas.length === 0;
}
