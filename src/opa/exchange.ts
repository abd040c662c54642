import type { Dispatcher } from 'undici';
import type { Deadline } from './deadline.ts';

export interface Answer {
  readonly status: number;
  readonly contentType: unknown;
  /** `undefined` when it was longer than the limit. */
  readonly body: Buffer | undefined;
}

/**
 * Makes one call and gathers its answer. It speaks to the dispatcher itself: a stream and an abort
 * signal a call would add half to the cost of a decision. A call that still waits for a connection
 * when the time is up is never sent.
 */
export function exchange(
  dispatcher: Dispatcher,
  call: Dispatcher.DispatchOptions,
  maxBytes: number,
  deadline: Deadline,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    let status = 0;
    let contentType: unknown;
    dispatcher.dispatch(call, {
      onRequestStart: (controller) => {
        deadline.cancel = () => controller.abort(new Error('The time is up'));
        if (deadline.isOver) deadline.cancel();
      },
      onResponseStart: (_, statusCode, headers) => {
        status = statusCode;
        contentType = headers['content-type'];
      },
      onResponseData: (controller, chunk) => {
        size += chunk.byteLength;
        chunks.push(chunk);
        if (size <= maxBytes) return;
        resolve({ status, contentType, body: undefined });
        controller.abort(new Error('The answer is too long'));
      },
      onResponseEnd: () => resolve({ status, contentType, body: Buffer.concat(chunks) }),
      onResponseError: (_, error) => reject(error),
    });
  });
}
