import { types } from 'node:util';
import { configInvalid, isPlainObject } from '../../core/config-invalid.ts';
import type { AccessRequest } from '../../core/index.ts';
import { leavesIn, type Node } from '../condition/node.ts';

/** Functions that a policy names: what no condition can say. They are no part of proofs, filters and exports. */
export type Predicates = Readonly<Record<string, (request: AccessRequest) => boolean>>;

/** A predicate that answers yes, no, or nothing. */
export type Predicate = (request: AccessRequest) => boolean | undefined;

/** A throw, a promise and every other answer that is no boolean is unknown. */
export function predicateOf(ask: (request: AccessRequest) => unknown): Predicate {
  return (request) => {
    try {
      const answer = ask(request);
      // Nobody awaits it, and a rejection that nobody hears ends the process.
      if (types.isPromise(answer)) answer.catch(() => undefined);
      return typeof answer === 'boolean' ? answer : undefined;
    } catch {
      return undefined;
    }
  };
}

/**
 * Takes the functions over, so that a later change of the object changes no answer.
 *
 * @throws `CONFIG_INVALID` when a named function is missing or is none.
 */
export function checkedPredicates(
  given: Predicates | undefined,
  rules: readonly Node[],
): ReadonlyMap<string, Predicate> {
  if (given !== undefined && !isPlainObject(given)) throw configInvalid('predicates', 'must be a plain object');
  const tests = new Map<string, Predicate>();
  for (const [name, ask] of Object.entries(given ?? {})) {
    if (typeof ask !== 'function') throw configInvalid(`predicates.${name}`, 'must be a function');
    tests.set(name, predicateOf(ask));
  }
  for (const leaf of rules.flatMap(leavesIn)) {
    if (leaf.kind === 'predicate' && !tests.has(leaf.name))
      throw configInvalid(`predicates.${leaf.name}`, 'is named by the policy and missing');
  }
  return tests;
}
