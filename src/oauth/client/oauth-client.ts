import type { JsonObject } from '../../core/json-object.ts';
import { ownProperty } from '../../core/own-property.ts';
import { type AuthorizationRequest, authorizationRequest } from './authorization-url.ts';
import { readCallback } from './callback.ts';
import { createAuthenticated } from './client-credentials.ts';
import { askJson, send } from './exchange.ts';
import { createVerifyIdToken, type IdTokenExpectation } from './id-token.ts';
import { createFindMetadata } from './metadata.ts';
import { type OAuthClientOptions, readOptions } from './options.ts';
import { responseInvalid } from './response-invalid.ts';
import { readTokenSet, type TokenSet } from './token-set.ts';
import { type AuthorizationRequestOptions, type AuthorizationTransaction, readTransaction } from './transaction.ts';

/**
 * A client of one authorization server. Every verb may throw `OAUTH_REFUSED` with the server's error code,
 * `OAUTH_RESPONSE_INVALID` for an answer that is not one to what was asked, and `SERVICE_UNAVAILABLE`.
 */
export interface OAuthClient {
  /** Begins a login: where to send the browser, and what to keep for it. */
  authorizationUrl(options?: AuthorizationRequestOptions): Promise<AuthorizationRequest>;
  /**
   * Ends a login: checks where the browser came back to, swaps the code, and verifies the ID token. Let a
   * transaction be used once.
   *
   * @param callback - the whole address of the request, or its path and query
   */
  handleCallback(callback: string | URL, transaction: AuthorizationTransaction | undefined): Promise<TokenSet>;
  /**
   * Swaps a refresh token. Parallel calls with one token share one request and its answer, which always has the
   * refresh token to use from now on.
   *
   * @param expectedSub - the `sub` of the login: an ID token of anybody else is refused
   */
  refresh(refreshToken: string, expectedSub?: string): Promise<TokenSet>;
  /** Claims of the user, which must be about `expectedSub` (OpenID Connect Core section 5.3.2). */
  userInfo(accessToken: string, expectedSub: string): Promise<JsonObject>;
  /** Revokes a token (RFC 7009). */
  revoke(token: string): Promise<void>;
  /** Ends the fetch of keys under way. */
  close(): void;
}

/**
 * Makes a client for a server that logs its users in at another authorization server: code with PKCE, state, nonce
 * and issuer checked (RFC 9700 section 2.1.1, RFC 9207).
 *
 * @throws `CONFIG_INVALID` when an option is unknown or cannot be meant.
 * @example
 * const client = createOAuthClient({
 *   issuer: 'https://login.example.org',
 *   clientId: 'web',
 *   authentication: { method: 'client_secret_basic', secret },
 *   redirectUri: 'https://app.example.org/callback',
 * });
 * const { url, transaction } = await client.authorizationUrl();
 */
export function createOAuthClient(options: OAuthClientOptions): OAuthClient {
  const settings = readOptions(options);
  const { redirectUri, resource, isOidc } = settings;
  const findMetadata = createFindMetadata(settings);
  const authenticated = createAuthenticated(settings);
  const verifyIdToken = createVerifyIdToken(settings);
  const refreshing = new Map<string, Promise<TokenSet>>();

  async function grant(form: Readonly<Record<string, string | undefined>>): Promise<TokenSet> {
    const { tokenEndpoint: url } = await findMetadata();
    return readTokenSet(await askJson(authenticated({ url, form: { ...form, resource } }), settings), settings);
  }

  async function verified(tokens: TokenSet, expected: Omit<IdTokenExpectation, 'accessToken'>): Promise<TokenSet> {
    if (tokens.idToken === undefined) return tokens;
    const { accessToken } = tokens;
    return { ...tokens, claims: await verifyIdToken(tokens.idToken, { ...expected, accessToken }) };
  }

  async function swap(refreshToken: string): Promise<TokenSet> {
    const tokens = await grant({ grant_type: 'refresh_token', refresh_token: refreshToken });
    // Without a new one the old one goes on (RFC 6749 section 6).
    return verified({ refreshToken, ...tokens }, {});
  }

  return Object.freeze({
    async authorizationUrl(request: AuthorizationRequestOptions = {}) {
      return authorizationRequest(await findMetadata(), settings, request);
    },

    async handleCallback(callback: string | URL, transaction: AuthorizationTransaction | undefined) {
      const begun = readTransaction(transaction, settings);
      const code = readCallback(callback, begun, await findMetadata());
      const tokens = await grant({
        grant_type: 'authorization_code',
        code,
        redirect_uri: redirectUri,
        code_verifier: begun.codeVerifier,
      });
      if (isOidc && tokens.idToken === undefined) throw responseInvalid('id_token', 'is missing');
      return verified(tokens, { login: begun });
    },

    async refresh(refreshToken: string, expectedSub?: string) {
      let flight = refreshing.get(refreshToken);
      if (flight === undefined) {
        flight = swap(refreshToken).finally(() => refreshing.delete(refreshToken));
        refreshing.set(refreshToken, flight);
      }
      const tokens = await flight;
      if (expectedSub !== undefined && tokens.claims !== undefined && tokens.claims.sub !== expectedSub) {
        throw responseInvalid('sub', 'is somebody else');
      }
      return tokens;
    },

    async userInfo(accessToken: string, expectedSub: string) {
      const { userinfoEndpoint: url } = await findMetadata();
      if (url === undefined) throw responseInvalid('userinfo_endpoint', 'is missing in the metadata');
      const claims = await askJson({ url, headers: { authorization: `Bearer ${accessToken}` } }, settings);
      const sub = ownProperty(claims, 'sub');
      // Nobody is not somebody, also where the caller has no `sub` at hand.
      if (sub === undefined || sub !== expectedSub) throw responseInvalid('sub', 'is somebody else');
      return claims;
    },

    async revoke(token: string) {
      const { revocationEndpoint: url } = await findMetadata();
      if (url === undefined) throw responseInvalid('revocation_endpoint', 'is missing in the metadata');
      await send(authenticated({ url, form: { token } }), settings);
    },

    close: verifyIdToken.close,
  });
}
