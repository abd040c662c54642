import type { Grant } from '../accounts/index.ts';
import type { Caller } from '../core/index.ts';
import type { RequestInfo } from '../http/index.ts';
import type { Claims } from '../tokens/index.ts';
import type { Client } from './clients/client-metadata.ts';
import type { Parameters } from './parameters.ts';

/**
 * Tells which client sends a form, and that it is that client.
 *
 * @throws `OAuthError` `invalid_client` or `invalid_request`
 */
export type AuthenticateClient = (request: Request, form: Parameters, info: RequestInfo) => Promise<Client>;

/** What a DPoP proof turned out to be. The reason is for events. */
export type DpopResult =
  | { readonly ok: true; readonly thumbprint: string }
  | { readonly ok: false; readonly reason: string };

/** Checks one DPoP proof (RFC 9449 section 4.3) and uses it up. */
export interface DpopVerifier {
  verify(proof: unknown, about: DpopSubject): Promise<DpopResult>;
}

/** What a proof must be about. */
export interface DpopSubject {
  readonly method: string;
  /** The address as clients see it; query and fragment are left out of the comparison. */
  readonly url: string;
  /** The token that it comes beside; at the token endpoint there is none. */
  readonly accessToken?: string;
  /** The key that this token is bound to (`cnf.jkt`): a proof of another one is refused, and not remembered as used. */
  readonly thumbprint?: string;
  /** Where the request comes from, for events. */
  readonly caller?: Caller;
}

/** An access token of ours that is good now. */
export interface LiveToken {
  readonly claims: Claims;
  readonly grant: Grant;
  readonly client: Client;
  readonly scopes: readonly string[];
}

/** Verifies an access token of ours and looks its grant, its account and its client up; does not check `cnf`. */
export type FindAccessToken = (
  token: unknown,
) => Promise<({ readonly ok: true } & LiveToken) | { readonly ok: false; readonly reason: string }>;

/** The key that the tokens of one answer are bound to. */
export interface Binding {
  /** RFC 9449 section 6.1. */
  readonly dpopThumbprint?: string;
  /** RFC 8705 section 3.1. */
  readonly certificateThumbprint?: string;
}
