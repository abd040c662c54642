import { isPresent } from '../condition/compare.ts';
import { isConstantTerm, type Leaf, type Term } from '../condition/node.ts';
import { isScalar } from '../condition/value.ts';
import { settled, sidesOf } from './outcome.ts';
import type { Predicate } from './predicates.ts';
import { type Flip, flipOf } from './valid-until.ts';
import { sourceOf, type ValueSource, valueAt } from './value-source.ts';
import type { View } from './view.ts';

/** What literals share. Where a value is read is kept once, so that a large policy fits into the processor's cache. */
export interface Known {
  readonly predicates: ReadonlyMap<string, Predicate>;
  readonly sourceOf: (term: Term) => ValueSource;
}

const NOTHING = sourceOf({ value: '' });

/** "This leaf is known to be true", or "known to be false", made ready to be asked. */
export interface Literal {
  /**
   * The most frequent ones have a kind of their own, which is decided without a call: an action, an attribute of the
   * subject or of the resource is a constant; the subject has a role; an attribute of the resource is the subject's
   * id, or the same as an attribute of the subject. All others are tested.
   */
  readonly kind: 'action' | 'ofSubject' | 'ofResource' | 'role' | 'owner' | 'shared' | 'clock' | 'other';
  readonly left: ValueSource;
  readonly right: ValueSource;
  readonly test: (view: View) => boolean;
  /** When the clock could change what `test` says. */
  readonly flip: Flip | undefined;
}

/** By the comparison, and by where its two sides come from. */
const KINDS: Readonly<Record<string, Literal['kind']>> = {
  'equal action constant': 'action',
  'equal subject constant': 'ofSubject',
  'equal resource constant': 'ofResource',
  'member subject.roles constant': 'role',
  'equal subject.id resource': 'owner',
  'equal subject resource': 'shared',
};

/** Prepares a literal. */
export function literalOf(leaf: Leaf, outcome: boolean, known: Known): Literal {
  const flip = flipOf(leaf);
  const [left, right] = sourcesOf(leaf, known);
  const frequent = outcome && !isAmongConstants(leaf) ? KINDS[`${leaf.kind} ${left.from} ${right.from}`] : undefined;
  const kind = flip === undefined ? (frequent ?? 'other') : 'clock';
  return { kind, left, right, test: testOf(leaf, outcome, known), flip };
}

function isAmongConstants(leaf: Leaf): boolean {
  return leaf.kind === 'member' && 'values' in leaf.list;
}

/** The two sides, the subject's first where they are equal or not, and a constant last. */
function sourcesOf(leaf: Leaf, { sourceOf }: Known): readonly [ValueSource, ValueSource] {
  if (leaf.kind === 'predicate') return [NOTHING, NOTHING];
  if (leaf.kind === 'present') return [sourceOf(leaf.attribute), NOTHING];
  const [left, right] = sidesOf(leaf);
  const isTurned = isConstantTerm(left) || (leaf.kind === 'equal' && isOfSubject(right));
  return isTurned ? [sourceOf(right), sourceOf(left)] : [sourceOf(left), sourceOf(right)];
}

function isOfSubject(term: Term): boolean {
  return !isConstantTerm(term) && term.attr.startsWith('subject.');
}

function testOf(leaf: Leaf, outcome: boolean, known: Known): Literal['test'] {
  if (leaf.kind === 'predicate') {
    const predicate = known.predicates.get(leaf.name);
    return (view) => predicate?.(view.request) === outcome;
  }
  if (leaf.kind === 'present') {
    const source = known.sourceOf(leaf.attribute);
    return (view) => isPresent(valueAt(source, view)) === outcome;
  }
  const [left, right] = sidesOf(leaf).map(known.sourceOf) as [ValueSource, ValueSource];
  if (leaf.kind === 'equal' && isConstantTerm(leaf.right)) {
    const constant = leaf.right.value;
    return outcome
      ? (view) => valueAt(left, view) === constant
      : (view) => {
          const value = valueAt(left, view);
          return value !== constant && isScalar(value);
        };
  }
  if (leaf.kind === 'less' && isConstantTerm(leaf.right) && typeof leaf.right.value === 'number') {
    return lessThan(left, leaf.right.value, outcome);
  }
  if (leaf.kind === 'less' && isConstantTerm(leaf.left) && typeof leaf.left.value === 'number') {
    return moreThan(right, leaf.left.value, outcome);
  }
  if (leaf.kind === 'member' && 'values' in leaf.list) {
    const constants: ReadonlySet<unknown> = new Set(leaf.list.values);
    return outcome
      ? (view) => constants.has(valueAt(left, view))
      : (view) => {
          const value = valueAt(left, view);
          return isScalar(value) && !constants.has(value);
        };
  }
  return (view) => settled(leaf, valueAt(left, view), valueAt(right, view)) === outcome;
}

function lessThan(source: ValueSource, constant: number, outcome: boolean): Literal['test'] {
  return (view) => {
    const value = valueAt(source, view);
    return typeof value === 'number' && Number.isFinite(value) && value < constant === outcome;
  };
}

function moreThan(source: ValueSource, constant: number, outcome: boolean): Literal['test'] {
  return (view) => {
    const value = valueAt(source, view);
    return typeof value === 'number' && Number.isFinite(value) && value > constant === outcome;
  };
}
