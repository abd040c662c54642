import { DoorwardError } from '../core/index.ts';
import { readBytes } from '../core/read-bytes.ts';
import { nestingOf } from './nesting.ts';

/** How many bytes a request body may have. */
export const bodyLimits: { readonly auth: number; readonly graphql: number; readonly other: number } = Object.freeze({
  auth: 16 * 1_024,
  graphql: 100 * 1_024,
  other: 64 * 1_024,
});

export interface ReadJsonOptions {
  /** What an empty body means; without it, an empty body is 400. */
  readonly whenEmpty?: Readonly<Record<string, unknown>>;
}

const JSON_TYPE = /^application\/json(?:[ \t]*;[ \t]*charset=(?:utf-8|"utf-8"))?$/i;
const FORM_TYPE = /^application\/x-www-form-urlencoded(?:[ \t]*;[ \t]*charset=(?:utf-8|"utf-8"))?$/i;
const MAX_NESTING = 64;
const MAX_PAIRS = 100;

/**
 * Reads a JSON object. The content type must be `application/json`, in UTF-8 and not encoded. Of a name
 * that is given twice the last value counts. The object inherits nothing, so what is not in the body is
 * `undefined`.
 *
 * @param limitBytes - see {@link bodyLimits}
 * @throws `HTTP_UNSUPPORTED_MEDIA_TYPE`, `HTTP_BODY_TOO_LARGE`, `INPUT_INVALID` for what is no JSON object or
 * nests deeper than 64.
 * @example
 * const { title } = await readJson(request, bodyLimits.other);
 */
export async function readJson(
  request: Request,
  limitBytes: number,
  { whenEmpty }: ReadJsonOptions = {},
): Promise<Readonly<Record<string, unknown>>> {
  if (whenEmpty !== undefined && request.body === null) return whenEmpty;
  requireType(request, JSON_TYPE);
  const text = await readJsonText(request, limitBytes);
  if (text === '' && whenEmpty !== undefined) return whenEmpty;
  const value = parse(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw malformed();
  return Object.assign(Object.create(null), value);
}

/**
 * Reads a flat form: at most 100 pairs, no name twice, in UTF-8. The content type must be
 * `application/x-www-form-urlencoded`.
 *
 * @param limitBytes - see {@link bodyLimits}
 * @throws `HTTP_UNSUPPORTED_MEDIA_TYPE`, `HTTP_BODY_TOO_LARGE`, `INPUT_INVALID`.
 * @example
 * const username = (await readForm(request, bodyLimits.auth)).get('username');
 */
export async function readForm(request: Request, limitBytes: number): Promise<ReadonlyMap<string, string>> {
  const fields = new Map<string, string>();
  for (const [name, value] of await readFormPairs(request, limitBytes)) {
    if (fields.has(name)) throw malformed();
    fields.set(name, value);
  }
  return fields;
}

/**
 * Reads a form in which names may repeat: at most 100 pairs, in UTF-8.
 *
 * @throws `HTTP_UNSUPPORTED_MEDIA_TYPE`, `HTTP_BODY_TOO_LARGE`, `INPUT_INVALID`.
 */
export async function readFormPairs(
  request: Request,
  limitBytes: number,
): Promise<readonly (readonly [string, string])[]> {
  requireType(request, FORM_TYPE);
  return parseForm(await readText(request, limitBytes));
}

/**
 * Takes the text of a form, or of a query, apart: at most 100 pairs, in UTF-8.
 *
 * @throws `INPUT_INVALID`
 */
export function parseForm(text: string): readonly (readonly [string, string])[] {
  const pairs = text === '' ? [] : text.split('&', MAX_PAIRS + 1);
  if (pairs.length > MAX_PAIRS) throw malformed();
  return pairs.map((pair) => {
    const equals = pair.indexOf('=');
    return equals < 0 ? [decode(pair), ''] : [decode(pair.slice(0, equals)), decode(pair.slice(equals + 1))];
  });
}

/**
 * Reads the body of a request into a new one, for a handler that reads without bounds of its own: within the
 * limit, not encoded, in UTF-8, and nested no deeper than 64. A request without a body is handed back.
 *
 * @param limitBytes - see {@link bodyLimits}
 * @throws `HTTP_UNSUPPORTED_MEDIA_TYPE`, `HTTP_BODY_TOO_LARGE`, `INPUT_INVALID`.
 * @example
 * const response = await graphql(await limitBody(request, bodyLimits.graphql));
 */
export async function limitBody(request: Request, limitBytes: number): Promise<Request> {
  if (request.body === null) return request;
  return new Request(request, { body: await readJsonText(request, limitBytes) });
}

function requireType({ headers }: Request, type: RegExp): void {
  if (!type.test(headers.get('content-type') ?? '')) throw new DoorwardError('HTTP_UNSUPPORTED_MEDIA_TYPE');
}

async function readJsonText(request: Request, limitBytes: number): Promise<string> {
  const text = await readText(request, limitBytes);
  if (nestingOf(text) > MAX_NESTING) throw malformed();
  return text;
}

async function readText(request: Request, limitBytes: number): Promise<string> {
  if (request.headers.has('content-encoding')) throw new DoorwardError('HTTP_UNSUPPORTED_MEDIA_TYPE');
  if (Number(request.headers.get('content-length') ?? 0) > limitBytes) throw new DoorwardError('HTTP_BODY_TOO_LARGE');
  const bytes = request.body === null ? Buffer.alloc(0) : await readBytes(request.body, limitBytes).catch(incomplete);
  if (bytes === undefined) throw new DoorwardError('HTTP_BODY_TOO_LARGE');
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    if (text.startsWith('\uFEFF')) throw malformed();
    return text;
  } catch {
    throw malformed();
  }
}

function incomplete(cause: unknown): never {
  throw new DoorwardError('INPUT_INVALID', { field: 'body', problem: 'is incomplete', cause });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw malformed();
  }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw malformed();
  }
}

/** One text for every malformed body; the parser's own would repeat a part of it. */
function malformed(): DoorwardError {
  return new DoorwardError('INPUT_INVALID');
}
