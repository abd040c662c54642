import { createArgon2Hasher } from 'doorward/argon2';
import { combineHashers, createBcryptHasher, type PasswordHasher } from 'doorward/passwords';
import { afterAll, describe, expect, it } from 'vitest';

const pepper = { id: 'p1', secret: 'Lk0zF5vXh3sQmR8tYw2nBc7jUe4aKd9G' };
const bcrypt = createBcryptHasher({ cost: 4, workers: 1, peppers: [pepper] });
const plainBcrypt = createBcryptHasher({ cost: 4, workers: 1 });
const argon2 = createArgon2Hasher({ memoryKiB: 16, passes: 1, peppers: [pepper] });
afterAll(() => Promise.all([bcrypt, plainBcrypt, argon2].map((hasher) => hasher.close())));

/** Counts who is asked to work. */
function counting(inner: PasswordHasher) {
  const calls = { hash: 0, verify: 0, close: 0 };
  const hasher: PasswordHasher = {
    ...inner,
    hash: (password) => {
      calls.hash += 1;
      return inner.hash(password);
    },
    verify: (password, stored) => {
      calls.verify += 1;
      return inner.verify(password, stored);
    },
    close: async () => {
      calls.close += 1;
    },
  };
  return { calls, hasher };
}

describe('combined hashers', () => {
  it('hash with the first and verify with whichever recognises the hash', async () => {
    const combined = combineHashers(argon2, bcrypt);
    expect(await combined.hash('correct horse')).toMatch(/^\$dw2\$p1\$argon2id\$/);
    const hashes = [argon2, bcrypt, plainBcrypt].map((hasher) => hasher.hash('correct horse'));
    const long = plainBcrypt.hash('p'.repeat(100));
    for (const stored of await Promise.all(hashes)) {
      expect(combined.recognises(stored)).toBe(true);
      expect(await combined.verify('correct horse', stored)).toBe('match');
      expect(await combined.verify('wrong horse', stored)).toBe('mismatch');
    }
    expect(await combined.verify('p'.repeat(100), await long)).toBe('match');
  });

  it('LOG-16 ask for a rehash of whatever the first would not make, in both directions', async () => {
    const [ofArgon2, ofBcrypt] = await Promise.all([argon2.hash('correct horse'), bcrypt.hash('correct horse')]);
    expect(combineHashers(argon2, bcrypt).needsRehash(ofBcrypt)).toBe(true);
    expect(combineHashers(argon2, bcrypt).needsRehash(ofArgon2)).toBe(false);
    expect(combineHashers(bcrypt, argon2).needsRehash(ofArgon2)).toBe(true);
    expect(combineHashers(bcrypt, argon2).needsRehash(ofBcrypt)).toBe(false);
    expect(combineHashers(bcrypt, argon2).needsRehash(await plainBcrypt.hash('correct horse'))).toBe(true);
  });

  it.each([
    ['an unknown account', undefined, 'mismatch'],
    ['no hash', 'no hash', 'corrupt'],
    ['a bcrypt hash of cost 31', '$2b$31$......................aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 'corrupt'],
    ['Argon2i', '$argon2i$v=19$m=16,t=1,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAA', 'corrupt'],
  ])('TIM-04 LOG-15 %s costs one evaluation of the first and none of the others', async (_, stored, verdict) => {
    const [preferred, other] = [counting(argon2), counting(bcrypt)];
    const combined = combineHashers(preferred.hasher, other.hasher);
    expect(await combined.verify('guess', stored)).toBe(verdict);
    expect(preferred.calls.verify).toBe(1);
    expect(other.calls.verify).toBe(0);
  });

  it('close together', async () => {
    const [preferred, other] = [counting(argon2), counting(bcrypt)];
    await combineHashers(preferred.hasher, other.hasher).close();
    expect([preferred.calls.close, other.calls.close]).toEqual([1, 1]);
  });
});
