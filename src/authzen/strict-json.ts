import { type JsonObject, parseJsonObject } from '../core/json-object.ts';

const MAX_NESTING = 32;
const LONE_SURROGATE = /\p{Surrogate}/u;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * Parses bytes that must be the I-JSON text (RFC 7493) of one object, as AuthZEN asks for under "JSON Payload
 * Considerations": UTF-8, well-formed texts, finite numbers, and no name twice in any object however deep, since
 * another parser could take the other one. It nests 32 deep at most.
 */
export function parseStrictJson(bytes: Buffer): JsonObject | undefined {
  const written = countMembers(bytes.toString('utf8'));
  const value = written === undefined ? undefined : parseJsonObject(bytes);
  return value !== undefined && membersIn(value) === written ? value : undefined;
}

/** Counts the members that a text writes down, in one pass; `undefined` where it nests too deep. */
function countMembers(text: string): number | undefined {
  let members = 0;
  let depth = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === QUOTE) index = endOfString(text, index);
    else if (code === 0x3a) members += 1;
    else if (code === 0x5b || code === 0x7b) depth += 1;
    else if (code === 0x5d || code === 0x7d) depth -= 1;
    if (depth > MAX_NESTING) return undefined;
  }
  return members;
}

function endOfString(text: string, start: number): number {
  let index = start + 1;
  while (index < text.length && text.charCodeAt(index) !== QUOTE) index += text.charCodeAt(index) === BACKSLASH ? 2 : 1;
  return index;
}

/** Counts the members that were parsed; `NaN` where a text or a number is none of I-JSON. */
function membersIn(value: unknown): number {
  if (typeof value === 'string') return LONE_SURROGATE.test(value) ? Number.NaN : 0;
  if (typeof value === 'number') return Number.isFinite(value) ? 0 : Number.NaN;
  if (typeof value !== 'object' || value === null) return 0;
  if (Array.isArray(value)) return value.reduce((sum: number, element: unknown) => sum + membersIn(element), 0);
  return Object.entries(value).reduce((sum, [name, member]) => sum + 1 + membersIn(name) + membersIn(member), 0);
}
