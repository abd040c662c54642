import { boundedRateLimitStore } from '../accounts/bounded-stores.ts';
import { boundedOnceStore } from '../core/bounded-once-store.ts';
import { configInvalid, refuseUnknownOptions, requireWholeNumber } from '../core/config-invalid.ts';
import { systemClock } from '../core/index.ts';
import type { ErrorListener } from '../http/index.ts';
import { publicJwks, type SigningKeySet, secretKey } from '../tokens/index.ts';
import type { ClientRegistry } from './clients/client-registry.ts';
import { boundedCodeStore } from './codes/bounded-code-store.ts';
import { boundedConsentStore } from './consents/bounded-consent-store.ts';
import { type EndpointUrls, endpointUrls } from './endpoints.ts';
import type { AuthorizationServerOptions } from './options.ts';
import { renderPage } from './pages/render-page.ts';

/** The scopes of OpenID Connect Core sections 5.4 and 11, with what the consent page says of them. */
export const STANDARD_SCOPES: Readonly<Record<string, string>> = {
  openid: 'Know who you are',
  profile: 'See your username',
  email: 'See your e-mail address',
  offline_access: 'Keep access when you are away',
};

const OPTIONS: readonly (keyof AuthorizationServerOptions)[] = [
  ...(['issuer', 'accounts', 'clients', 'codes', 'consents', 'once', 'limits', 'keys', 'secret', 'scopes'] as const),
  ...(['resource', 'resources', 'subject', 'accessTokenSeconds', 'idTokenSeconds', 'codeSeconds'] as const),
  ...(['maxVerifierFailures', 'codesPerMinute', 'introspectionsPerMinute', 'clientTokensPerMinute'] as const),
  ...(['page', 'onError'] as const),
  ...(['storeTimeoutMs', 'clock'] as const),
];
const SCOPE_TOKEN = /^[\x21\x23-\x5B\x5D-\x7E]{1,128}$/;

/** The options with their defaults, checked, with stores that answer in time or fail. */
export interface Settings extends Required<Omit<AuthorizationServerOptions, 'secret' | 'onError'>> {
  readonly secret: Buffer;
  readonly urls: EndpointUrls;
  readonly onError: ErrorListener;
  /** Cookies are `Secure` and named `__Host-...`. */
  readonly isSecure: boolean;
}

/** @throws `CONFIG_INVALID` for an option that cannot be meant. */
export function readSettings(options: AuthorizationServerOptions): Settings {
  refuseUnknownOptions(options, OPTIONS);
  const {
    subject = 'id',
    accessTokenSeconds = 3_600,
    idTokenSeconds = 3_600,
    codeSeconds = 60,
    maxVerifierFailures = 5,
    codesPerMinute = 30,
    introspectionsPerMinute = 6_000,
    clientTokensPerMinute = 600,
    page = renderPage,
    onError = () => undefined,
    storeTimeoutMs = 3_000,
    clock = systemClock,
  } = options;
  const issuer = readIssuer(options.issuer);
  const resource = options.resource ?? issuer;
  const resources = options.resources ?? [resource];
  if (!resources.includes(resource)) throw configInvalid('resources', 'must have `resource` among them');
  for (const audience of resources) readResource(audience);
  requireWholeNumber('accessTokenSeconds', accessTokenSeconds, 1, 86_400);
  requireWholeNumber('idTokenSeconds', idTokenSeconds, 1, 3_600);
  requireWholeNumber('codeSeconds', codeSeconds, 1, 600);
  requireWholeNumber('maxVerifierFailures', maxVerifierFailures, 1, 100);
  requireWholeNumber('codesPerMinute', codesPerMinute, 1, 2 ** 31 - 1);
  requireWholeNumber('introspectionsPerMinute', introspectionsPerMinute, 1, 2 ** 31 - 1);
  requireWholeNumber('clientTokensPerMinute', clientTokensPerMinute, 1, 2 ** 31 - 1);
  requireWholeNumber('storeTimeoutMs', storeTimeoutMs, 1, 600_000);
  if (subject !== 'id' && subject !== 'username') throw configInvalid('subject', "must be 'id' or 'username'");
  if (typeof page !== 'function') throw configInvalid('page', 'must be a function');
  if (typeof options.accounts?.grants?.start !== 'function')
    throw configInvalid('accounts', 'must be of createAccounts');
  if (typeof options.clients?.find !== 'function') throw configInvalid('clients', 'must be of createClientRegistry');
  const scopes = { ...STANDARD_SCOPES, ...options.scopes };
  checkScopes(scopes, options.clients, resources);
  checkKeys(options.keys, options.clients);
  return Object.freeze({
    ...options,
    issuer,
    resource,
    resources,
    scopes,
    subject,
    accessTokenSeconds,
    idTokenSeconds,
    codeSeconds,
    maxVerifierFailures,
    codesPerMinute,
    introspectionsPerMinute,
    clientTokensPerMinute,
    page,
    onError,
    storeTimeoutMs,
    clock,
    secret: readSecret(options.secret),
    codes: boundedCodeStore(options.codes, storeTimeoutMs),
    consents: boundedConsentStore(options.consents, storeTimeoutMs),
    once: boundedOnceStore(options.once, storeTimeoutMs),
    limits: boundedRateLimitStore(options.limits, storeTimeoutMs),
    urls: endpointUrls(issuer),
    isSecure: issuer.startsWith('https:'),
  });
}

