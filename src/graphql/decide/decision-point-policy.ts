import { configInvalid, isPlainObject } from '../../core/config-invalid.ts';
import type { Environment, PolicyDecisionPoint, Principal, Resource, Vocabulary } from '../../core/index.ts';
import { ownProperty } from '../../core/own-property.ts';
import { requireDecisionPoint } from '../../core/policy-decision-point.ts';

/** What the resource of a {@link DecisionPointPolicy} is made from. */
export interface DecisionPointInput<Context = unknown> {
  /** What the rule is about; see `PolicyInput`. */
  readonly resource: unknown;
  readonly principal: Principal;
  readonly context: Context;
  readonly environment: Environment;
}

/**
 * A policy that a decision point answers: an attribute policy of this process, an OPA or an AuthZEN server. It is
 * decided once for what the rule is about (the same object of arguments, parent, result or input) and once more in
 * every root field of a mutation, whose turn may come after a change. A remote decision point that has `decideAll`
 * gets what is asked in one turn in one call.
 *
 * A policy that must look at the field itself, its coordinate or another object, is a function.
 *
 * @example
 * const readDocument: DecisionPointPolicy = {
 *   action: 'read',
 *   resource: ({ resource }) => documentResource(resource),
 * };
 */
export interface DecisionPointPolicy<Context = unknown> {
  /** The action that is asked about. */
  readonly action: string;
  /** Says what the action is asked about; what it throws, or an answer that is no resource, lets nobody through. */
  readonly resource: (about: DecisionPointInput<Context>) => Resource;
  /** Whoever decides. @default the `pdp` of the schema */
  readonly pdp?: PolicyDecisionPoint;
}

const OPTIONS: readonly string[] = ['action', 'resource', 'pdp'];

/**
 * Refuses a policy that could never be decided, or of which a part would be ignored.
 *
 * @throws `CONFIG_INVALID`
 */
export function requireDecisionPointPolicy(at: string, value: unknown, pdp: Partial<Vocabulary>): void {
  if (!isPlainObject(value)) throw configInvalid(at, 'must be a function, or an object with action and resource');
  const unknown = Object.keys(value).find((name) => !OPTIONS.includes(name));
  if (unknown !== undefined) throw configInvalid(`${at}.${unknown}`, 'is not a known option');
  const action = ownProperty(value, 'action');
  if (typeof action !== 'string' || action === '') throw configInvalid(`${at}.action`, 'must be the name of an action');
  if (typeof ownProperty(value, 'resource') !== 'function') throw configInvalid(`${at}.resource`, 'must be a function');
  if (Object.hasOwn(value, 'pdp')) {
    // A variable that is not set must not leave the question to another decision point.
    requireDecisionPoint(`${at}.pdp`, ownProperty(value, 'pdp'));
  } else if (pdp.permissions?.includes(action) === false) {
    throw configInvalid(`${at}.action`, `is no permission that the decision point knows: ${action}`);
  }
}

/** Own properties only: what an object inherits does not say what it is. */
export function isResource(value: unknown): value is Resource {
  const id = ownProperty(value, 'id');
  const type = ownProperty(value, 'type');
  const attributes = ownProperty(value, 'attributes');
  if (typeof type !== 'string' || type === '') return false;
  if (id !== undefined && typeof id !== 'string') return false;
  return typeof attributes === 'object' && attributes !== null && !Array.isArray(attributes);
}
