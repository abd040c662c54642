import type { TracedAttribute } from '../../core/index.ts';
import { isConstantTerm, type Leaf, type Node, type Term } from '../condition/node.ts';
import { show } from '../condition/value.ts';
import type { AttributeRef, Scalar } from '../policy/policy.ts';
import { type Asked, outcomeOf, valueOfTerm } from './outcome.ts';

/** What settled a condition: a text for people, and the attributes in it. */
export interface Detail {
  readonly texts: readonly string[];
  readonly attributes: readonly TracedAttribute[];
}

/** What describing needs to know beside the condition. */
export interface Seen extends Asked {
  /** Paths whose values are nobody's business. */
  readonly redact: ReadonlySet<string>;
}

type Side = Term | { readonly values: readonly Scalar[] };

/**
 * Names the comparisons that settled a condition, with their values. `wanted` is the outcome that helps the rule
 * to fire: a comparison that came out otherwise says what it wanted.
 */
export function detailOf(node: Node, seen: Seen, wanted: boolean): Detail {
  switch (node.kind) {
    case 'and':
    case 'or':
      return junction(node.nodes, node.kind === 'or', seen, wanted);
    case 'not':
      return detailOf(node.node, seen, !wanted);
    default:
      return leaf(node, seen, wanted);
  }
}

function junction(nodes: readonly Node[], settling: boolean, seen: Seen, wanted: boolean): Detail {
  const outcomes = nodes.map((node) => outcomeOf(node, seen));
  const settled = outcomes.indexOf(settling);
  const open = outcomes.includes(undefined) ? nodes.filter((_, i) => outcomes[i] === undefined) : nodes;
  const details = (settled === -1 ? open : nodes.slice(settled, settled + 1)).map((node) =>
    detailOf(node, seen, wanted),
  );
  return {
    texts: [...new Set(details.flatMap(({ texts }) => texts))],
    attributes: details.flatMap(({ attributes }) => attributes),
  };
}

function leaf(node: Leaf, seen: Seen, wanted: boolean): Detail {
  const { first, wish, second } = sentenceOf(node, wanted);
  const sides = second === undefined ? [first] : [first, second];
  const attributes = sides.filter((side): side is AttributeRef => 'attr' in side);
  const isWanted = outcomeOf(node, seen) === wanted;
  const asked = second === undefined ? '' : textOf(second, seen);
  const text = isWanted
    ? attributes.map((attribute) => textOf(attribute, seen)).join(', ') || textOf(first, seen)
    : `${textOf(first, seen)} (wants ${wish}${asked})`;
  return { texts: [text], attributes: attributes.map((attribute) => traced(attribute, seen)) };
}

interface Sentence {
  readonly first: Side | { readonly predicate: string };
  readonly wish: string;
  readonly second?: Side;
}

/** A leaf as people say it: the attribute before the constant. */
function sentenceOf(node: Leaf, wanted: boolean): Sentence {
  const not = wanted ? '' : 'not ';
  switch (node.kind) {
    case 'predicate':
      return { first: { predicate: node.name }, wish: String(wanted) };
    case 'present':
      return { first: node.attribute, wish: wanted ? 'a value' : 'no value' };
    case 'member':
      return 'values' in node.list
        ? { first: node.item, wish: `${not}one of `, second: node.list }
        : { first: node.list, wish: `${not}to have `, second: node.item };
    case 'less':
      return isConstantTerm(node.left)
        ? { first: node.right, wish: wanted ? '> ' : '<= ', second: node.left }
        : { first: node.left, wish: wanted ? '< ' : '>= ', second: node.right };
    case 'equal':
      return isConstantTerm(node.left)
        ? { first: node.right, wish: not, second: node.left }
        : { first: node.left, wish: not, second: node.right };
    default: {
      const affix = node.kind === 'startsWith' ? 'a start with ' : 'an end with ';
      return { first: node.left, wish: not + affix, second: node.right };
    }
  }
}

function textOf(side: Side | { readonly predicate: string }, seen: Seen): string {
  if ('values' in side) return show(side.values);
  if ('value' in side) return show(side.value);
  if ('attr' in side) return `${nameOf(side)} = ${traced(side, seen).value}`;
  return `${side.predicate} = ${outcomeOf({ kind: 'predicate', name: side.predicate }, seen) ?? 'unknown'}`;
}

function nameOf({ attr, timeZone }: AttributeRef): string {
  return timeZone === undefined ? attr : `${attr} in ${timeZone}`;
}

function traced(attribute: AttributeRef, seen: Seen): TracedAttribute {
  return { path: attribute.attr, value: isRedacted(attribute, seen) ? '***' : show(valueOfTerm(attribute, seen)) };
}

/** An hour in a time zone is counted from the time, and tells of it. */
function isRedacted({ attr, timeZone }: AttributeRef, { redact }: Seen): boolean {
  return redact.has(attr) || (timeZone !== undefined && redact.has('environment.time'));
}
