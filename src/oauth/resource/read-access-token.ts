import { ownProperty } from '../../core/own-property.ts';
import { type Claims, createTokenVerifier } from '../../tokens/index.ts';
import type { Client } from '../clients/client-metadata.ts';
import type { Settings } from '../settings.ts';

/** The `typ` of access tokens (RFC 9068 section 2.1), by which an id token is never taken for one. */
export const ACCESS_TOKEN_TYPE = 'at+jwt';

/** An access token that this server signed and whose time is not over; whether it is still good, the stores know. */
export interface ReadToken {
  readonly claims: Claims;
  /** Registered. */
  readonly client: Client;
  /** `sid` */
  readonly sessionId: string;
  /** `jti` */
  readonly tokenId: string;
}

/** Reads an access token without asking a store. */
export type ReadAccessToken = (
  token: unknown,
) => ({ readonly ok: true } & ReadToken) | { readonly ok: false; readonly reason: string };

export function createReadAccessToken({ keys, issuer, resources, clock, clients }: Settings): ReadAccessToken {
  // The lifetime is bounded by the verifier's own day: one that is configured shorter must not end tokens that
  // another instance still issues.
  const verifier = createTokenVerifier({ keys, issuer, audience: resources, types: [ACCESS_TOKEN_TYPE], clock });

  return (token) => {
    const verified = verifier.verify(token);
    if (!verified.ok) return verified;
    const { claims } = verified;
    const sessionId = ownProperty(claims, 'sid');
    const tokenId = ownProperty(claims, 'jti');
    const client = clients.find(ownProperty(claims, 'client_id'))?.client;
    if (client === undefined) return { ok: false, reason: 'unknown_client' };
    if (typeof sessionId !== 'string' || typeof tokenId !== 'string') return { ok: false, reason: 'no_session' };
    return { ok: true, claims, client, sessionId, tokenId };
  };
}
