import type { AccessRequest } from '../../core/index.ts';
import { ownProperty } from '../../core/own-property.ts';
import type { AttributePath } from '../policy/policy.ts';
import { zonedHour } from './zoned-hour.ts';

/** What is known of a value before any request: its type, or nothing for attributes. */
export type Kind = 'string' | 'number' | 'boolean' | 'list' | undefined;

/** Fetches one value of a request; `undefined` when it is not there. */
export type Reader = (request: AccessRequest) => unknown;

/** The parts of a request that hold values. */
export type Part = 'subject' | 'resource' | 'environment';

const FIELDS: ReadonlyMap<string, Kind> = new Map([
  ['subject.id', 'string'],
  ['subject.roles', 'list'],
  ['resource.type', 'string'],
  ['resource.id', 'string'],
  ['action', 'string'],
  ['environment.time', 'number'],
  ['environment.hour', 'number'],
  ['environment.ip', 'string'],
  ['environment.userAgent', 'string'],
]);
const ATTRIBUTE = /^(subject|resource|environment)\.([A-Za-z_][A-Za-z0-9_]{0,63})$/;
const REFUSED: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/** Tells whether a text names a value of a request. */
export function isAttributePath(path: string): path is AttributePath {
  return FIELDS.has(path) || (ATTRIBUTE.test(path) && !REFUSED.has(namesIn(path).name));
}

/** Whether a path names one of the request's own fields, and no attribute. */
export function isField(path: AttributePath): boolean {
  return FIELDS.has(path);
}

/** The type of the values at a path. */
export function kindOf(path: AttributePath): Kind {
  return FIELDS.get(path);
}

/** The part of the request that a path leads into, and the name there. `action` stands beside the parts. */
export function namesIn(path: string): { readonly part: Part; readonly name: string } {
  const [part, found = ''] = path.split('.', 2);
  // A text that has been a key is known by its address from then on, which reading by it relies on to be fast.
  const [name = ''] = Object.keys({ [found]: true });
  return { part: part as Part, name };
}

/**
 * Makes the reader of a path; only own properties are ever read.
 *
 * @param timeZone - at `environment.hour`: counts the hour from `environment.time` in this zone
 */
export function readerOf(path: AttributePath, timeZone?: string): Reader {
  if (timeZone !== undefined) {
    const hourAt = zonedHour(timeZone);
    return (request) => hourAt(own(own(request, 'environment'), 'time'));
  }
  if (path === 'action') return (request) => own(request, 'action');
  const { part, name } = namesIn(path);
  if (isField(path)) return (request) => own(own(request, part), name);
  return (request) => own(own(own(request, part), 'attributes'), name);
}

/** A list holds no values by name; its length is no attribute. */
function own(holder: unknown, name: string): unknown {
  return Array.isArray(holder) ? undefined : ownProperty(holder, name);
}
