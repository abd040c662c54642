import { createTokenIssuer, createTokenVerifier, publicKey, secretKey } from 'doorward/tokens';
import { LIFETIME, material } from './tokens.mjs';

/** Keys given as text, every rule on. The issuer adds a random `jti`, which no other contestant does. */
export function prepare(input, options = {}) {
  const given = material(input);
  const key = input.alg === 'HS256' ? secretKey(given.text) : publicKey(given.text);
  const verifier = createTokenVerifier({ keys: [key], ...options });
  const issuer = key.sign && createTokenIssuer({ key, ttlSeconds: LIFETIME });
  return {
    ...given,
    verify: (token) => {
      const result = verifier.verify(token);
      return result.ok ? result.claims : undefined;
    },
    issue: (claims) => issuer.issue(claims),
  };
}
