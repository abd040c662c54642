import type { AccessRequest, Attributes, Environment, Resource, Subject } from '../../core/index.ts';
import type { AuthzenAction, AuthzenEvaluation, AuthzenResource, AuthzenSubject } from '../information-model.ts';
import type { ClientSettings } from './options.ts';

const LONE_SURROGATE = /\p{Surrogate}/u;
const MOST_DISTANT_TIME = 8.64e15;

/** What is sent of a request; `undefined` for one that cannot be said, since an id or a name in it is none. */
export function wireEvaluation(request: AccessRequest, settings: ClientSettings): AuthzenEvaluation | undefined {
  const subject = wireSubject(request.subject, settings);
  const resource = wireResource(request.resource, settings);
  const action = wireAction(request.action);
  if (subject === undefined || resource === undefined || action === undefined) return undefined;
  return { subject, action, resource, context: wireContext(request.environment, settings) };
}

export function wireSubject(subject: Subject, settings: ClientSettings): AuthzenSubject | undefined {
  const { id, roles, attributes } = subject;
  if (!isText(id) || id === '' || !roles.every(isText)) return undefined;
  const properties = { ...wireAttributes(attributes, settings.sends.subject), roles };
  return { type: settings.subjectType, id, properties };
}

/** A resource without an id has an empty one, since AuthZEN requires an id. */
export function wireResource(resource: Resource, { sends }: ClientSettings): AuthzenResource | undefined {
  const { type, id = '', attributes } = resource;
  if (!isText(type) || type === '' || !isText(id)) return undefined;
  return { type, id, properties: wireAttributes(attributes, sends.resource) };
}

export function wireAction(action: string): AuthzenAction | undefined {
  return isText(action) && action !== '' ? { name: action } : undefined;
}

/** The facts of the moment. No attribute passes itself off as one of them. */
export function wireContext(environment: Environment, { sends }: ClientSettings): Attributes {
  const { time, hour, ip, userAgent, attributes = {} } = environment;
  const facts = {
    time:
      Number.isFinite(time) && Math.abs(time) <= MOST_DISTANT_TIME
        ? new Date(Math.floor(time)).toISOString()
        : undefined,
    hour: Number.isFinite(hour) ? hour : undefined,
    ip: isText(ip) ? ip : undefined,
    user_agent: isText(userAgent) ? userAgent : undefined,
  };
  return { ...wireAttributes(attributes, sends.environment), ...facts };
}

/**
 * The own attributes that JSON says exactly. The others are left out: a policy takes them for unknown, which a `Date`
 * as a text, or `NaN` as `null`, would not be everywhere.
 */
function wireAttributes(attributes: Attributes, names: readonly string[] = Object.keys(attributes)): Attributes {
  const known = names.filter((name) => isText(name) && Object.hasOwn(attributes, name));
  return Object.fromEntries(
    known.map((name) => [name, wireValue(attributes[name])]).filter(([, value]) => value !== undefined),
  );
}

/** In a list, `null` stands where an element is unknown: it must not look as if it were not there. */
function wireValue(value: unknown): unknown {
  if (!Array.isArray(value)) return scalar(value);
  return Array.from(value, (element: unknown) => scalar(element) ?? null);
}

function scalar(value: unknown): string | number | boolean | undefined {
  if (typeof value === 'boolean' || isText(value)) return value;
  if (typeof value !== 'number' || !Number.isFinite(value)) return undefined;
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? undefined : value;
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && !LONE_SURROGATE.test(value);
}
