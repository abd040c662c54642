import { DoorwardError } from '../../core/index.ts';
import { errorResponse, type Routes } from '../../http/index.ts';
import { publicJwks, type TokenKey } from '../../tokens/index.ts';
import { ENDPOINT_PATHS, pathOf } from '../endpoints.ts';
import type { Settings } from '../settings.ts';
import { withCors } from './cors.ts';
import { publicJson } from './public-json.ts';
import { oauthMetadata, openidMetadata } from './server-metadata.ts';

/** The one algorithm that every OpenID provider has to sign with (OpenID Connect Core section 15.1). */
const OPENID_ALGORITHM = 'RS256';

/**
 * Makes the documents that anybody may read: the metadata where RFC 8414 section 3.1 puts it, and where OpenID
 * Connect Discovery section 4 does, and the public keys. While the server does not sign with RS256 it is no OpenID
 * provider, so the document of one is not found.
 */
export function metadataRoutes(settings: Settings): Routes {
  const { issuer, keys } = settings;
  const at = pathOf(issuer);
  const plain = Buffer.from(JSON.stringify(oauthMetadata(settings, false)));
  const withOpenid = Buffer.from(
    JSON.stringify({ ...oauthMetadata(settings, true), ...openidMetadata(settings, OPENID_ALGORITHM) }),
  );
  const isOpenid = (): boolean => keys.active.alg === OPENID_ALGORITHM;
  const jwks = createJwks(settings);

  const openid = (): Response =>
    isOpenid() ? publicJson(withOpenid) : errorResponse(new DoorwardError('HTTP_NOT_FOUND'));
  return withCors({
    [`GET /.well-known/oauth-authorization-server${at}`]: () => publicJson(isOpenid() ? withOpenid : plain),
    [`GET ${at}/.well-known/openid-configuration`]: openid,
    // Clients that put the name before the path, as RFC 8414 section 5 asks of all but OpenID Connect, find it too.
    [`GET /.well-known/openid-configuration${at}`]: openid,
    [`GET ${at}${ENDPOINT_PATHS.jwks}`]: () => publicJson(jwks()),
  });
}

/** The public keys, written once for every change of the ring. */
function createJwks({ keys }: Pick<Settings, 'keys'>): () => Buffer<ArrayBuffer> {
  let written: { readonly of: readonly TokenKey[]; readonly bytes: Buffer<ArrayBuffer> } | undefined;
  return () => {
    const now = keys.keys;
    if (written?.of !== now) written = { of: now, bytes: Buffer.from(JSON.stringify(publicJwks(now))) };
    return written.bytes;
  };
}
