import type { PasswordHasher } from 'doorward/passwords';
import fc from 'fast-check';
import { expect, it } from 'vitest';

const PASSWORDS: readonly string[] = [
  '😀'.repeat(64),
  'e\u0301'.repeat(32),
  '\u00e9'.repeat(32),
  ' '.repeat(1_024),
  `'";--' OR 1=1`,
  'كلمة السر الطويلة',
  'trailing space ',
  'trailing space',
  'p'.repeat(72),
  'p'.repeat(73),
  'p'.repeat(1_024),
];

/** What every hasher has to do, whatever it hashes with. */
export function itKeepsPasswordsApart(hasher: PasswordHasher, numRuns: number): void {
  it('LOG-06 emoji, combining characters, spaces, quotes and right-to-left text come back exactly', async () => {
    const stored = await Promise.all(PASSWORDS.map((password) => hasher.hash(password)));
    for (const [i, hash] of stored.entries()) {
      for (const [j, password] of PASSWORDS.entries()) {
        expect(await hasher.verify(password, hash), `${i} ${j}`).toBe(i === j ? 'match' : 'mismatch');
      }
    }
  });

  it('a password matches its own hash and no other password does', async () => {
    const password = fc.string({ unit: 'binary', maxLength: 40 }).map((text) => text.replaceAll('\0', ''));
    await fc.assert(
      fc.asyncProperty(password, password, async (kept, tried) => {
        const stored = await hasher.hash(kept);
        expect(await hasher.verify(kept, stored)).toBe('match');
        expect(await hasher.verify(tried, stored)).toBe(tried === kept ? 'match' : 'mismatch');
      }),
      { numRuns },
    );
  });
}
