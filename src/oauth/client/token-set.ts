import type { JsonObject } from '../../core/json-object.ts';
import { ownProperty } from '../../core/own-property.ts';
import type { Claims } from '../../tokens/index.ts';
import { responseInvalid } from './response-invalid.ts';

/** What the token endpoint gave. */
export interface TokenSet {
  readonly accessToken: string;
  /** Epoch milliseconds by the client's clock; absent when the server does not say. */
  readonly expiresAt?: number;
  /** What was granted; absent when it is what was asked for. */
  readonly scope?: string;
  readonly refreshToken?: string;
  readonly idToken?: string;
  /** Of the ID token, verified. */
  readonly claims?: Claims;
}

/** Reads a token response (RFC 6749 section 5.1) without its ID token judged. */
export function readTokenSet(body: JsonObject, now: number): TokenSet {
  const type = ownProperty(body, 'token_type');
  if (typeof type !== 'string' || type.toLowerCase() !== 'bearer') throw responseInvalid('token_type', 'is not Bearer');
  const seconds = ownProperty(body, 'expires_in');
  if (seconds !== undefined && !(typeof seconds === 'number' && Number.isFinite(seconds) && seconds > 0)) {
    throw responseInvalid('expires_in', 'is not a number of seconds');
  }
  const scope = optionalText(body, 'scope');
  const refreshToken = optionalText(body, 'refresh_token');
  const idToken = optionalText(body, 'id_token');
  const accessToken = optionalText(body, 'access_token');
  if (accessToken === undefined) throw responseInvalid('access_token', 'is missing');
  return {
    accessToken,
    ...(seconds !== undefined && { expiresAt: now + Number(seconds) * 1_000 }),
    ...(scope !== undefined && { scope }),
    ...(refreshToken !== undefined && { refreshToken }),
    ...(idToken !== undefined && { idToken }),
  };
}

function optionalText(body: JsonObject, name: string): string | undefined {
  const value = ownProperty(body, name);
  if (value === undefined) return undefined;
  if (typeof value !== 'string' || (value === '' && name !== 'scope')) throw responseInvalid(name, 'is not a string');
  return value;
}
