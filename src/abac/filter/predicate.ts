import type { Attributes } from '../../core/index.ts';
import { ownProperty } from '../../core/own-property.ts';
import { attributesOf } from '../condition/node.ts';
import type { Filter } from './filter.ts';
import { leavesOf } from './policy-residual.ts';
import { nameIn, testOf } from './resource-test.ts';

/** A resource as a filter looks at it. */
export interface FilterableResource {
  /** Where it is given, it must be the type that the filter was made for. */
  readonly type?: string;
  readonly id?: string;
  readonly attributes: Attributes;
}

const PARTS = ['type', 'id', 'attributes'];
const BASE: object = Object.prototype;

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
  const names = filter.kind === 'all' ? [] : leavesOf(filter.formula).flatMap(attributesOf).map(nameIn);
  const { resourceType } = filter;
  const isAllowed = (type: unknown, id: unknown, attributes: Attributes) =>
    (type === undefined || Object.is(type, resourceType)) && test(attributes, id);
  const isAllowedByOwn = (resource: unknown) => {
    const { type, id, attributes } = ownValues(resource, PARTS);
    return isAllowed(type, id, ownValues(attributes, names));
  };
  return (resource) => {
    if (!isObject(resource)) return false;
    // Having read any value, the compiler knows what the prototype of an object is, and does not ask.
    void resource.constructor;
    if (!isPlain(resource) || isPolluted()) return isAllowedByOwn(resource);
    const { type, id, attributes } = resource;
    if (!isObject(attributes)) return isAllowedByOwn(resource);
    void attributes.constructor;
    return isAllowed(type, id, isPlain(attributes) ? attributes : ownValues(attributes, names));
  };
}

/** Lists hold no values by name. */
function isObject(value: unknown): value is Attributes {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Reading by name asks no getter that a class inherits. */
function isPlain(holder: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(holder);
  return prototype === BASE || prototype === null;
}

function isPolluted(): boolean {
  return 'type' in BASE || 'id' in BASE || 'attributes' in BASE;
}

function ownValues(holder: unknown, names: readonly string[]): Attributes {
  const values = Object.create(null) as Record<string, unknown>;
  for (const name of isObject(holder) ? names : []) values[name] = ownProperty(holder, name);
  return values;
}
