import { bearerToken } from '../core/bearer-token.ts';
import type { MaybePromise } from '../core/index.ts';
import { isPromise } from '../core/maybe-promise.ts';

/** A bearer token, or what gets the present one. */
export type TokenSource = string | (() => MaybePromise<string>);

/**
 * Makes the function that tells the value of the header `Authorization`. Calls that come while a token is being
 * got wait for the same one, though none longer than `timeoutMs` after it was asked for. It throws or rejects when there is no token, and for what is no
 * bearer token: nothing else gets into a header.
 */
export function bearer(token: TokenSource | undefined, timeoutMs: number): () => MaybePromise<string | undefined> {
  if (typeof token !== 'function') {
    const text = bearerToken('token', token);
    const value = text === undefined ? undefined : `Bearer ${text}`;
    return () => value;
  }
  let underWay: { readonly value: Promise<string>; readonly since: number } | undefined;
  return () => {
    const now = performance.now();
    if (underWay !== undefined && now - underWay.since < timeoutMs) return underWay.value;
    const got = token();
    if (!isPromise(got)) return headerOf(got);
    const value = Promise.resolve(got).then(headerOf);
    const mine = { value, since: now };
    const done = (): void => {
      if (underWay === mine) underWay = undefined;
    };
    underWay = mine;
    value.then(done, done);
    return value;
  };
}

function headerOf(token: unknown): string {
  return `Bearer ${bearerToken('token', typeof token === 'string' ? token : '')}`;
}
