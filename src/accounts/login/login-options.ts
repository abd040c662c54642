import type { Caller } from '../../core/index.ts';
import { refuseInput } from '../input.ts';

export interface LoginOptions {
  /** Puts the account's e-mail address into the token. @default false */
  readonly includeEmail?: boolean;
  /** Gives a refresh token beside the access token; see `rotate`. @default false */
  readonly refreshToken?: boolean;
  /**
   * Gives a session token: 256 random bits that stand for this login, for the cookie of a page. It ends with the
   * session, after `maxSessionSeconds`. Not together with the other tokens and bindings. @default false
   */
  readonly sessionToken?: boolean;
  /** The OAuth client that the login is for; only it can rotate the refresh token. @default none: a first-party login */
  readonly clientId?: string;
  /** Makes all tokens of the login worthless without the caller's client certificate (RFC 8705 section 3). @default false */
  readonly bindToCertificate?: boolean;
}

const MAX_CLIENT_ID = 256;

/**
 * @throws `INPUT_INVALID` for a client without a name, when there is no certificate to bind to, and for a session
 * token of what is no plain first-party login.
 */
export function checkLoginOptions(options: LoginOptions, { certificate }: Caller): void {
  const { clientId, bindToCertificate, refreshToken, sessionToken } = options;
  if (sessionToken === true && (refreshToken === true || bindToCertificate === true || clientId !== undefined))
    refuseInput('sessionToken', 'is not given together with a refresh token, a client or a certificate');
  if (clientId !== undefined && !isClientId(clientId))
    refuseInput('clientId', 'must be a string of 1 to 256 characters');
  if (bindToCertificate === true && !certificate?.thumbprint)
    refuseInput('certificate', 'is needed to bind a token to it');
}

function isClientId(clientId: unknown): boolean {
  return typeof clientId === 'string' && clientId !== '' && clientId.length <= MAX_CLIENT_ID;
}
