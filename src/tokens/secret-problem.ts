import { isAsymmetricMaterial } from './asymmetric-material.ts';

const MIN_BYTES = 32;

/** What makes bytes useless as a secret, however random they are; `undefined` when nothing does. */
export function secretProblem(bytes: Buffer): string | undefined {
  if (bytes.length < MIN_BYTES) return `must have at least ${MIN_BYTES} bytes`;
  return isAsymmetricMaterial(bytes)
    ? 'holds an asymmetric key or a JWK, which must never be used as a secret'
    : undefined;
}
