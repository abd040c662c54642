import type { Caller } from './caller.ts';
import type { MaybePromise } from './maybe-promise.ts';
import type { Principal } from './principal.ts';

/**
 * What a presented token turned out to be. The reason is for logs and events: outside, every refusal
 * is the same 401.
 */
export type Authentication =
  | { readonly ok: true; readonly principal: Principal }
  | { readonly ok: false; readonly reason: string };

/**
 * Turns a presented token into a principal: the one path for HTTP, WebSocket and direct calls. It
 * answers with a refusal for a bad token, and throws `SERVICE_UNAVAILABLE` when it could not find out. A token
 * that is bound to a client certificate (RFC 8705 section 3) is good only from the caller that presented it.
 */
export type Authenticator = (token: string, caller?: Caller) => MaybePromise<Authentication>;

/**
 * Turns what a connection proves, for example a client certificate, into a principal. It answers with `undefined`
 * where the caller has shown nothing that means anything here and is anonymous, and with a refusal for credentials
 * that are not good.
 */
export type CallerAuthenticator = (caller: Caller) => MaybePromise<Authentication | undefined>;

/**
 * Reads an authenticator's answer. The principal is a copy, since decisions are remembered by its identity
 * and must not outlive the request.
 *
 * @returns `undefined` for a refusal, and for whatever names nobody.
 * @example
 * const principal = principalFrom(await authenticate(token));
 */
export function principalFrom(answer: Authentication | undefined): Principal | undefined {
  if (answer?.ok !== true) return undefined;
  const principal = { ...answer.principal };
  return Object.hasOwn(principal, 'id') && typeof principal.id === 'string' && principal.id !== ''
    ? principal
    : undefined;
}
