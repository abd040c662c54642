import { createHmac, timingSafeEqual, verify } from 'node:crypto';
import { material } from './tokens.mjs';

/** What cannot be left out: one signature over the bytes, one JSON text, one look at the time. */
export function prepare(input) {
  const given = material(input);
  const { alg, verifyKey } = given;
  const key = { key: verifyKey, dsaEncoding: 'ieee-p1363' };
  const isSigned =
    alg === 'HS256'
      ? (text, signature) => timingSafeEqual(createHmac('sha256', verifyKey).update(text).digest(), signature)
      : (text, signature) => verify('sha256', Buffer.from(text), key, signature);
  return {
    ...given,
    verify: (token) => {
      const first = token.indexOf('.');
      const second = token.indexOf('.', first + 1);
      if (!isSigned(token.slice(0, second), Buffer.from(token.slice(second + 1), 'base64url'))) return undefined;
      const claims = JSON.parse(Buffer.from(token.slice(first + 1, second), 'base64url').toString());
      return claims.exp > Date.now() / 1_000 ? claims : undefined;
    },
  };
}
