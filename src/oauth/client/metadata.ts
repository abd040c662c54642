import { DoorwardError } from '../../core/index.ts';
import { ownProperty } from '../../core/own-property.ts';
import { isLoopback, keyAddress } from '../../jwks/address.ts';
import { metadataAddress } from '../../jwks/discovery.ts';
import { askJson } from './exchange.ts';
import type { Settings } from './options.ts';
import { responseInvalid } from './response-invalid.ts';

/** What the client needs of the server's metadata (RFC 8414 section 2). */
export interface Metadata {
  readonly authorizationEndpoint: string;
  readonly tokenEndpoint: string;
  readonly userinfoEndpoint: string | undefined;
  readonly revocationEndpoint: string | undefined;
  /** Whether every authorization response names its issuer (RFC 9207 section 3). */
  readonly sendsIssuer: boolean;
}

/**
 * Fetches the metadata, once; a failed attempt is tried again with the next call. They must name exactly the
 * configured issuer (RFC 8414 section 3.3), and an issuer elsewhere cannot name an address on this machine. Without
 * the list of PKCE methods PKCE is used all the same; a list without S256 is of a server that would ignore it.
 */
export function createFindMetadata(settings: Settings): () => Promise<Metadata> {
  const { issuer, discovery } = settings;
  let known: Promise<Metadata> | undefined;

  async function find(): Promise<Metadata> {
    const document = await askJson({ url: metadataAddress(issuer, discovery).href }, settings);
    if (ownProperty(document, 'issuer') !== issuer) throw responseInvalid('issuer', 'of the metadata is another one');
    const allowLoopback = isLoopback(new URL(issuer));
    const address = (name: string): string | undefined => {
      const text = ownProperty(document, name);
      if (text === undefined) return undefined;
      const url = typeof text === 'string' ? keyAddress(text, allowLoopback) : undefined;
      if (url === undefined) throw responseInvalid(name, 'is no address to be used');
      return url.href;
    };
    const needed = (name: string): string => {
      const url = address(name);
      if (url === undefined) throw responseInvalid(name, 'is missing in the metadata');
      return url;
    };
    const methods = ownProperty(document, 'code_challenge_methods_supported');
    if (methods !== undefined && !(Array.isArray(methods) && methods.includes('S256'))) {
      throw responseInvalid('code_challenge_methods_supported', 'lacks S256');
    }
    return Object.freeze({
      authorizationEndpoint: needed('authorization_endpoint'),
      tokenEndpoint: needed('token_endpoint'),
      userinfoEndpoint: address('userinfo_endpoint'),
      revocationEndpoint: address('revocation_endpoint'),
      sendsIssuer: ownProperty(document, 'authorization_response_iss_parameter_supported') === true,
    });
  }

  return () => {
    known ??= find().catch((error: unknown) => {
      known = undefined;
      throw error instanceof DoorwardError ? error : new DoorwardError('SERVICE_UNAVAILABLE');
    });
    return known;
  };
}
