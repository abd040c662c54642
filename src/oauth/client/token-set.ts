import type { JsonObject } from '../../core/json-object.ts';
import { ownProperty } from '../../core/own-property.ts';
import type { Claims } from '../../tokens/index.ts';
import type { Settings } from './options.ts';
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

const MAX_SECONDS = 2 ** 32;
/** RFC 6749 appendix A; nothing else is safe in a header. */
const TEXT = /^[\x20-\x7e]+$/;

/**
 * Reads a token response (RFC 6749 section 5.1). Its ID token is left to be judged, and left out where none was
 * asked for: nobody would judge it.
 */
export function readTokenSet(body: JsonObject, { isOidc, clock }: Pick<Settings, 'isOidc' | 'clock'>): TokenSet {
  const type = ownProperty(body, 'token_type');
  if (typeof type !== 'string' || type.toLowerCase() !== 'bearer') throw responseInvalid('token_type', 'is not Bearer');
  const seconds = ownProperty(body, 'expires_in');
  if (seconds !== undefined && !(typeof seconds === 'number' && seconds > 0 && seconds <= MAX_SECONDS)) {
    throw responseInvalid('expires_in', 'is not a number of seconds');
  }
  const scope = optionalText(body, 'scope');
  const refreshToken = optionalText(body, 'refresh_token');
  const idToken = isOidc ? optionalText(body, 'id_token') : undefined;
  const accessToken = optionalText(body, 'access_token');
  if (accessToken === undefined) throw responseInvalid('access_token', 'is missing');
  return {
    accessToken,
    ...(seconds !== undefined && { expiresAt: clock() + Number(seconds) * 1_000 }),
    ...(scope !== undefined && { scope }),
    ...(refreshToken !== undefined && { refreshToken }),
    ...(idToken !== undefined && { idToken }),
  };
}

function optionalText(body: JsonObject, name: string): string | undefined {
  const value = ownProperty(body, name);
  if (value === undefined) return undefined;
  const isText = typeof value === 'string' && (TEXT.test(value) || (value === '' && name === 'scope'));
  if (!isText) throw responseInvalid(name, 'is not text');
  return value;
}
