import type { AccessRequest } from '../../core/index.ts';
import { ownProperty } from '../../core/own-property.ts';
import type { AttributePath } from '../policy/policy.ts';

/** What is known of a value before any request: its type, or nothing for attributes. */
export type Kind = 'string' | 'number' | 'boolean' | 'list' | undefined;

/** Fetches one value of a request; `undefined` when it is not there. */
export type Reader = (request: AccessRequest) => unknown;

const FIELDS: ReadonlyMap<string, { readonly kind: Kind; readonly read: Reader }> = new Map([
  ['subject.id', { kind: 'string', read: ({ subject }) => ownProperty(subject, 'id') }],
  ['subject.roles', { kind: 'list', read: ({ subject }) => ownProperty(subject, 'roles') }],
  ['resource.type', { kind: 'string', read: ({ resource }) => ownProperty(resource, 'type') }],
  ['resource.id', { kind: 'string', read: ({ resource }) => ownProperty(resource, 'id') }],
  ['action', { kind: 'string', read: (request) => ownProperty(request, 'action') }],
  ['environment.time', { kind: 'number', read: ({ environment }) => ownProperty(environment, 'time') }],
  ['environment.hour', { kind: 'number', read: ({ environment }) => ownProperty(environment, 'hour') }],
  ['environment.ip', { kind: 'string', read: ({ environment }) => ownProperty(environment, 'ip') }],
  ['environment.userAgent', { kind: 'string', read: ({ environment }) => ownProperty(environment, 'userAgent') }],
]);
const ATTRIBUTE = /^(?:subject|resource)\.([A-Za-z_][A-Za-z0-9_]{0,63})$/;
const REFUSED: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/** Tells whether a text names a value of a request. */
export function isAttributePath(path: string): path is AttributePath {
  return FIELDS.has(path) || nameOf(path) !== undefined;
}

/** The type of the values at a path. */
export function kindOf(path: AttributePath): Kind {
  return FIELDS.get(path)?.kind;
}

/** Makes the reader of a path; only own properties are ever read. */
export function readerOf(path: AttributePath): Reader {
  const field = FIELDS.get(path);
  if (field !== undefined) return field.read;
  const name = nameOf(path) ?? '';
  return path.startsWith('subject.')
    ? ({ subject }) => ownProperty(subject.attributes, name)
    : ({ resource }) => ownProperty(resource.attributes, name);
}

function nameOf(path: string): string | undefined {
  const name = ATTRIBUTE.exec(path)?.[1];
  return name === undefined || REFUSED.has(name) ? undefined : name;
}
