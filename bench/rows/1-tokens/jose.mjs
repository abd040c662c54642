import { importSPKI, jwtVerify } from 'jose';
import { material } from './tokens.mjs';

/** The key as a `CryptoKey`, made once, the fastest kind that jose takes. */
export async function prepare(input) {
  const given = material(input);
  const { alg, text } = given;
  const key =
    alg === 'HS256'
      ? await crypto.subtle.importKey('raw', Buffer.from(text), { name: 'HMAC', hash: 'SHA-256' }, false, ['verify'])
      : await importSPKI(text, alg);
  const options = { algorithms: [alg] };
  return {
    ...given,
    isAsync: true,
    verify: (token) =>
      jwtVerify(token, key, options).then(
        ({ payload }) => payload,
        () => undefined,
      ),
  };
}
