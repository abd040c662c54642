import { isGuessable } from '../core/guessable.ts';
import { isAsymmetricMaterial } from './asymmetric-material.ts';

const MIN_BYTES = 32;

/** What makes bytes useless as a secret, however random they are; `undefined` when nothing does. */
export function secretProblem(bytes: Buffer): string | undefined {
  if (bytes.length < MIN_BYTES) return `must have at least ${MIN_BYTES} bytes`;
  return isAsymmetricMaterial(bytes)
    ? 'holds an asymmetric key, a certificate or a JWK, which must never be used as a secret'
    : undefined;
}

/** The same of bytes that somebody wrote into a configuration: made-up ones are found too. */
export function configuredSecretProblem(bytes: Buffer): string | undefined {
  const problem = secretProblem(bytes);
  if (problem !== undefined) return problem;
  return isGuessable(bytes.toString('latin1'))
    ? 'can be guessed: use random bytes, for example `openssl rand -hex 32`'
    : undefined;
}
