import { withDeadline } from '../core/deadline.ts';
import { type JsonObject, parseJsonObject } from '../core/json-object.ts';
import { readBytes } from '../core/read-bytes.ts';
import { KeySourceError } from './key-source-error.ts';

/** What `fetch` is asked for here; the global one fits, and so does one with a proxy or a certificate. */
export type FetchJson = (url: string, init: RequestInit) => Promise<Response>;

export interface FetchLimits {
  readonly fetch: FetchJson;
  /** Milliseconds for the whole exchange, the body included. */
  readonly timeoutMs: number;
  readonly maxBytes: number;
  /** Ends the exchange early. */
  readonly signal: AbortSignal;
}

const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i;

/**
 * Gets one JSON object, or throws a {@link KeySourceError}. Redirects are not followed: the address in the
 * configuration is the one that is trusted. The limit counts inflated bytes.
 */
export async function fetchJson(url: URL, limits: FetchLimits): Promise<JsonObject> {
  const deadline = new AbortController();
  const stop = (): void => deadline.abort();
  limits.signal.addEventListener('abort', stop, { once: true });
  const late = (): KeySourceError => {
    deadline.abort();
    return new KeySourceError('timeout');
  };
  try {
    if (limits.signal.aborted) stop();
    return await withDeadline(exchange(url, limits, deadline.signal), limits.timeoutMs, late);
  } catch (error) {
    throw error instanceof KeySourceError ? error : new KeySourceError('network');
  } finally {
    limits.signal.removeEventListener('abort', stop);
  }
}

async function exchange(url: URL, limits: FetchLimits, signal: AbortSignal): Promise<JsonObject> {
  const headers = { accept: 'application/json, application/jwk-set+json' };
  const response = await limits.fetch(url.href, { method: 'GET', headers, redirect: 'manual', signal });
  const refuse = (reason: KeySourceError['reason']): KeySourceError => {
    response.body?.cancel().catch(() => undefined);
    return new KeySourceError(reason);
  };
  // A `fetch` of the reader's own may not know `redirect`.
  if (response.status !== 200 || response.redirected) throw refuse('status');
  if (!JSON_TYPE.test(response.headers.get('content-type') ?? '')) throw refuse('content_type');
  if (response.body === null) throw new KeySourceError('malformed');
  const bytes = await readBytes(response.body, limits.maxBytes);
  if (bytes === undefined) throw new KeySourceError('too_large');
  const json = parseJsonObject(bytes);
  if (json === undefined) throw new KeySourceError('malformed');
  return json;
}
