import { ownProperty } from '../../core/own-property.ts';
import type { Settings } from './options.ts';
import { responseInvalid } from './response-invalid.ts';

/** What one login asks for beside the rest (OpenID Connect Core section 3.1.2.1). */
export interface AuthorizationRequestOptions {
  readonly loginHint?: string;
  readonly prompt?: 'none' | 'login' | 'consent' | 'select_account';
  /** How recent the login has to be, in seconds; checked in the answer. */
  readonly maxAgeSeconds?: number;
  /** The classes of which the login must have one; checked in the answer. */
  readonly acrValues?: readonly string[];
}

/** What a server keeps for one browser, in its own session, from `authorizationUrl` to `handleCallback`. Plain JSON. */
export interface AuthorizationTransaction extends Pick<AuthorizationRequestOptions, 'maxAgeSeconds' | 'acrValues'> {
  readonly issuer: string;
  readonly clientId: string;
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
  /** Epoch milliseconds. */
  readonly createdAt: number;
}

/**
 * Reads a transaction: of this client, at this server, and not too old. What was begun with another server ends
 * here, so that nobody is made to finish it at this one (RFC 9700 section 4.4).
 *
 * @throws `OAUTH_RESPONSE_INVALID`
 */
export function readTransaction(value: unknown, settings: Settings): AuthorizationTransaction {
  const { issuer, clientId, maxTransactionSeconds, clock } = settings;
  if (ownProperty(value, 'issuer') !== issuer || ownProperty(value, 'clientId') !== clientId) {
    throw responseInvalid('transaction', 'is missing, or of another client or server');
  }
  const age = clock() - Number(ownProperty(value, 'createdAt'));
  if (!(age >= -settings.toleranceSeconds * 1_000 && age <= maxTransactionSeconds * 1_000)) {
    throw responseInvalid('transaction', 'is too old');
  }
  const maxAgeSeconds = ownProperty(value, 'maxAgeSeconds');
  const acrValues = ownProperty(value, 'acrValues');
  return {
    issuer,
    clientId,
    state: text(value, 'state'),
    nonce: text(value, 'nonce'),
    codeVerifier: text(value, 'codeVerifier'),
    createdAt: Number(ownProperty(value, 'createdAt')),
    ...(maxAgeSeconds !== undefined && { maxAgeSeconds: Number(maxAgeSeconds) }),
    ...(Array.isArray(acrValues) && { acrValues: acrValues.map(String) }),
  };
}

function text(value: unknown, name: string): string {
  const read = ownProperty(value, name);
  if (typeof read !== 'string' || read === '') throw responseInvalid('transaction', 'is damaged');
  return read;
}
