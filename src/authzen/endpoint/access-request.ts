import type { Attributes, Environment, EnvironmentSource, Resource, Subject } from '../../core/index.ts';
import { ownProperty } from '../../core/own-property.ts';
import type { AuthzenEvaluation, AuthzenResource, AuthzenSubject } from '../information-model.ts';

/** What stands in a context of its own right, and so is no attribute. */
const FACTS: ReadonlySet<string> = new Set(['time', 'hour', 'ip', 'user_agent']);
const ACTION_PREFIX = 'action_';

/** A subject as policies see it: its type is the attribute `type`, whatever property is called so. */
export function subjectOf({ type, id, properties = {} }: AuthzenSubject, rolesProperty: string): Subject {
  const roles = ownProperty(properties, rolesProperty);
  const others = Object.entries(properties).filter(([name]) => name !== rolesProperty);
  return {
    id,
    roles: Array.isArray(roles) ? roles : [],
    attributes: Object.fromEntries([...others, ['type', type]]),
  };
}

/** A resource as policies see it; one with an empty id has none. */
export function resourceOf({ type, id, properties = {} }: AuthzenResource): Resource {
  return { type, ...(id !== '' && { id }), attributes: properties };
}

/**
 * The moment as policies see it. The time is this server's unless the caller's is trusted; then the hour of
 * another time zone's clock does not count either. The properties of the action are attributes named `action_...`,
 * which no member of the context can pass itself off as.
 */
export function environmentOf(
  { action, context }: Pick<AuthzenEvaluation, 'action' | 'context'>,
  source: EnvironmentSource,
  trustsTime: boolean,
): Environment {
  const ip = ownProperty(context, 'ip');
  const userAgent = ownProperty(context, 'user_agent');
  const caller = {
    ...(typeof ip === 'string' && { ip }),
    ...(typeof userAgent === 'string' && { userAgent }),
  };
  const now = source(caller);
  return { ...(trustsTime ? atTimeOf(context, now) : now), attributes: attributesOf(context, action.properties ?? {}) };
}

function atTimeOf(context: Attributes, now: Environment): Environment {
  const time = ownProperty(context, 'time');
  const hour = ownProperty(context, 'hour');
  const { hour: _, ...withoutHour } = now;
  const moment = typeof time === 'string' ? { ...withoutHour, time: Date.parse(time) } : now;
  return typeof hour === 'number' ? { ...moment, hour } : moment;
}

function attributesOf(context: Attributes, properties: Attributes): Attributes {
  const facts = Object.entries(context).filter(([name]) => !FACTS.has(name) && !name.startsWith(ACTION_PREFIX));
  const ofAction = Object.entries(properties).map(([name, value]) => [`${ACTION_PREFIX}${name}`, value] as const);
  return Object.fromEntries([...facts, ...ofAction]);
}
