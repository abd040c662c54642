import type {
  AttributePath,
  AttributeRef,
  Condition,
  ListOperand,
  Operand,
  PolicyRule,
  Scalar,
} from '../policy/policy.ts';
import { bare } from './bare.ts';
import type { Leaf, Node, Term } from './node.ts';

/** The whole condition of a rule: the resource types and actions it is about, and what it asks of the request. */
export function lowerRule(rule: PolicyRule): Node {
  const { resources, actions, when } = bare(rule);
  return conjunction([
    ...oneOf('resource.type', resources),
    ...oneOf('action', actions),
    ...(when === 'always' ? [] : [lower(when)]),
  ]);
}

/** Brings a condition into the few forms of {@link Node}: `ne` is not equal, `gt` is less the other way round. */
export function lower(given: Condition): Node {
  const condition = bare(given);
  if ('and' in condition) return conjunction(condition.and.map(lower));
  if ('or' in condition) return { kind: 'or', nodes: condition.or.map(lower) };
  if ('not' in condition) return not(lower(condition.not));
  if ('eq' in condition) return comparison('equal', condition.eq);
  if ('ne' in condition) return not(comparison('equal', condition.ne));
  if ('lt' in condition) return comparison('less', condition.lt);
  if ('gt' in condition) return comparison('less', swapped(condition.gt));
  if ('lte' in condition) return not(comparison('less', swapped(condition.lte)));
  if ('gte' in condition) return not(comparison('less', condition.gte));
  if ('startsWith' in condition) return comparison('startsWith', condition.startsWith);
  if ('endsWith' in condition) return comparison('endsWith', condition.endsWith);
  if ('in' in condition) return membership(condition.in[0], condition.in[1]);
  if ('contains' in condition) return membership(condition.contains[1], condition.contains[0]);
  if ('present' in condition) return { kind: 'present', attribute: condition.present };
  return { kind: 'predicate', name: condition.predicate };
}

/** `and` of one is that one, so that the parts of a rule stand side by side. */
function conjunction(parts: readonly Node[]): Node {
  const nodes = parts.flatMap((part) => (part.kind === 'and' ? part.nodes : [part]));
  const [only] = nodes;
  return only !== undefined && nodes.length === 1 ? only : { kind: 'and', nodes };
}

function not(node: Node): Node {
  return node.kind === 'not' ? node.node : { kind: 'not', node };
}

function comparison(kind: 'equal' | 'less' | 'startsWith' | 'endsWith', [a, b]: readonly [Operand, Operand]): Leaf {
  return { kind, left: termOf(a), right: termOf(b), emptyIsUnknown: isAttribute(a) && isAttribute(b) };
}

function membership(item: Operand, list: ListOperand): Leaf {
  return {
    kind: 'member',
    item: termOf(item),
    list: isList(list) ? bare({ values: list }) : bare(list),
    emptyIsUnknown: isAttribute(item) && !isList(list),
  };
}

function oneOf(attr: AttributePath, names: readonly Scalar[] | undefined): readonly Node[] {
  if (names === undefined) return [];
  const [only] = names;
  return [
    names.length === 1 && only !== undefined ? comparison('equal', [{ attr }, only]) : membership({ attr }, names),
  ];
}

function swapped([a, b]: readonly [Operand, Operand]): readonly [Operand, Operand] {
  return [b, a];
}

function termOf(operand: Operand): Term {
  return bare(isAttribute(operand) ? operand : { value: operand });
}

function isList(operand: ListOperand): operand is readonly Scalar[] {
  return Array.isArray(operand);
}

function isAttribute(operand: Operand): operand is AttributeRef {
  return typeof operand === 'object';
}
