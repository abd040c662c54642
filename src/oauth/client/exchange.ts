import { type Dispatcher, request } from 'undici';
import { withDeadline } from '../../core/deadline.ts';
import { DoorwardError } from '../../core/index.ts';
import { type JsonObject, parseJsonObject } from '../../core/json-object.ts';
import { ownProperty } from '../../core/own-property.ts';
import type { Settings } from './options.ts';
import { isErrorCode, responseInvalid } from './response-invalid.ts';

/** One call of the authorization server. */
export interface Call {
  readonly url: string;
  /** Sent as a form by POST; without it the call is a GET. */
  readonly form?: Readonly<Record<string, string | undefined>>;
  readonly headers?: Readonly<Record<string, string>>;
}

const MAX_BYTES = 65_536;
const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i;
/** RFC 6750 section 3.1, RFC 9449 section 7.1. */
const CHALLENGE_ERROR = /^(?:Bearer|DPoP) (?:.*[ ,])?error="([^"]*)"/i;

/** Makes a call and answers with its JSON object; redirects are not followed. @throws see {@link send} */
export async function askJson(call: Call, settings: Settings): Promise<JsonObject> {
  const { contentType, body } = await send(call, settings);
  if (!JSON_TYPE.test(contentType)) throw responseInvalid('response', 'is not JSON');
  return parseJsonObject(body) ?? responseInvalidNow('response', 'is not a JSON object');
}

interface Answer {
  readonly contentType: string;
  readonly body: Buffer;
}

interface AnyAnswer extends Answer {
  readonly status: number;
  /** `WWW-Authenticate`. */
  readonly challenge: string;
}

/**
 * Makes a call. Only status 200 is an answer.
 *
 * @throws `OAUTH_REFUSED` with the server's error code, `OAUTH_RESPONSE_INVALID`, `SERVICE_UNAVAILABLE` when the
 * server is late or cannot be reached.
 */
export async function send(call: Call, settings: Settings): Promise<Answer> {
  const stop = new AbortController();
  const late = (): Error => {
    stop.abort();
    return new DoorwardError('SERVICE_UNAVAILABLE');
  };
  const answer = await withDeadline(exchange(call, settings, stop.signal), settings.timeoutMs, late).catch(unavailable);
  if (answer === undefined) throw responseInvalid('response', 'is too long');
  if (answer.status === 200) return answer;
  if (answer.status >= 500 || answer.status === 429) throw new DoorwardError('SERVICE_UNAVAILABLE');
  const code = errorOf(answer);
  if (isErrorCode(code)) throw new DoorwardError('OAUTH_REFUSED', { oauthError: code });
  throw responseInvalid('response', 'has an unexpected status');
}

async function exchange(
  { url, form, headers = {} }: Call,
  { dispatcher }: Settings,
  signal: AbortSignal,
): Promise<AnyAnswer | undefined> {
  const body = form && String(new URLSearchParams(given(form)));
  const contentType = form && { 'content-type': 'application/x-www-form-urlencoded' };
  const options = {
    method: (form === undefined ? 'GET' : 'POST') as Dispatcher.HttpMethod,
    headers: { accept: 'application/json', ...contentType, ...headers },
    signal,
    ...(body !== undefined && { body }),
    ...(dispatcher !== undefined && { dispatcher }),
  };
  const response = await request(url, options);
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response.body) {
    length += chunk.length;
    if (length > MAX_BYTES) return undefined;
    chunks.push(chunk);
  }
  const header = (name: string): string => {
    const value = response.headers[name];
    return typeof value === 'string' ? value : '';
  };
  return {
    status: response.statusCode,
    contentType: header('content-type'),
    challenge: header('www-authenticate'),
    body: Buffer.concat(chunks),
  };
}

/** What the server says went wrong. Of a resource the challenge says it, and the body is whatever it likes. */
function errorOf({ contentType, challenge, body }: AnyAnswer): unknown {
  const challenged = CHALLENGE_ERROR.exec(challenge)?.[1];
  if (challenged !== undefined) return challenged;
  return JSON_TYPE.test(contentType) ? ownProperty(parseJsonObject(body), 'error') : undefined;
}

function given(form: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(Object.entries(form).filter((entry): entry is [string, string] => entry[1] !== undefined));
}

/** Of what goes wrong on the way the code goes on, for example `ECONNREFUSED`: the text might repeat what was sent. */
function unavailable(error: unknown): never {
  if (error instanceof DoorwardError) throw error;
  const code = ownProperty(error, 'code');
  const cause = typeof code === 'string' && /^[A-Z_]{1,64}$/.test(code) ? { cause: new Error(code) } : {};
  throw new DoorwardError('SERVICE_UNAVAILABLE', cause);
}

function responseInvalidNow(field: string, problem: string): never {
  throw responseInvalid(field, problem);
}
