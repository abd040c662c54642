import type { Attributes } from '../../core/index.ts';
import { ownProperty } from '../../core/own-property.ts';
import type { Formula } from '../condition/formula.ts';
import { isConstantTerm, type Leaf, type Term } from '../condition/node.ts';
import { isScalar } from '../condition/value.ts';
import type { AttributeRef } from '../policy/policy.ts';
import type { Filter } from './filter.ts';
import { compareValues, findValue, isPresent, isUnknown } from './settle.ts';

/** A resource as a filter looks at it. */
export interface FilterableResource {
  /** Where it is given, it must be the type that the filter was made for. */
  readonly type?: string;
  readonly id?: string;
  readonly attributes: Attributes;
}

type Test = (resource: FilterableResource) => boolean;
type Read = (resource: FilterableResource) => unknown;

/**
 * Turns a filter into a function that tells whether a resource is allowed: the answer that `decide` would give.
 * A resource of another type than the filter was made for is not.
 *
 * @example
 * const isVisible = toPredicate(engine.filter({ subject, action: 'read', resource: { type: 'post' }, environment }));
 * const visible = posts.filter(isVisible);
 */
export function toPredicate(filter: Filter): (resource: FilterableResource) => boolean {
  if (filter.kind === 'none') return () => false;
  const test = filter.kind === 'all' ? () => true : testOf(filter.formula);
  const { resourceType } = filter;
  return (resource) => {
    const type = ownProperty(resource, 'type');
    return (type === undefined || Object.is(type, resourceType)) && test(resource);
  };
}

function testOf(formula: Formula): Test {
  if (formula.kind === 'leaf') return leafTest(formula.leaf, formula.outcome);
  const tests = formula.formulas.map(testOf);
  const settling = formula.kind === 'any';
  return (resource) => {
    for (const test of tests) if (test(resource) === settling) return settling;
    return !settling;
  };
}

function leafTest(leaf: Leaf, outcome: boolean): Test {
  switch (leaf.kind) {
    case 'predicate':
      return () => false;
    case 'present': {
      const read = readerOf(leaf.attribute);
      return (resource) => isPresent(read(resource)) === outcome;
    }
    case 'member': {
      const { item, list, emptyIsUnknown } = leaf;
      const readItem = readerOf(item);
      if ('values' in list) return constantsTest(readItem, list.values, emptyIsUnknown, outcome);
      const readList = readerOf(list);
      return (resource) => findValue(readItem(resource), readList(resource), emptyIsUnknown) === outcome;
    }
    default:
      return comparisonTest(leaf, outcome);
  }
}

function comparisonTest(leaf: Extract<Leaf, { readonly left: Term }>, outcome: boolean): Test {
  const { kind, left, right, emptyIsUnknown } = leaf;
  const [readLeft, readRight] = [readerOf(left), readerOf(right)];
  const constant = [left, right].find(isConstantTerm);
  if (kind === 'equal' && constant !== undefined) {
    const { value } = constant;
    const read = constant === left ? readRight : readLeft;
    if (outcome) return (resource) => read(resource) === value;
    return (resource) => {
      const found = read(resource);
      return found !== value && !isUnknown(found, emptyIsUnknown);
    };
  }
  return (resource) => compareValues(kind, readLeft(resource), readRight(resource), emptyIsUnknown) === outcome;
}

/** Constants that a policy or a subject brought; what says nothing was left out of them. */
function constantsTest(read: Read, values: readonly unknown[], emptyIsUnknown: boolean, outcome: boolean): Test {
  const constants = new Set(values);
  return (resource) => {
    const value = read(resource);
    return isScalar(value) && !(emptyIsUnknown && value === '') && constants.has(value) === outcome;
  };
}

function readerOf(term: Term | AttributeRef): Read {
  if (isConstantTerm(term)) return () => term.value;
  const name = term.attr.slice('resource.'.length);
  return name === 'id'
    ? (resource) => ownProperty(resource, 'id')
    : (resource) => ownProperty(ownProperty(resource, 'attributes'), name);
}
