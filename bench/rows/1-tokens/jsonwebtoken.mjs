import jwt from 'jsonwebtoken';
import { caught, LIFETIME, material } from './tokens.mjs';

/** The key as a `KeyObject`, made once: what its users ought to do. */
export function prepare(input, choose = (given) => [given.signKey, given.verifyKey]) {
  const given = material(input);
  const [signKey, verifyKey] = choose(given);
  const options = { algorithms: [given.alg] };
  return {
    ...given,
    verify: caught((token) => jwt.verify(token, verifyKey, options)),
    issue: (claims) => jwt.sign(claims, signKey, { algorithm: given.alg, expiresIn: LIFETIME }),
  };
}
