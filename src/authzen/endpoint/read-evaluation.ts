import { type Attributes, DoorwardError } from '../../core/index.ts';
import type { JsonObject } from '../../core/json-object.ts';
import { ownProperty } from '../../core/own-property.ts';
import type { AuthzenAction, AuthzenEvaluation, AuthzenResource, AuthzenSubject } from '../information-model.ts';

/** The entities of a request, each read where it stands. Unknown fields are ignored, `null` means absent. */
export interface EntityReader {
  /** @throws `INPUT_INVALID` */
  evaluation(body: JsonObject): AuthzenEvaluation;
  subject(body: JsonObject): AuthzenSubject;
  action(body: JsonObject): AuthzenAction;
  resource(body: JsonObject): AuthzenResource;
  context(body: JsonObject): Attributes;
  /** The type alone, of an entity that is searched for. */
  searchedType(body: JsonObject, entity: 'subject' | 'resource'): string;
}

/** A policy reads attributes by name. What is merged for each of many evaluations must be small. */
const MAX_MEMBERS = 1_000;
const RFC3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)$/i;

/**
 * Makes the reader of the entities of requests.
 *
 * @param rolesProperty - the property of a subject that holds roles: what is no list of texts is refused there,
 * since a subject without the roles that it was meant to have might be allowed more
 * @param trustsTime - whether `context.time` and `context.hour` count, and so must make sense
 */
export function entityReader(rolesProperty: string, trustsTime: boolean): EntityReader {
  const reader: EntityReader = {
    evaluation: (body) => ({
      subject: reader.subject(body),
      action: reader.action(body),
      resource: reader.resource(body),
      context: reader.context(body),
    }),
    subject(body) {
      const subject = objectAt(body, 'subject');
      const properties = propertiesOf(subject, 'subject');
      const roles = ownProperty(properties, rolesProperty) ?? [];
      if (!Array.isArray(roles) || !roles.every((role) => typeof role === 'string')) {
        throw invalid(`subject.properties.${rolesProperty}`, 'must be a list of strings');
      }
      return { type: nameAt(subject, 'subject', 'type'), id: nameAt(subject, 'subject', 'id'), properties };
    },
    action(body) {
      const action = objectAt(body, 'action');
      return { name: nameAt(action, 'action', 'name'), properties: propertiesOf(action, 'action') };
    },
    resource(body) {
      const resource = objectAt(body, 'resource');
      const id = textAt(resource, 'resource', 'id');
      return { type: nameAt(resource, 'resource', 'type'), id, properties: propertiesOf(resource, 'resource') };
    },
    context(body) {
      const context = optionalObjectAt(body, 'context', 'context');
      if (trustsTime) checkTime(context);
      return context;
    },
    searchedType: (body, entity) => nameAt(objectAt(body, entity), entity, 'type'),
  };
  return reader;
}

/** The own, not null members of an object that may be absent. */
export function optionalObjectAt(holder: unknown, name: string, path: string): Attributes {
  const value = ownProperty(holder, name) ?? {};
  if (!isObject(value)) throw invalid(path, 'must be an object');
  const members = Object.entries(value).filter(([, member]) => member !== null);
  if (members.length > MAX_MEMBERS) throw invalid(path, `must have at most ${MAX_MEMBERS} members`);
  return Object.fromEntries(members);
}

/** The error of a field of a request; it never repeats the value. */
export function invalid(field: string, problem: string): DoorwardError {
  return new DoorwardError('INPUT_INVALID', { field, problem });
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function objectAt(body: JsonObject, name: string): JsonObject {
  const value = ownProperty(body, name) ?? undefined;
  if (value === undefined) throw invalid(name, 'is required');
  if (!isObject(value)) throw invalid(name, 'must be an object');
  return value;
}

function propertiesOf(entity: JsonObject, path: string): Attributes {
  return optionalObjectAt(entity, 'properties', `${path}.properties`);
}

function nameAt(entity: JsonObject, path: string, name: string): string {
  const text = textAt(entity, path, name);
  if (text === '') throw invalid(`${path}.${name}`, 'must not be empty');
  return text;
}

function textAt(entity: JsonObject, path: string, name: string): string {
  const value = ownProperty(entity, name) ?? undefined;
  if (value === undefined) throw invalid(`${path}.${name}`, 'is required');
  if (typeof value !== 'string') throw invalid(`${path}.${name}`, 'must be a string');
  return value;
}

function checkTime(context: Attributes): void {
  const time = ownProperty(context, 'time');
  const hour = ownProperty(context, 'hour');
  const isMoment = typeof time === 'string' && RFC3339.test(time) && Number.isFinite(Date.parse(time));
  if (time !== undefined && !isMoment) throw invalid('context.time', 'must be a date and time of RFC 3339');
  const isHour = typeof hour === 'number' && Number.isInteger(hour) && hour >= 0 && hour <= 23;
  if (hour !== undefined && !isHour) throw invalid('context.hour', 'must be a whole number from 0 to 23');
}
