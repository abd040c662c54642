import { once } from 'node:events';
import type { ServerResponse } from 'node:http';

export interface WriteOptions {
  /** Whether the request was `HEAD`: the head is written, the body is not. */
  readonly headOnly: boolean;
  /** Ends the connection after this answer. */
  readonly close: boolean;
  /** Awaited between the last byte and the end of the connection, so that a client which is still sending reads the answer. */
  readonly linger?: (() => Promise<void>) | undefined;
}

/**
 * Writes a Web response to a Node one, at the speed of the client.
 *
 * @throws when the body fails, or when the client has gone.
 */
export async function writeResponse(
  response: Response,
  target: ServerResponse,
  { headOnly, close, linger }: WriteOptions,
): Promise<void> {
  target.statusCode = response.status;
  if (response.statusText !== '') target.statusMessage = response.statusText;
  for (const [name, value] of response.headers) {
    // Only cookies come several times; any other header replaces what was set before, such as the request id.
    if (name === 'set-cookie') target.appendHeader(name, value);
    else target.setHeader(name, value);
  }
  if (close) target.setHeader('connection', 'close');
  if (headOnly || target.destroyed || response.body === null) await response.body?.cancel();
  else await writeBody(response.body, target);
  if (linger !== undefined && (headOnly || response.body === null || target.hasHeader('content-length'))) {
    target.flushHeaders();
    await linger();
  }
  target.end();
}

/** Ends early, and cancels the body, when the client goes. */
async function writeBody(body: ReadableStream<Uint8Array>, target: ServerResponse): Promise<void> {
  const reader = body.getReader();
  const gone = new AbortController();
  const stop = (): void => {
    gone.abort();
    reader.cancel().catch(() => undefined);
  };
  target.once('close', stop);
  try {
    for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
      if (!target.write(chunk.value)) await once(target, 'drain', { signal: gone.signal });
    }
  } finally {
    target.off('close', stop);
  }
}
