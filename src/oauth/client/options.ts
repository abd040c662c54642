import type { Dispatcher } from 'undici';
import { ASYMMETRIC_ALGORITHMS } from '../../core/asymmetric-algorithms.ts';
import { configInvalid, refuseUnknownOptions, requireWholeNumber } from '../../core/config-invalid.ts';
import { type Clock, systemClock } from '../../core/index.ts';
import { requireIssuerAddress } from '../../jwks/address.ts';
import type { Discovery, RemoteAlgorithm } from '../../jwks/index.ts';
import type { TokenKey } from '../../tokens/index.ts';

/** How the client proves at the token endpoint that it is itself. */
export type ClientAuthentication =
  | { readonly method: 'none' }
  | { readonly method: 'client_secret_basic' | 'client_secret_post'; readonly secret: string }
  | { readonly method: 'private_key_jwt'; readonly key: TokenKey };

export interface OAuthClientOptions {
  /** Exactly as the server's metadata spells it. */
  readonly issuer: string;
  readonly clientId: string;
  /** @default { method: 'none' } */
  readonly authentication?: ClientAuthentication;
  /** Where the server sends browsers back to, as it is registered. */
  readonly redirectUri: string;
  /** Separated by spaces. With `openid` an ID token is demanded. @default 'openid' */
  readonly scope?: string;
  /** Whom the access tokens are for (RFC 8707). @default left to the server */
  readonly resource?: string;
  /** The metadata document. @default 'openid-configuration' */
  readonly discovery?: Discovery;
  /** The accepted algorithms of ID tokens. @default ['ES256', 'RS256', 'PS256'] */
  readonly algorithms?: readonly RemoteAlgorithm[];
  /** How long a browser may take from `authorizationUrl` to `handleCallback`. @default 600 */
  readonly maxTransactionSeconds?: number;
  /** How far the clocks may be apart, 0 to 60. @default 5 */
  readonly toleranceSeconds?: number;
  /** Milliseconds for one exchange, the body included. @default 5000 */
  readonly timeoutMs?: number;
  /** Sends the requests, for example through a proxy. @default that of undici */
  readonly dispatcher?: Dispatcher;
  /** @default systemClock */
  readonly clock?: Clock;
}

const OPTIONS: readonly (keyof OAuthClientOptions)[] = [
  ...(['issuer', 'clientId', 'authentication', 'redirectUri', 'scope', 'resource', 'discovery', 'algorithms'] as const),
  ...(['maxTransactionSeconds', 'toleranceSeconds', 'timeoutMs', 'dispatcher', 'clock'] as const),
];

/** A name with a line break before it would be asked for by nobody, `openid` too (RFC 6749 section 3.3). */
const SCOPE = /^(?:[\x21\x23-\x5B\x5D-\x7E]+(?: [\x21\x23-\x5B\x5D-\x7E]+)*)?$/;

/** The options with their defaults, checked. */
export interface Settings extends Required<Omit<OAuthClientOptions, 'resource' | 'dispatcher'>> {
  readonly resource: string | undefined;
  readonly dispatcher: Dispatcher | undefined;
  /** Whether an ID token has to come. */
  readonly isOidc: boolean;
}

/** @throws `CONFIG_INVALID` */
export function readOptions(options: OAuthClientOptions): Settings {
  refuseUnknownOptions(options, OPTIONS);
  const {
    authentication = { method: 'none' },
    scope = 'openid',
    resource,
    discovery = 'openid-configuration',
    algorithms = ASYMMETRIC_ALGORITHMS,
    maxTransactionSeconds = 600,
    toleranceSeconds = 5,
    timeoutMs = 5_000,
    dispatcher,
    clock = systemClock,
  } = options;
  requireIssuerAddress(requireText('issuer', options.issuer));
  requireText('clientId', options.clientId);
  const redirectUri = requireText('redirectUri', options.redirectUri);
  if (!URL.canParse(redirectUri) || redirectUri.includes('#')) {
    throw configInvalid('redirectUri', 'must be an absolute URI without a fragment');
  }
  if (typeof scope !== 'string' || !SCOPE.test(scope)) {
    throw configInvalid('scope', 'must be names with one space between them');
  }
  if (resource !== undefined) requireText('resource', resource);
  if (dispatcher !== undefined && typeof dispatcher?.dispatch !== 'function') {
    throw configInvalid('dispatcher', 'must be a dispatcher of undici');
  }
  if (typeof clock !== 'function') throw configInvalid('clock', 'must be a function');
  requireWholeNumber('maxTransactionSeconds', maxTransactionSeconds, 1, 86_400);
  requireWholeNumber('toleranceSeconds', toleranceSeconds, 0, 60);
  requireWholeNumber('timeoutMs', timeoutMs, 1, 60_000);
  checkAuthentication(authentication);
  const defaults = { authentication, scope, discovery, algorithms, maxTransactionSeconds, toleranceSeconds, timeoutMs };
  const isOidc = scope.split(' ').includes('openid');
  return Object.freeze({ ...options, ...defaults, resource, dispatcher, clock, isOidc });
}

function checkAuthentication(authentication: ClientAuthentication): void {
  switch (authentication?.method) {
    case 'none':
      return;
    case 'client_secret_basic':
    case 'client_secret_post':
      requireText('authentication.secret', authentication.secret);
      return;
    case 'private_key_jwt':
      if (authentication.key?.sign === undefined || authentication.key.alg === 'HS256') {
        throw configInvalid('authentication.key', 'must be a private key');
      }
      return;
    default:
      throw configInvalid('authentication.method', 'is not a known method');
  }
}

function requireText(name: string, value: unknown): string {
  if (typeof value !== 'string' || value === '') throw configInvalid(name, 'must be a non-empty string');
  return value;
}
