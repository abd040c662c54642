import { isUtf8 } from 'node:buffer';

/** A parsed JSON object. Read it with `ownProperty` only. */
export type JsonObject = Readonly<Record<string, unknown>>;

/**
 * Parses bytes that must be the UTF-8 text of one JSON object without repeated member names: another parser
 * could take the other one (RFC 8259 section 4). RFC 7515 section 4 and RFC 7519 section 4 ask for as much.
 */
export function parseJsonObject(bytes: Buffer): JsonObject | undefined {
  if (!isUtf8(bytes)) return undefined;
  const text = bytes.toString('utf8');
  const value = parse(text);
  return isObject(value) && countMembers(text) === Object.keys(value).length ? value : undefined;
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

/** Counts the members that the text of a valid object writes down; the parsed object has fewer when names repeat. */
function countMembers(text: string): number {
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
        break;
      case CLOSING_BRACE:
      case CLOSING_BRACKET:
        depth--;
        break;
      case COLON:
        if (depth === 1) members++;
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
