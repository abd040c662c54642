import type { Client } from './client-metadata.ts';

const MAX_LENGTH = 2_048;
/** RFC 3986 without `#`, which a redirect URI must not have (RFC 6749 section 3.1.2), and without `*`, which somebody would mean as a wildcard. */
const URI = /^[\w\-.~:/?[\]@!$&'()+,;=%]+$/;
/** An address that names a domain from its end: anybody can claim a scheme, but not this one by accident (RFC 8252 section 7.1). */
const PRIVATE_SCHEME = /^[a-z][a-z0-9+-]*(?:\.[a-z0-9+-]+)+:$/;
const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);
/** The parameters of an answer: a registered one could not be told from it. */
const ANSWERS: readonly string[] = ['code', 'state', 'iss', 'error', 'error_description', 'error_uri'];
/** Address and port of a loopback redirect, and the rest. A name would be up to whoever answers DNS (RFC 8252 section 8.3). */
const LOOPBACK_REDIRECT = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]))(?::([1-9]\d{0,4}))?([/?].*)?$/;
const MAX_PORT = 65_535;

/** What speaks against registering a redirect URI; `undefined` when nothing does. */
export function redirectUriProblem(uri: unknown, isNative: boolean): string | undefined {
  if (typeof uri !== 'string' || uri.length > MAX_LENGTH || !URI.test(uri) || !URL.canParse(uri)) {
    return 'must be an absolute URI without a fragment, a wildcard and characters that a URI has to escape';
  }
  const url = new URL(uri);
  // What browsers would rewrite is not what was compared: another case, `..`, a standard port, odd ways to write a host.
  if (url.href !== uri && url.href !== `${uri}/`) return 'must be written in its plain form';
  if (url.username !== '' || url.password !== '') return 'must not have a user';
  if (ANSWERS.some((name) => url.searchParams.has(name))) return 'must not have a parameter of the answer in its query';
  if (url.protocol === 'https:') return undefined;
  if (url.protocol === 'http:') {
    return LOOPBACK.has(url.hostname) ? undefined : 'must be https, or http on a loopback address';
  }
  if (!isNative) return 'must be https: only native applications have schemes of their own';
  return PRIVATE_SCHEME.test(url.protocol)
    ? undefined
    : 'must be https, or have a scheme that is a domain turned round, such as org.example.app';
}

/**
 * Tells whether an authorization response may be sent to an address: exactly one that is registered (RFC 9700
 * section 4.1.3). Only the port of a loopback address may differ, and only for a native application, which gets a
 * free one from its system at every login (RFC 8252 section 7.3).
 */
export function isRegisteredRedirectUri(client: Pick<Client, 'redirectUris' | 'isNative'>, uri: string): boolean {
  if (client.redirectUris.includes(uri)) return true;
  const portless = client.isNative ? withoutPort(uri) : undefined;
  return portless !== undefined && client.redirectUris.some((registered) => withoutPort(registered) === portless);
}

/** A loopback redirect but for its port; `undefined` for every other address. */
function withoutPort(uri: string): string | undefined {
  const [, origin, port, rest = ''] = LOOPBACK_REDIRECT.exec(uri) ?? [];
  if (origin === undefined || Number(port ?? 0) > MAX_PORT) return undefined;
  return origin + rest;
}
