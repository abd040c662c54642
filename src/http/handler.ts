import type { Caller, MaybePromise } from '../core/index.ts';

/** What the host knows about a request beside the request itself. */
export interface RequestInfo extends Caller {
  /** Identifies the request in logs and events. */
  readonly requestId: string;
}

/** Answers a Web request. Host adapters (`doorward/use/...`) serve one of these. */
export type Handler = (request: Request, info: RequestInfo) => MaybePromise<Response>;

/** Is told the cause of an answer of 500 and above, which the client is not. */
export type ErrorListener = (error: unknown, info: RequestInfo) => void;
