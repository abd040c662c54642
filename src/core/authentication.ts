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
 * answers with a refusal for a bad token, and throws `SERVICE_UNAVAILABLE` when it could not find out.
 */
export type Authenticator = (token: string) => MaybePromise<Authentication>;

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
