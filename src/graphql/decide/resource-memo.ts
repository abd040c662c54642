import type { GraphQLResolveInfo } from 'graphql';
import type { Decision, MaybePromise } from '../../core/index.ts';

/** Decisions by the number of their rule: a look-up that costs as much as reading a property. */
export type Decided = (MaybePromise<Decision> | undefined)[];

/** Where a question comes from, as far as it matters to what is remembered. */
interface Asking {
  readonly args: object;
  readonly info?: Pick<GraphQLResolveInfo, 'operation' | 'path'> | undefined;
}

/** Decisions about resources, by the identity of what a rule is about. */
export interface ByResource {
  /** The decisions that were made about it; `undefined` where none may be remembered. */
  decisions(resource: unknown, asking: Asking): Decided | undefined;
}

/**
 * Remembers as long as nothing changes: in a query and in one event all along, in a mutation within one root field.
 * The fields of a mutation run one after the other, and what one of them changes the next must not be decided from
 * memory; nor is what was decided before the resolver of such a field good for what it resolves to.
 */
export function createByResource(): ByResource {
  const unchanged = new WeakMap<object, Decided>();
  const changing = new WeakMap<object, WeakMap<object, Decided>>();

  return {
    decisions(resource, { args, info }) {
      if (info === undefined || !isObject(resource)) return undefined;
      if (info.operation.operation !== 'mutation') return entry(unchanged, resource, empty);
      // A path and arguments are made anew for each field that is executed, whatever it is called there.
      const { path } = info;
      return entry(entry(changing, path.prev === undefined ? args : rootOf(path), newMap), resource, empty);
    },
  };
}

function rootOf(path: GraphQLResolveInfo['path']): object {
  let root = path;
  while (root.prev !== undefined) root = root.prev;
  return root;
}

function entry<Value>(map: WeakMap<object, Value>, key: object, create: () => Value): Value {
  const known = map.get(key);
  if (known !== undefined) return known;
  const value = create();
  map.set(key, value);
  return value;
}

function empty(): Decided {
  return [];
}

function newMap(): WeakMap<object, Decided> {
  return new WeakMap();
}

function isObject(value: unknown): value is object {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}
