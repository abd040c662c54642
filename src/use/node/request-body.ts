import type { IncomingMessage } from 'node:http';

/** The body of a Node request as a Web stream. Nothing is taken from the socket until it is read. */
export interface RequestBody {
  readonly stream: ReadableStream<Uint8Array>;
  /** Whether so little is unread that the connection can be kept and the rest be read over. */
  isKeepable(): boolean;
  /** Reads over the rest, within bounds of time and size; never rejects. */
  discard(): Promise<void>;
}

const KEEPABLE_BYTES = 64 * 1_024;
const DISCARD_BYTES = 1_024 * 1_024;
const DISCARD_MS = 1_000;

/**
 * @param onFirstRead - called before the first byte is asked for; a client that sent `Expect: 100-continue` waits for it
 * @returns `undefined` when the request has no body.
 */
export function requestBody(request: IncomingMessage, onFirstRead?: () => void): RequestBody | undefined {
  const { 'content-length': length = '0', 'transfer-encoding': encoding } = request.headers;
  if (encoding === undefined && Number(length) === 0) return undefined;
  let reader: ReadableStreamDefaultController<Uint8Array> | undefined;
  let isAsked = onFirstRead === undefined;
  let onData = (chunk: Uint8Array): void => {
    request.pause();
    reader?.enqueue(chunk);
  };
  const ask = (): void => {
    if (!isAsked) onFirstRead?.();
    isAsked = true;
  };

  const stream = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        ask();
        if (reader === undefined) {
          reader = controller;
          request.on('data', (chunk: Uint8Array) => onData(chunk));
          request.once('end', () => reader?.close());
          request.once('close', () => {
            if (!request.readableEnded) reader?.error(new Error('The request ended too early'));
          });
        }
        request.resume();
      },
      cancel() {
        request.pause();
        reader = undefined;
      },
    },
    { highWaterMark: 0 },
  );

  return {
    stream,
    isKeepable: () => request.complete || (encoding === undefined && Number(length) <= KEEPABLE_BYTES),
    discard: () =>
      new Promise((resolve) => {
        if (!isAsked || request.readableEnded || request.destroyed) return resolve();
        reader?.error(new Error('The request has been answered'));
        reader = undefined;
        const timer = setTimeout(done, DISCARD_MS);
        let dropped = 0;
        onData = (chunk) => {
          dropped += chunk.length;
          if (dropped > DISCARD_BYTES) done();
        };
        function done(): void {
          clearTimeout(timer);
          resolve();
        }
        request.once('end', done).once('close', done);
        request.resume();
      }),
  };
}
