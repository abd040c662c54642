import type { Attributes } from '../../core/index.ts';
import { namesIn } from '../condition/attribute.ts';
import { compareValues, findValue, isPresent, isUnknown } from '../condition/compare.ts';
import type { Formula } from '../condition/formula.ts';
import { type Constant, isConstantTerm, type Leaf, type Term } from '../condition/node.ts';
import { isScalar } from '../condition/value.ts';
import type { AttributeRef } from '../policy/policy.ts';

/** Looks at the attributes and the id of a resource. */
export type Test = (attributes: Attributes, id: unknown) => boolean;
type Read = (attributes: Attributes, id: unknown) => unknown;

/** Turns a formula over the attributes of a resource into a test. */
export function testOf(formula: Formula): Test {
  if (formula.kind === 'leaf') return leafTest(formula.leaf, formula.outcome);
  return half(formula.kind, formula.formulas.map(testOf));
}

/** A tree of pairs: a loop over the parts takes a quarter more time, and a chain of pairs could overflow the stack. */
function half(kind: 'all' | 'any', tests: readonly Test[]): Test {
  const [only = () => kind === 'all'] = tests;
  if (tests.length < 2) return only;
  const middle = tests.length >> 1;
  const [first, second] = [half(kind, tests.slice(0, middle)), half(kind, tests.slice(middle))];
  return kind === 'all'
    ? (attributes, id) => first(attributes, id) && second(attributes, id)
    : (attributes, id) => first(attributes, id) || second(attributes, id);
}

function leafTest(leaf: Leaf, outcome: boolean): Test {
  switch (leaf.kind) {
    case 'predicate':
      return () => false;
    case 'present': {
      const read = readerOf(leaf.attribute);
      return (attributes, id) => isPresent(read(attributes, id)) === outcome;
    }
    case 'member': {
      const { item, list, emptyIsUnknown } = leaf;
      const readItem = readerOf(item);
      if ('values' in list) return constantsTest(readItem, list.values, emptyIsUnknown, outcome);
      const readList = readerOf(list);
      return (attributes, id) =>
        findValue(readItem(attributes, id), readList(attributes, id), emptyIsUnknown) === outcome;
    }
    default:
      return comparisonTest(leaf, outcome);
  }
}

function comparisonTest(leaf: Extract<Leaf, { readonly left: Term }>, outcome: boolean): Test {
  const { kind, left, right, emptyIsUnknown } = leaf;
  if (kind === 'equal' && 'attr' in left && isConstantTerm(right))
    return equalTest(left, right, emptyIsUnknown, outcome);
  if (kind === 'equal' && 'attr' in right && isConstantTerm(left))
    return equalTest(right, left, emptyIsUnknown, outcome);
  const [readLeft, readRight] = [readerOf(left), readerOf(right)];
  return (attributes, id) =>
    compareValues(kind, readLeft(attributes, id), readRight(attributes, id), emptyIsUnknown) === outcome;
}

/** Most resources differ from the constant, so whether the value is the object's own is asked when it does not. */
function equalTest(attribute: AttributeRef, { value }: Constant, emptyIsUnknown: boolean, outcome: boolean): Test {
  const read = readerOf(attribute);
  if (!outcome) {
    return (attributes, id) => {
      const found = read(attributes, id);
      return found !== value && !isUnknown(found, emptyIsUnknown);
    };
  }
  if (isId(attribute)) return (_, id) => id === value;
  const name = nameIn(attribute);
  return (EQUALS[hashOf(name) % EQUALS.length] as Equals)(name, value);
}

/**
 * The same function over and over. The engine remembers where a property stands by the place in the source that reads
 * it, as long as one name is read there; a list is filtered a third faster when names have a place of their own.
 */
type Equals = (name: string, value: unknown) => Test;
const EQUALS: readonly Equals[] = [
  (name, value) => (attributes) => attributes[name] === value && Object.hasOwn(attributes, name),
  (name, value) => (attributes) => attributes[name] === value && Object.hasOwn(attributes, name),
  (name, value) => (attributes) => attributes[name] === value && Object.hasOwn(attributes, name),
  (name, value) => (attributes) => attributes[name] === value && Object.hasOwn(attributes, name),
  (name, value) => (attributes) => attributes[name] === value && Object.hasOwn(attributes, name),
  (name, value) => (attributes) => attributes[name] === value && Object.hasOwn(attributes, name),
  (name, value) => (attributes) => attributes[name] === value && Object.hasOwn(attributes, name),
  (name, value) => (attributes) => attributes[name] === value && Object.hasOwn(attributes, name),
];

function hashOf(name: string): number {
  let hash = 0;
  for (let i = 0; i < name.length; i++) hash = (hash * 31 + name.charCodeAt(i)) >>> 0;
  return (hash ^ (hash >>> 7)) >>> 0;
}

/** Constants that a policy or a subject brought; what says nothing was left out of them. */
function constantsTest(read: Read, values: readonly unknown[], emptyIsUnknown: boolean, outcome: boolean): Test {
  const constants = new Set(values);
  return (attributes, id) => {
    const value = read(attributes, id);
    return isScalar(value) && !(emptyIsUnknown && value === '') && constants.has(value) === outcome;
  };
}

function readerOf(term: Term): Read {
  if (isConstantTerm(term)) return () => term.value;
  if (isId(term)) return (_, id) => id;
  const name = nameIn(term);
  return (attributes) => {
    const value = attributes[name];
    return value === undefined || Object.hasOwn(attributes, name) ? value : undefined;
  };
}

function isId({ attr }: AttributeRef): boolean {
  return attr === 'resource.id';
}

/** The name of an attribute within its resource. */
export function nameIn({ attr }: AttributeRef): string {
  return namesIn(attr).name;
}
