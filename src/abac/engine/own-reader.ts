/** What holds values by name. */
export type Holder = Readonly<Record<string, unknown>>;

/** Reads an own property, or nothing. */
export type OwnReader = (holder: Holder, name: string) => unknown;

const OBJECT: object = Object.prototype;

/** Reads an own property of whatever object. */
export function own(holder: Holder, name: string): unknown {
  return Object.hasOwn(holder, name) ? holder[name] : undefined;
}

/** Whether what an object shows under a name that `Object.prototype` lacks is its own. */
export function isPlain(holder: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(holder);
  return prototype === OBJECT || prototype === null;
}

/**
 * The same function over and over. The engine remembers where a property stands by the place in the source that
 * reads it, as long as one name is read there; a name that has its copy to itself is read about ten times as fast.
 * Where the object is plain and `Object.prototype` lacks the name, a look is enough to know that a property is its
 * own.
 */
const COPIES: readonly OwnReader[] = [
  (holder, name) =>
    name in holder ? (isPlain(holder) && !(name in OBJECT) ? holder[name] : own(holder, name)) : undefined,
  (holder, name) =>
    name in holder ? (isPlain(holder) && !(name in OBJECT) ? holder[name] : own(holder, name)) : undefined,
  (holder, name) =>
    name in holder ? (isPlain(holder) && !(name in OBJECT) ? holder[name] : own(holder, name)) : undefined,
  (holder, name) =>
    name in holder ? (isPlain(holder) && !(name in OBJECT) ? holder[name] : own(holder, name)) : undefined,
  (holder, name) =>
    name in holder ? (isPlain(holder) && !(name in OBJECT) ? holder[name] : own(holder, name)) : undefined,
  (holder, name) =>
    name in holder ? (isPlain(holder) && !(name in OBJECT) ? holder[name] : own(holder, name)) : undefined,
  (holder, name) =>
    name in holder ? (isPlain(holder) && !(name in OBJECT) ? holder[name] : own(holder, name)) : undefined,
  (holder, name) =>
    name in holder ? (isPlain(holder) && !(name in OBJECT) ? holder[name] : own(holder, name)) : undefined,
  (holder, name) =>
    name in holder ? (isPlain(holder) && !(name in OBJECT) ? holder[name] : own(holder, name)) : undefined,
  (holder, name) =>
    name in holder ? (isPlain(holder) && !(name in OBJECT) ? holder[name] : own(holder, name)) : undefined,
  (holder, name) =>
    name in holder ? (isPlain(holder) && !(name in OBJECT) ? holder[name] : own(holder, name)) : undefined,
  (holder, name) =>
    name in holder ? (isPlain(holder) && !(name in OBJECT) ? holder[name] : own(holder, name)) : undefined,
  (holder, name) =>
    name in holder ? (isPlain(holder) && !(name in OBJECT) ? holder[name] : own(holder, name)) : undefined,
  (holder, name) =>
    name in holder ? (isPlain(holder) && !(name in OBJECT) ? holder[name] : own(holder, name)) : undefined,
  (holder, name) =>
    name in holder ? (isPlain(holder) && !(name in OBJECT) ? holder[name] : own(holder, name)) : undefined,
  (holder, name) =>
    name in holder ? (isPlain(holder) && !(name in OBJECT) ? holder[name] : own(holder, name)) : undefined,
  (holder, name) =>
    name in holder ? (isPlain(holder) && !(name in OBJECT) ? holder[name] : own(holder, name)) : undefined,
  (holder, name) =>
    name in holder ? (isPlain(holder) && !(name in OBJECT) ? holder[name] : own(holder, name)) : undefined,
  (holder, name) =>
    name in holder ? (isPlain(holder) && !(name in OBJECT) ? holder[name] : own(holder, name)) : undefined,
  (holder, name) =>
    name in holder ? (isPlain(holder) && !(name in OBJECT) ? holder[name] : own(holder, name)) : undefined,
  (holder, name) =>
    name in holder ? (isPlain(holder) && !(name in OBJECT) ? holder[name] : own(holder, name)) : undefined,
  (holder, name) =>
    name in holder ? (isPlain(holder) && !(name in OBJECT) ? holder[name] : own(holder, name)) : undefined,
  (holder, name) =>
    name in holder ? (isPlain(holder) && !(name in OBJECT) ? holder[name] : own(holder, name)) : undefined,
  (holder, name) =>
    name in holder ? (isPlain(holder) && !(name in OBJECT) ? holder[name] : own(holder, name)) : undefined,
  (holder, name) =>
    name in holder ? (isPlain(holder) && !(name in OBJECT) ? holder[name] : own(holder, name)) : undefined,
  (holder, name) =>
    name in holder ? (isPlain(holder) && !(name in OBJECT) ? holder[name] : own(holder, name)) : undefined,
  (holder, name) =>
    name in holder ? (isPlain(holder) && !(name in OBJECT) ? holder[name] : own(holder, name)) : undefined,
  (holder, name) =>
    name in holder ? (isPlain(holder) && !(name in OBJECT) ? holder[name] : own(holder, name)) : undefined,
  (holder, name) =>
    name in holder ? (isPlain(holder) && !(name in OBJECT) ? holder[name] : own(holder, name)) : undefined,
  (holder, name) =>
    name in holder ? (isPlain(holder) && !(name in OBJECT) ? holder[name] : own(holder, name)) : undefined,
  (holder, name) =>
    name in holder ? (isPlain(holder) && !(name in OBJECT) ? holder[name] : own(holder, name)) : undefined,
  (holder, name) =>
    name in holder ? (isPlain(holder) && !(name in OBJECT) ? holder[name] : own(holder, name)) : undefined,
];

/** Picks the copy for a path: always the same one, so that engines share what is remembered. */
export function ownReader(path: string): OwnReader {
  let hash = 0;
  for (let i = 0; i < path.length; i++) hash = (hash * 31 + path.charCodeAt(i)) >>> 0;
  return COPIES[((hash ^ (hash >>> 7)) >>> 0) % COPIES.length] ?? own;
}
