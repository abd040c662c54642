import { constants, createHmac, timingSafeEqual, type VerifyKeyObjectInput, verify } from 'node:crypto';
import { decodeBase64url } from './base64url.ts';
import type { TokenKey } from './token-key.ts';

/** Tells whether `signature`, in base64url, is the key's over `input`. Only the one canonical spelling passes. */
export type SignatureCheck = (input: string, signature: string) => boolean;

/** Fixes a key's check when the verifier is built, so that a call does nothing but compute (RFC 7515 section 5.2). */
export function signatureCheck(key: TokenKey): SignatureCheck {
  switch (key.alg) {
    case 'HS256':
      return macCheck(key);
    case 'RS256':
      return digitalSignatureCheck({ key: key.verify, padding: constants.RSA_PKCS1_PADDING });
    case 'PS256':
      return digitalSignatureCheck({
        key: key.verify,
        padding: constants.RSA_PKCS1_PSS_PADDING,
        saltLength: constants.RSA_PSS_SALTLEN_DIGEST,
      });
    case 'ES256':
      return digitalSignatureCheck({ key: key.verify, dsaEncoding: 'ieee-p1363' });
  }
}

/** Compares the encoded texts, as bytes and in constant time: equal texts are canonical too. */
function macCheck({ verify: secret }: TokenKey): SignatureCheck {
  return (input, signature) => {
    const expected = Buffer.from(createHmac('sha256', secret).update(input).digest('base64url'));
    const presented = Buffer.from(signature);
    return presented.length === expected.length && timingSafeEqual(presented, expected);
  };
}

function digitalSignatureCheck(key: VerifyKeyObjectInput): SignatureCheck {
  return (input, signature) => {
    const bytes = decodeBase64url(signature);
    return bytes !== undefined && verify('sha256', Buffer.from(input), key, bytes);
  };
}
