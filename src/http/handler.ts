import type { MaybePromise } from '../core/index.ts';

/** What the host knows about a request beside the request itself. */
export interface RequestInfo {
  /** The caller's address, where the host knows it. */
  readonly ip?: string;
  /** Identifies the request in logs. */
  readonly requestId: string;
}

/** Answers a Web request. Host adapters (`doorward/use/...`) serve one of these. */
export type Handler = (request: Request, info: RequestInfo) => MaybePromise<Response>;

/** Is told the cause of an answer of 500 and above, which the client is not. */
export type ErrorListener = (error: unknown, info: RequestInfo) => void;
