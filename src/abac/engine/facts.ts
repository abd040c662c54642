import type { AccessRequest } from '../../core/index.ts';
import { isField, namesIn, type Part } from '../condition/attribute.ts';
import { zonedHour } from '../condition/zoned-hour.ts';
import type { AttributePath, AttributeRef } from '../policy/policy.ts';
import { type Holder, type OwnReader, own, ownReader } from './own-reader.ts';

/**
 * The own values of a request that every policy may read: its nine fields, the three objects that hold attributes,
 * and the request itself, at fixed places. They are gathered once, so that a comparison is one look at an own
 * property instead of three: with that, the contract's policy is decided about three times as fast.
 */
export type Facts = readonly unknown[];

const FIELDS: readonly AttributePath[] = [
  'subject.id',
  'subject.roles',
  'resource.type',
  'resource.id',
  'action',
  'environment.time',
  'environment.hour',
  'environment.ip',
  'environment.userAgent',
];
const HOLDERS: Readonly<Record<Part, number>> = { subject: 9, resource: 10, environment: 11 };
const REQUEST = 12;
/** Where the time stands. */
export const TIME = 5;

const NOTHING: Holder = Object.freeze(Object.create(null));
const OBJECT: object = Object.prototype;

/** Where a value stands: a field has a place of its own, an attribute has its holder's place and a name. */
export interface Place {
  readonly at: number;
  readonly name: string | undefined;
  readonly read: OwnReader;
}

export function placeOf(path: AttributePath): Place {
  const read = ownReader(path);
  if (isField(path)) return { at: FIELDS.indexOf(path), name: undefined, read };
  const { part, name } = namesIn(path);
  return { at: HOLDERS[part], name, read };
}

/** Reads a field or an attribute: an own property or nothing. */
export function valueAt(facts: Facts, { at, name, read }: Place): unknown {
  return name === undefined ? facts[at] : read(facts[at] as Holder, name);
}

/** Makes the function that fetches a value from the facts. */
export function factReader({ attr, timeZone }: AttributeRef): (facts: Facts) => unknown {
  if (timeZone !== undefined) {
    const hourAt = zonedHour(timeZone);
    return (facts) => hourAt(facts[TIME]);
  }
  const place = placeOf(attr);
  return (facts) => valueAt(facts, place);
}

export function timeOf(facts: Facts): unknown {
  return facts[TIME];
}

export function requestOf(facts: Facts): AccessRequest {
  return facts[REQUEST] as AccessRequest;
}

/**
 * Gathers the facts. What a plain object holds is its own unless `Object.prototype` has the name, so plain requests
 * are read without asking name by name: three times as fast, and the same values. The prototypes are looked at one by
 * one, right after a value of the object, since the compiler then knows them.
 */
export function factsOf(request: AccessRequest): Facts {
  if (typeof request !== 'object' || request === null || isPolluted()) return carefully(request);
  const { subject, action, resource, environment } = request as Partial<AccessRequest>;
  if (!isBase(Object.getPrototypeOf(request))) return carefully(request);
  if (typeof subject !== 'object' || typeof resource !== 'object' || typeof environment !== 'object')
    return carefully(request);
  if (subject === null || resource === null || environment === null) return carefully(request);
  const { id, roles, attributes: ofSubject } = subject;
  if (!isBase(Object.getPrototypeOf(subject))) return carefully(request);
  const { type, id: resourceId, attributes: ofResource } = resource;
  if (!isBase(Object.getPrototypeOf(resource))) return carefully(request);
  const { time, hour, ip, userAgent, attributes: ofEnvironment } = environment;
  if (!isBase(Object.getPrototypeOf(environment))) return carefully(request);
  return [
    id,
    roles,
    type,
    resourceId,
    action,
    time,
    hour,
    ip,
    userAgent,
    holderOf(ofSubject),
    holderOf(ofResource),
    holderOf(ofEnvironment),
    request,
  ];
}

function carefully(request: AccessRequest): Facts {
  const whole = holderOf(request);
  const subject = holderOf(own(whole, 'subject'));
  const resource = holderOf(own(whole, 'resource'));
  const environment = holderOf(own(whole, 'environment'));
  return [
    own(subject, 'id'),
    own(subject, 'roles'),
    own(resource, 'type'),
    own(resource, 'id'),
    own(whole, 'action'),
    own(environment, 'time'),
    own(environment, 'hour'),
    own(environment, 'ip'),
    own(environment, 'userAgent'),
    holderOf(own(subject, 'attributes')),
    holderOf(own(resource, 'attributes')),
    holderOf(own(environment, 'attributes')),
    request,
  ];
}

function holderOf(value: unknown): Holder {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Holder) : NOTHING;
}

function isBase(prototype: unknown): boolean {
  return prototype === OBJECT || prototype === null;
}

/** The names are written out one by one, since the compiler then finds each look to be free. */
function isPolluted(): boolean {
  return (
    'subject' in OBJECT ||
    'resource' in OBJECT ||
    'environment' in OBJECT ||
    'action' in OBJECT ||
    'attributes' in OBJECT ||
    'id' in OBJECT ||
    'roles' in OBJECT ||
    'type' in OBJECT ||
    'time' in OBJECT ||
    'hour' in OBJECT ||
    'ip' in OBJECT ||
    'userAgent' in OBJECT
  );
}
