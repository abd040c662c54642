import type { AccessRequest } from '../../core/index.ts';
import { ownProperty } from '../../core/own-property.ts';
import type { Part } from '../condition/attribute.ts';

/** What holds values by name. */
export type Holder = Readonly<Record<string, unknown>>;

/**
 * A request whose parts and attributes are known to be there. What is read from it without further ado is its own:
 * every part is a plain object, or a copy of what a strange one owns.
 */
export interface View {
  /** As it was asked. */
  readonly request: AccessRequest;
  readonly action: unknown;
  readonly subject: { readonly id?: unknown; readonly roles?: unknown };
  readonly resource: { readonly id?: unknown; readonly type?: unknown };
  readonly environment: Moment;
  readonly ofSubject: Holder;
  readonly ofResource: Holder;
  readonly ofEnvironment: Holder;
  /** Lowered by whatever reads the clock, to the next moment at which that could come out otherwise. */
  until: number | undefined;
}

interface Moment {
  readonly time?: unknown;
  readonly hour?: unknown;
  readonly ip?: unknown;
  readonly userAgent?: unknown;
}

const NOTHING: Holder = Object.freeze(Object.create(null));
const BASE: object = Object.prototype;
/** A name that nothing has: it is read for the compiler's sake, before any getter can run. */
export const PROBE: unique symbol = Symbol('probe');
type Probed = { readonly [PROBE]?: unknown };

/** What an object with this prototype shows under a name that `Object.prototype` lacks is its own. */
function isBase(prototype: unknown): boolean {
  return prototype === BASE || prototype === null;
}

/** The attributes that a policy reads, by the part that they belong to. */
export type Names = Readonly<Record<Part, readonly string[]>>;

/**
 * Looks at the parts of a request once, so that a comparison is one look at an own property. The compiler knows what
 * the prototype of an object is right after something of that object has been read, and then asks nothing.
 */
export function viewOf(request: AccessRequest, names: Names): View {
  if (typeof request !== 'object' || request === null || isPolluted()) return carefully(request, names);
  void (request as Probed)[PROBE];
  if (!isBase(Object.getPrototypeOf(request))) return carefully(request, names);
  const { subject, action, resource, environment } = request as Partial<AccessRequest>;
  if (typeof subject !== 'object' || typeof resource !== 'object' || typeof environment !== 'object')
    return carefully(request, names);
  if (subject === null || resource === null || environment === null) return carefully(request, names);
  void (subject as Probed)[PROBE];
  if (!isBase(Object.getPrototypeOf(subject))) return carefully(request, names);
  void (resource as Probed)[PROBE];
  if (!isBase(Object.getPrototypeOf(resource))) return carefully(request, names);
  void (environment as Probed)[PROBE];
  if (!isBase(Object.getPrototypeOf(environment))) return carefully(request, names);
  let ofSubject: unknown = subject.attributes;
  let ofResource: unknown = resource.attributes;
  let ofEnvironment: unknown = environment.attributes;
  if (typeof ofSubject !== 'object' || ofSubject === null) ofSubject = NOTHING;
  else {
    void (ofSubject as Probed)[PROBE];
    if (!isBase(Object.getPrototypeOf(ofSubject))) ofSubject = copyOf(ofSubject, names.subject);
  }
  if (typeof ofResource !== 'object' || ofResource === null) ofResource = NOTHING;
  else {
    void (ofResource as Probed)[PROBE];
    if (!isBase(Object.getPrototypeOf(ofResource))) ofResource = copyOf(ofResource, names.resource);
  }
  if (typeof ofEnvironment !== 'object' || ofEnvironment === null) ofEnvironment = NOTHING;
  else if (!isBase(Object.getPrototypeOf(ofEnvironment))) ofEnvironment = copyOf(ofEnvironment, names.environment);
  return {
    request,
    action,
    subject,
    resource,
    environment,
    ofSubject: ofSubject as Holder,
    ofResource: ofResource as Holder,
    ofEnvironment: ofEnvironment as Holder,
    until: undefined,
  };
}

/** Of what is not plain, only what it owns is copied. */
function carefully(request: unknown, names: Names): View {
  const [subject, resource, environment] = ['subject', 'resource', 'environment'].map((part) => own(request, part));
  return {
    request: request as AccessRequest,
    action: own(request, 'action'),
    subject: { id: own(subject, 'id'), roles: own(subject, 'roles') },
    resource: { id: own(resource, 'id'), type: own(resource, 'type') },
    environment: {
      time: own(environment, 'time'),
      hour: own(environment, 'hour'),
      ip: own(environment, 'ip'),
      userAgent: own(environment, 'userAgent'),
    },
    ofSubject: copyOf(own(subject, 'attributes'), names.subject),
    ofResource: copyOf(own(resource, 'attributes'), names.resource),
    ofEnvironment: copyOf(own(environment, 'attributes'), names.environment),
    until: undefined,
  };
}

function copyOf(holder: unknown, names: readonly string[]): Holder {
  const copy: Record<string, unknown> = Object.create(null);
  for (const name of names) copy[name] = own(holder, name);
  return copy;
}

function isObject(value: unknown): value is Holder {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function own(holder: unknown, name: string): unknown {
  return isObject(holder) ? ownProperty(holder, name) : undefined;
}

/** The names are written out one by one, since the compiler then finds each look to be free. */
function isPolluted(): boolean {
  return (
    'subject' in BASE ||
    'resource' in BASE ||
    'environment' in BASE ||
    'action' in BASE ||
    'attributes' in BASE ||
    'id' in BASE ||
    'roles' in BASE ||
    'type' in BASE ||
    'time' in BASE ||
    'hour' in BASE ||
    'ip' in BASE ||
    'userAgent' in BASE
  );
}
