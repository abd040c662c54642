import { isField, namesIn } from '../condition/attribute.ts';
import { isConstantTerm, type Term } from '../condition/node.ts';
import { zonedHour } from '../condition/zoned-hour.ts';
import type { Holder, View } from './view.ts';

/** Where one side of a comparison comes from, in a form that is fast to follow. */
export interface ValueSource {
  readonly place: number;
  /** The field, the part, `constant` or `zoned hour`. */
  readonly from: string;
  readonly name: string;
  readonly load: Load;
  readonly constant: unknown;
  readonly hourAt: (time: unknown) => unknown;
}

type Load = (holder: Holder, name: string) => unknown;

/** The fields of a request, the attributes of its parts, and what no request brings: see {@link valueAt}. */
const PLACES: readonly string[] = [
  'action',
  'subject.id',
  'subject.roles',
  'resource.type',
  'resource.id',
  'environment.time',
  'environment.hour',
  'environment.ip',
  'environment.userAgent',
  'subject',
  'resource',
  'environment',
  'constant',
  'zoned hour',
];

const BASE: object = Object.prototype;

/**
 * The same function over and over. V8 remembers where a property stands by the place in the source that reads it,
 * and only as long as one name is read there. Names with a copy to themselves make a whole decision twice as fast.
 */
const LOADS: readonly Load[] = [
  (holder, name) => (name in BASE ? carefully(holder, name) : holder[name]),
  (holder, name) => (name in BASE ? carefully(holder, name) : holder[name]),
  (holder, name) => (name in BASE ? carefully(holder, name) : holder[name]),
  (holder, name) => (name in BASE ? carefully(holder, name) : holder[name]),
  (holder, name) => (name in BASE ? carefully(holder, name) : holder[name]),
  (holder, name) => (name in BASE ? carefully(holder, name) : holder[name]),
  (holder, name) => (name in BASE ? carefully(holder, name) : holder[name]),
  (holder, name) => (name in BASE ? carefully(holder, name) : holder[name]),
  (holder, name) => (name in BASE ? carefully(holder, name) : holder[name]),
  (holder, name) => (name in BASE ? carefully(holder, name) : holder[name]),
  (holder, name) => (name in BASE ? carefully(holder, name) : holder[name]),
  (holder, name) => (name in BASE ? carefully(holder, name) : holder[name]),
  (holder, name) => (name in BASE ? carefully(holder, name) : holder[name]),
  (holder, name) => (name in BASE ? carefully(holder, name) : holder[name]),
  (holder, name) => (name in BASE ? carefully(holder, name) : holder[name]),
  (holder, name) => (name in BASE ? carefully(holder, name) : holder[name]),
];

/** A name that every object has is read only from who owns it. */
function carefully(holder: Holder, name: string): unknown {
  return Object.hasOwn(holder, name) ? holder[name] : undefined;
}

/** Prepares the reading of a constant, a field, an attribute, or the hour in a time zone. */
export function sourceOf(term: Term): ValueSource {
  if (isConstantTerm(term)) return source('constant', '', term.value);
  const { attr, timeZone } = term;
  if (timeZone !== undefined) return { ...source('zoned hour'), hourAt: zonedHour(timeZone) };
  if (isField(attr)) return source(attr);
  const { part, name } = namesIn(attr);
  return source(part, name);
}

function source(from: string, name = '', constant?: unknown): ValueSource {
  return { place: PLACES.indexOf(from), from, name, load: loadOf(name), constant, hourAt: () => undefined };
}

/** Makes a {@link sourceOf} that prepares every attribute once. */
export function sharedSources(): (term: Term) => ValueSource {
  const sources = new Map<string, ValueSource>();
  return (term) => {
    if (isConstantTerm(term)) return sourceOf(term);
    const key = `${term.attr} ${term.timeZone ?? ''}`;
    const known = sources.get(key) ?? sourceOf(term);
    sources.set(key, known);
    return known;
  };
}

/** Always the same copy for a name, so that all policies share what is remembered. */
function loadOf(name: string): Load {
  let hash = 0;
  for (let i = 0; i < name.length; i++) hash = (hash * 31 + name.charCodeAt(i)) >>> 0;
  return LOADS[(hash ^ (hash >>> 7)) & (LOADS.length - 1)] ?? carefully;
}

/** Reads a value. */
export function valueAt({ place, name, load, constant, hourAt }: ValueSource, view: View): unknown {
  switch (place) {
    case 0:
      return view.action;
    case 1:
      return view.subject.id;
    case 2:
      return view.subject.roles;
    case 3:
      return view.resource.type;
    case 4:
      return view.resource.id;
    case 5:
      return view.environment.time;
    case 6:
      return view.environment.hour;
    case 7:
      return view.environment.ip;
    case 8:
      return view.environment.userAgent;
    case 9:
      return load(view.ofSubject, name);
    case 10:
      return load(view.ofResource, name);
    case 11:
      return load(view.ofEnvironment, name);
    case 12:
      return constant;
    default:
      return hourAt(view.environment.time);
  }
}
