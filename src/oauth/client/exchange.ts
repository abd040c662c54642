import { type Dispatcher, request } from 'undici';
import { withDeadline } from '../../core/deadline.ts';
import { DoorwardError } from '../../core/index.ts';
import { type JsonObject, parseJsonObject } from '../../core/json-object.ts';
import { ownProperty } from '../../core/own-property.ts';
import type { Settings } from './options.ts';
import { responseInvalid } from './response-invalid.ts';

/** One call of the authorization server. */
export interface Call {
  readonly url: string;
  /** Sent as a form by POST; without it the call is a GET. */
  readonly form?: Readonly<Record<string, string | undefined>>;
  readonly headers?: Readonly<Record<string, string>>;
}

const MAX_BYTES = 65_536;
const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i;
const ERROR_CODE = /^[\x20\x21\x23-\x5B\x5D-\x7E]{1,128}$/;

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
  const code = JSON_TYPE.test(answer.contentType) ? ownProperty(parseJsonObject(answer.body), 'error') : undefined;
  if (typeof code === 'string' && ERROR_CODE.test(code)) throw new DoorwardError('OAUTH_REFUSED', { oauthError: code });
  throw responseInvalid('response', 'has an unexpected status');
}

async function exchange(
  { url, form, headers = {} }: Call,
  { dispatcher }: Settings,
  signal: AbortSignal,
): Promise<(Answer & { readonly status: number }) | undefined> {
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
  const type = response.headers['content-type'];
  const { statusCode: status } = response;
  return { status, contentType: typeof type === 'string' ? type : '', body: Buffer.concat(chunks) };
}

function given(form: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(Object.entries(form).filter((entry): entry is [string, string] => entry[1] !== undefined));
}

/** What goes wrong on the way says nothing about anybody; its own text might repeat the address with a code in it. */
function unavailable(error: unknown): never {
  throw error instanceof DoorwardError ? error : new DoorwardError('SERVICE_UNAVAILABLE');
}

function responseInvalidNow(field: string, problem: string): never {
  throw responseInvalid(field, problem);
}
