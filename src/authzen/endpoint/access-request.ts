import type { AccessRequest, Attributes, Environment, Resource, Subject } from '../../core/index.ts';
import { ownProperty } from '../../core/own-property.ts';
import type { AuthzenAction, AuthzenEvaluation, AuthzenResource, AuthzenSubject } from '../information-model.ts';
import type { EndpointSettings } from './options.ts';

/** What stands in a context of its own right, and so is no attribute. */
const FACTS: ReadonlySet<string> = new Set(['time', 'hour', 'ip', 'user_agent']);
const ACTION_PREFIX = 'action_';

/**
 * Makes the function that turns the evaluations of one request into access requests as policies see them; `undefined`
 * where there is no such subject or resource. What several evaluations share is read, and looked up, once: else a
 * large default of many small items would be copied for each of them.
 */
export function accessRequests(
  settings: EndpointSettings,
): (evaluation: AuthzenEvaluation) => Promise<AccessRequest | undefined> {
  const { subjectTypes, resolveSubject, resolveResource, rolesProperty } = settings;
  const subjectFor = once(async (subject: AuthzenSubject) =>
    resolveSubject === undefined ? subjectOf(subject, rolesProperty) : resolveSubject(subject),
  );
  const resourceFor = once(async (resource: AuthzenResource) =>
    resolveResource === undefined ? resourceOf(resource) : resolveResource(resource),
  );
  const ofContext = once(contextAttributes);
  const ofAction = once(actionAttributes);

  return async ({ subject: by, action, resource: on, context }) => {
    if (!subjectTypes.has(by.type)) return undefined;
    const subject = await subjectFor(by);
    const resource = await resourceFor(on);
    if (!subject || !resource) return undefined;
    const now = momentOf(context, settings);
    // What the server says of the moment counts more than what a caller says of it.
    const attributes = merged(ofContext(context), ofAction(action), now.attributes);
    return { subject, action: action.name, resource, environment: { ...now, attributes } };
  };
}

/** Remembers what was made of an object. */
function once<K extends object, V>(make: (key: K) => V): (key: K) => V {
  const made = new Map<K, V>();
  return (key) => {
    const value = made.has(key) ? (made.get(key) as V) : make(key);
    made.set(key, value);
    return value;
  };
}

/** A subject as policies see it: its type is the attribute `type`, whatever property is called so. */
function subjectOf({ type, id, properties = {} }: AuthzenSubject, rolesProperty: string): Subject {
  const roles = ownProperty(properties, rolesProperty);
  const others = Object.entries(properties).filter(([name]) => name !== rolesProperty);
  return {
    id,
    roles: Array.isArray(roles) ? roles : [],
    attributes: Object.fromEntries([...others, ['type', type]]),
  };
}

/** A resource as policies see it; one with an empty id has none. */
function resourceOf({ type, id, properties = {} }: AuthzenResource): Resource {
  return { type, ...(id !== '' && { id }), attributes: properties };
}

/**
 * The moment. The time is this server's unless the caller's is trusted; then the hour of another time zone's clock
 * does not count either.
 */
function momentOf(context: Attributes, { environment, trustsTime }: EndpointSettings): Environment {
  const ip = ownProperty(context, 'ip');
  const userAgent = ownProperty(context, 'user_agent');
  const now = environment({
    ...(typeof ip === 'string' && { ip }),
    ...(typeof userAgent === 'string' && { userAgent }),
  });
  return trustsTime ? atTimeOf(context, now) : now;
}

function atTimeOf(context: Attributes, now: Environment): Environment {
  const time = ownProperty(context, 'time');
  const hour = ownProperty(context, 'hour');
  const { hour: _, ...withoutHour } = now;
  const moment = typeof time === 'string' ? { ...withoutHour, time: Date.parse(time) } : now;
  return typeof hour === 'number' ? { ...moment, hour } : moment;
}

function contextAttributes(context: Attributes): Attributes | undefined {
  return attributesOf(Object.entries(context).filter(([name]) => !FACTS.has(name) && !name.startsWith(ACTION_PREFIX)));
}

/** Attributes named `action_...`, which no member of the context can pass itself off as. */
function actionAttributes({ properties = {} }: AuthzenAction): Attributes | undefined {
  return attributesOf(Object.entries(properties).map(([name, value]) => [`${ACTION_PREFIX}${name}`, value]));
}

function attributesOf(entries: readonly (readonly [string, unknown])[]): Attributes | undefined {
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

/** Nothing is copied where there is but one; of the same name, the last counts. */
function merged(...all: readonly (Attributes | undefined)[]): Attributes {
  const given = all.filter((attributes) => attributes !== undefined);
  const [first = {}, ...others] = given;
  return others.length === 0 ? first : Object.fromEntries(given.flatMap((attributes) => Object.entries(attributes)));
}
