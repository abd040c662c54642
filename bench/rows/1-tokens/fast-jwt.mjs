import { createSigner, createVerifier } from 'fast-jwt';
import { caught, LIFETIME, material } from './tokens.mjs';

export function prepare(input, options = {}) {
  const given = material(input);
  const { alg, text } = given;
  const sign =
    input.task === 'issue' ? createSigner({ key: text, algorithm: alg, expiresIn: LIFETIME * 1_000 }) : undefined;
  return {
    ...given,
    verify: caught(createVerifier({ key: text, algorithms: [alg], ...options })),
    issue: (claims) => sign(claims),
  };
}
