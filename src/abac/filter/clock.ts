import type { AccessRequest, Effect } from '../../core/index.ts';
import { ALWAYS, type Formula, isFalse, isTrue, NEVER } from '../condition/formula.ts';
import type { Leaf, Node } from '../condition/node.ts';
import { factsOf } from '../engine/facts.ts';
import { flipsOf, nextFlip } from '../engine/valid-until.ts';
import { isOpen, residualOf } from './residual.ts';

/** Epoch milliseconds until which the clock leaves what a rule says of resources as it is. */
export type Clock = (query: AccessRequest) => number;

/** When an allow rule fires, and when a deny rule does not. */
export function quiet(effect: Effect, node: Node): Formula {
  return effect === 'allow' ? isTrue(node) : isFalse(node);
}

/** Makes the clock of a rule that reads one. What settles the rule whatever time it is makes its clock stand still. */
export function clockOf(effect: Effect, node: Node): Clock | undefined {
  const parts = node.kind === 'and' ? node.nodes : [node];
  const timed = parts.filter((part) => flipsOf(part).length > 0);
  if (timed.length === 0) return undefined;
  const rest = parts.filter((part) => !timed.includes(part));
  const timeless = residualOf(quiet(effect, { kind: 'and', nodes: rest }));
  const settled = effect === 'allow' ? NEVER : ALWAYS;
  const flips = timed.flatMap(flipsOf);
  const isMoving = timed.some(comparesTimeWithResource);
  return (query) => {
    if (timeless(query) === settled) return Number.POSITIVE_INFINITY;
    return isMoving ? 0 : nextFlip(flips, factsOf(query));
  };
}

/** The filter then holds the time itself, and that is another one at every moment. */
function comparesTimeWithResource(node: Node): boolean {
  switch (node.kind) {
    case 'and':
    case 'or':
      return node.nodes.some(comparesTimeWithResource);
    case 'not':
      return comparesTimeWithResource(node.node);
    default: {
      const sides = sidesOf(node);
      return sides.some(isOpen) && sides.some((side) => 'attr' in side && side.attr.startsWith('environment.'));
    }
  }
}

function sidesOf(leaf: Leaf): readonly Parameters<typeof isOpen>[0][] {
  if (leaf.kind === 'predicate' || leaf.kind === 'present') return [];
  return leaf.kind === 'member' ? [leaf.item, leaf.list] : [leaf.left, leaf.right];
}
