import type { Dispatcher } from 'undici';

export interface Answer {
  readonly status: number;
  readonly contentType: unknown;
  readonly contentEncoding: unknown;
  /** `undefined` when it was longer than the limit. */
  readonly body: Buffer | undefined;
}

export interface Exchange {
  /** Hears the whole answer. */
  answered(answer: Answer): void;
  /** Hears that there is none. `wasSent` is false only when no byte of the call has left. */
  failed(error: unknown, wasSent: boolean): void;
}

/**
 * Makes one call and gathers its answer. It speaks to the dispatcher itself: a stream, a promise and an abort
 * signal a call would add half to the cost of a decision.
 *
 * @returns what ends the call; one that still waits for a connection is then never sent
 */
export function exchange(
  dispatcher: Dispatcher,
  call: Dispatcher.DispatchOptions,
  maxBytes: number,
  { answered, failed }: Exchange,
): () => void {
  let running: Dispatcher.DispatchController | undefined;
  let isAborted = false;
  const chunks: Buffer[] = [];
  let size = 0;
  let status = 0;
  let contentType: unknown;
  let contentEncoding: unknown;
  const end = (): void => {
    isAborted = true;
    running?.abort(new Error('Nobody waits for the answer'));
  };
  dispatcher.dispatch(call, {
    onRequestStart: (controller) => {
      running = controller;
      if (isAborted) end();
    },
    onResponseStart: (_, statusCode, headers) => {
      status = statusCode;
      contentType = headers['content-type'];
      contentEncoding = headers['content-encoding'];
    },
    onResponseData: (_, chunk) => {
      size += chunk.byteLength;
      chunks.push(chunk);
      if (size <= maxBytes) return;
      answered({ status, contentType, contentEncoding, body: undefined });
      end();
    },
    onResponseEnd: () => {
      const [only] = chunks;
      const body = chunks.length === 1 ? only : Buffer.concat(chunks);
      answered({ status, contentType, contentEncoding, body });
    },
    onResponseError: (_, error) => failed(error, running !== undefined),
  });
  return end;
}
