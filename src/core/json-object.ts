import { isUtf8 } from 'node:buffer';

/** What a text must keep to besides. */
export interface JsonLimits {
  /** How many objects and arrays may stand within each other. @default unbounded */
  readonly nesting?: number;
  /**
   * Asks for I-JSON (RFC 7493): well-formed texts, finite numbers, and no whole number beyond 2^53 - 1, since two
   * different ones could be read as the same, and a policy would take one owner for another. @default false
   */
  readonly iJson?: boolean;
}

/** A parsed JSON object. Read it with `ownProperty` only. */
export type JsonObject = Readonly<Record<string, unknown>>;

/**
 * Parses bytes that must be the UTF-8 text of one JSON object, in which no object, however deep, has a name twice:
 * another parser could take the other one (RFC 8259 section 4). RFC 7515 section 4 and RFC 7519 section 4 ask for as
 * much.
 */
export function parseJsonObject(bytes: Buffer, limits?: JsonLimits): JsonObject | undefined {
  return isUtf8(bytes) ? parseJsonText(bytes.toString('utf8'), limits) : undefined;
}

/** Parses a text as {@link parseJsonObject} parses bytes. */
export function parseJsonText(text: string, limits: JsonLimits = {}): JsonObject | undefined {
  const { nesting = Number.POSITIVE_INFINITY, iJson = false } = limits;
  const written = membersWritten(text, nesting);
  const value = written === undefined ? undefined : parse(text);
  return isObject(value) && membersParsed(value, iJson) === written ? value : undefined;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const QUOTE = 0x22;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPENING_BRACKET = 0x5b;
const CLOSING_BRACKET = 0x5d;
const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;

/** Counts the members that the text of a valid object writes down; `undefined` where it nests too deep. */
function membersWritten(text: string, maxNesting: number): number | undefined {
  let members = 0;
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    switch (text.charCodeAt(i)) {
      case QUOTE:
        i = endOfString(text, i);
        break;
      case OPENING_BRACE:
      case OPENING_BRACKET:
        depth++;
        if (depth > maxNesting) return undefined;
        break;
      case CLOSING_BRACE:
      case CLOSING_BRACKET:
        depth--;
        break;
      case COLON:
        members++;
        break;
    }
  }
  return members;
}

function endOfString(text: string, start: number): number {
  let i = start + 1;
  while (i < text.length && text.charCodeAt(i) !== QUOTE) i += text.charCodeAt(i) === BACKSLASH ? 2 : 1;
  return i;
}

/**
 * Counts the members that were parsed: fewer than were written when names repeat. `NaN` where a text or a number is
 * none of I-JSON. It does not recurse, since a text may nest deeper than the stack.
 */
function membersParsed(object: JsonObject, iJson: boolean): number {
  let members = 0;
  const left: unknown[] = [object];
  while (left.length > 0) {
    const value = left.pop();
    if (iJson && !isIJson(value)) return Number.NaN;
    if (typeof value !== 'object' || value === null) continue;
    if (Array.isArray(value)) {
      for (const element of value) left.push(element);
      continue;
    }
    for (const name of Object.keys(value)) {
      members++;
      if (iJson) left.push(name);
      left.push((value as JsonObject)[name]);
    }
  }
  return members;
}

const LONE_SURROGATE = /\p{Surrogate}/u;

function isIJson(value: unknown): boolean {
  if (typeof value === 'string') return !LONE_SURROGATE.test(value);
  return (
    typeof value !== 'number' || (Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value)))
  );
}
