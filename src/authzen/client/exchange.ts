import { request } from 'undici';
import { type JsonObject, parseJsonObject } from '../../core/json-object.ts';
import type { ClientSettings } from './options.ts';

/** What a call came to: the JSON object of a 200, or why there is none. */
export type Outcome = JsonObject | 'unavailable' | 'invalid_answer' | 'timeout';

/** One operation with its time limit. */
export interface Operation {
  /** Posts JSON, or gets it where there is no body. */
  call(url: string, body?: unknown): Promise<Outcome>;
}

const JSON_TYPE = /^application\/json\s*(?:;|$)/i;

/** Runs an operation; when its time is up first, all its calls are ended and come to `timeout`. */
export async function withinTime<T>(settings: ClientSettings, run: (operation: Operation) => Promise<T>): Promise<T> {
  const stop = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'timeout'>((resolve) => {
    timer = setTimeout(() => {
      stop.abort();
      resolve('timeout');
    }, settings.timeoutMs);
  });
  try {
    return await run({
      call: (url, body) =>
        stop.signal.aborted ? late : Promise.race([late, exchange(url, body, settings, stop.signal)]),
    });
  } finally {
    clearTimeout(timer);
    stop.abort();
  }
}

async function exchange(url: string, body: unknown, settings: ClientSettings, signal: AbortSignal): Promise<Outcome> {
  const { token, dispatcher, maxResponseBytes } = settings;
  const headers = {
    accept: 'application/json',
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  };
  const method = body === undefined ? 'GET' : 'POST';
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  try {
    const response = await request(url, { method, headers, dispatcher, signal, ...sent });
    const refuse = (outcome: Outcome): Outcome => {
      response.body.on('error', () => undefined).destroy();
      return outcome;
    };
    const contentType = response.headers['content-type'];
    if (response.statusCode !== 200) return refuse('unavailable');
    if (typeof contentType !== 'string' || !JSON_TYPE.test(contentType)) return refuse('invalid_answer');
    const chunks: Buffer[] = [];
    let length = 0;
    for await (const chunk of response.body as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > maxResponseBytes) return 'invalid_answer';
      chunks.push(chunk);
    }
    return parseJsonObject(Buffer.concat(chunks)) ?? 'invalid_answer';
  } catch {
    return 'unavailable';
  }
}
