import { ownProperty } from '../core/own-property.ts';
import { isLoopback, keyAddress } from './address.ts';
import { type FetchLimits, fetchJson } from './fetch-json.ts';
import { KeySourceError } from './key-source-error.ts';

/** Which metadata document names the keys of an issuer. */
export type Discovery = 'openid-configuration' | 'oauth-authorization-server';

/**
 * Finds the address of an issuer's keys in its metadata, which must name exactly that issuer (RFC 8414 section
 * 3.3, OpenID Connect Discovery section 4.3). An issuer elsewhere cannot send us to an address on this machine.
 */
export async function discoverKeyAddress(issuer: string, discovery: Discovery, limits: FetchLimits): Promise<URL> {
  const metadata = await fetchJson(metadataAddress(issuer, discovery), limits);
  if (ownProperty(metadata, 'issuer') !== issuer) throw new KeySourceError('issuer');
  const uri = ownProperty(metadata, 'jwks_uri');
  const url = typeof uri === 'string' ? keyAddress(uri, isLoopback(new URL(issuer))) : undefined;
  if (url === undefined) throw new KeySourceError('address');
  return url;
}

/** OpenID Connect appends the well-known path to the issuer, RFC 8414 section 3.1 puts it before the issuer's path. */
export function metadataAddress(issuer: string, discovery: Discovery): URL {
  const bare = issuer.replace(/\/$/, '');
  if (discovery === 'openid-configuration') return new URL(`${bare}/.well-known/openid-configuration`);
  const { origin, pathname } = new URL(bare);
  return new URL(`${origin}/.well-known/oauth-authorization-server${pathname === '/' ? '' : pathname}`);
}
