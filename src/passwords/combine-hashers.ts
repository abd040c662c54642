import type { PasswordHasher } from './hasher.ts';

/**
 * Makes one hasher of several, to move from one algorithm to another: it hashes with the first, and verifies with
 * whichever recognises the stored hash. What nobody recognises costs the first one's dummy work and is
 * `'corrupt'`; an unknown account costs the same. `close` closes them all.
 *
 * @example
 * const hasher = combineHashers(createArgon2Hasher(), createBcryptHasher());
 * hasher.needsRehash('$2b$12$NPRV1BbMgS4dz8L9qT/WwOTx.hZquXpmnEd3Xf315vlpIGdoW9ERy'); // true
 */
export function combineHashers(preferred: PasswordHasher, ...others: readonly PasswordHasher[]): PasswordHasher {
  const hashers = [preferred, ...others];
  const checkerOf = (stored: string | undefined): PasswordHasher =>
    (stored === undefined ? undefined : hashers.find((hasher) => hasher.recognises(stored))) ?? preferred;
  return {
    hash: (password) => preferred.hash(password),
    verify: (password, stored) => checkerOf(stored).verify(password, stored),
    recognises: (stored) => hashers.some((hasher) => hasher.recognises(stored)),
    needsRehash: (stored) => preferred.needsRehash(stored),
    async close() {
      await Promise.all(hashers.map((hasher) => hasher.close()));
    },
  };
}
