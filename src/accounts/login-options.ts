import type { Caller } from '../core/index.ts';
import { refuseInput } from './input.ts';

export interface LoginOptions {
  /** Puts the account's e-mail address into the token. @default false */
  readonly includeEmail?: boolean;
  /** Gives a refresh token beside the access token; see `rotate`. @default false */
  readonly refreshToken?: boolean;
  /** The OAuth client that the login is for; only it can rotate the refresh token. @default none: a first-party login */
  readonly clientId?: string;
  /** Makes all tokens of the login worthless without the caller's client certificate (RFC 8705 section 3). @default false */
  readonly bindToCertificate?: boolean;
}

const MAX_CLIENT_ID = 256;

/** @throws `INPUT_INVALID` for a client without a name, and when there is no certificate to bind to. */
export function checkLoginOptions({ clientId, bindToCertificate }: LoginOptions, { certificate }: Caller): void {
  if (clientId !== undefined && !isClientId(clientId))
    refuseInput('clientId', 'must be a string of 1 to 256 characters');
  if (bindToCertificate === true && !certificate?.thumbprint)
    refuseInput('certificate', 'is needed to bind a token to it');
}

function isClientId(clientId: unknown): boolean {
  return typeof clientId === 'string' && clientId !== '' && clientId.length <= MAX_CLIENT_ID;
}
