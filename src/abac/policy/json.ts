import { configInvalid, isPlainObject } from '../../core/config-invalid.ts';
import { parseJsonObject, parseJsonText } from '../../core/json-object.ts';

export const MAX_LENGTH = 100_000;
const I_JSON = { iJson: true };
const LONE_SURROGATE = /\p{Surrogate}/u;

/** The value of a JSON text, given as such or as its bytes; any other value as it is. */
export function documentOf(json: unknown): unknown {
  if (typeof json !== 'string' && !(json instanceof Uint8Array)) return json;
  const value = typeof json === 'string' ? parseJsonText(json, I_JSON) : parseJsonObject(Buffer.from(json), I_JSON);
  if (value === undefined) throw configInvalid('$', problemOf(String(Buffer.from(json))));
  return value;
}

/** Who forgot a comma looks for another mistake than who wrote a name twice. */
function problemOf(text: string): string {
  try {
    JSON.parse(text);
  } catch {
    return 'must be valid JSON';
  }
  return 'must be a JSON object in UTF-8, without a name twice, of texts and numbers that RFC 7493 allows';
}

/**
 * A plain object that has all the required keys, and no others than the optional ones. What an object inherits is
 * not read, and what is `undefined` says nothing: a rule that lost its `actions` that way would be about all.
 */
export function recordAt(
  at: string,
  json: unknown,
  required: readonly string[],
  optional: readonly string[] = [],
): Readonly<Record<string, unknown>> {
  if (!isPlainObject(json)) throw configInvalid(at, 'must be an object');
  const record: Record<string, unknown> = Object.create(null);
  for (const [key, value] of Object.entries(json)) {
    if (!required.includes(key) && !optional.includes(key))
      throw configInvalid(at, `has an unknown key ${JSON.stringify(key)}`);
    if (value === undefined && optional.includes(key)) throw configInvalid(at, `has no value for "${key}"`);
    record[key] = value;
  }
  const missing = required.find((key) => record[key] === undefined);
  if (missing !== undefined) throw configInvalid(at, `has no "${missing}"`);
  return record;
}

export function listAt(at: string, json: unknown): readonly unknown[] {
  if (!Array.isArray(json)) throw configInvalid(at, 'must be an array');
  if (json.length > MAX_LENGTH) throw configInvalid(at, `has more than ${MAX_LENGTH} elements`);
  return Array.from(json);
}

export function textAt(at: string, json: unknown): string {
  if (typeof json !== 'string' || json === '') throw configInvalid(at, 'must be a non-empty string');
  return wellFormedAt(at, json);
}

/** Half a character is no text in JSON that others read (RFC 7493 section 2.1). */
export function wellFormedAt(at: string, text: string): string {
  if (LONE_SURROGATE.test(text)) throw configInvalid(at, 'must be well-formed Unicode');
  return text;
}

/** Names, one at least and none twice. */
export function namesAt(at: string, json: unknown): readonly string[] {
  const names = listAt(at, json).map((name, index) => textAt(`${at}[${index}]`, name));
  if (names.length === 0) throw configInvalid(at, 'must not be empty');
  refuseRepetition(at, names);
  return names;
}

/** What is written twice was meant to be something else. */
export function refuseRepetition(at: string, values: readonly unknown[]): void {
  if (new Set(values).size !== values.length) throw configInvalid(at, 'lists a value twice');
}

export function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) Object.values(value).forEach(deepFreeze);
  return Object.freeze(value);
}