/** What `issuer` must be (RFC 8414 section 2); only a loopback address does without TLS. */
function readIssuer(issuer: unknown): string {
  const url = typeof issuer === 'string' && URL.canParse(issuer) ? new URL(issuer) : undefined;
  const plain = url && url.origin + (url.pathname === '/' ? '' : url.pathname);
  if (plain === undefined || plain !== issuer || plain.endsWith('/')) {
    throw configInvalid('issuer', 'must be an address in its plain form, without a trailing slash, query and fragment');
  }
  const isLoopback = ['localhost', '127.0.0.1', '[::1]'].includes(url?.hostname ?? '');
  if (!issuer.startsWith('https:') && !(issuer.startsWith('http:') && isLoopback)) {
    throw configInvalid('issuer', 'must be https, or http on a loopback address');
  }
  return plain;
}

/** RFC 8707 section 2: an absolute URI without a fragment. */
function readResource(resource: unknown): void {
  if (typeof resource !== 'string' || !URL.canParse(resource) || /[#\s]/.test(resource)) {
    throw configInvalid('resources', 'must be absolute URIs without a fragment');
  }
}

function readSecret(secret: string | Uint8Array): Buffer {
  secretKey(secret);
  return Buffer.from(secret as Uint8Array);
}

function checkScopes(
  scopes: Readonly<Record<string, string>>,
  { clients }: ClientRegistry,
  resources: readonly string[],
): void {
  for (const [name, description] of Object.entries(scopes)) {
    if (!SCOPE_TOKEN.test(name) || typeof description !== 'string' || description === '') {
      throw configInvalid('scopes', 'must be scope tokens, each with what it means');
    }
  }
  for (const client of clients) {
    const unknown = client.scopes.find((name) => !Object.hasOwn(scopes, name));
    if (unknown !== undefined) throw configInvalid(`clients["${client.id}"].scope`, 'names a scope that is not known');
    const audiences = [...(client.resources ?? []), ...(client.introspects === 'resource' ? [] : client.introspects)];
    if (!audiences.every((audience) => resources.includes(audience))) {
      throw configInvalid(`clients["${client.id}"].resources`, 'names a resource that is not among `resources`');
    }
  }
}

/** Nobody else can check what a shared secret signed; and OpenID Connect clients may rely on RS256. */
function checkKeys(keys: SigningKeySet, { clients }: ClientRegistry): void {
  const active = keys?.active;
  if (active === undefined || publicJwks([active]).keys.length !== 1) {
    throw configInvalid('keys', 'must have an asymmetric active key');
  }
  if (active.alg !== 'RS256' && clients.some(({ scopes }) => scopes.includes('openid'))) {
    throw configInvalid('keys', 'must sign with RS256 where clients may ask for the scope openid');
  }
}
