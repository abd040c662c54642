import { createHmac, randomBytes } from 'node:crypto';
import bcrypt from 'bcryptjs';
import { createArgon2Hasher } from 'doorward/argon2';
import { createBcryptHasher, type PasswordHasher, type Pepper } from 'doorward/passwords';
import { afterAll, describe, expect, it } from 'vitest';

const first: Pepper = { id: 'p1', secret: 'Lk0zF5vXh3sQmR8tYw2nBc7jUe4aKd9G' };
const second: Pepper = { id: '2026-11_b', secret: randomBytes(32) };

const open: PasswordHasher[] = [];
afterAll(() => Promise.all(open.map((hasher) => hasher.close())));
const kept = (hasher: PasswordHasher): PasswordHasher => {
  open.push(hasher);
  return hasher;
};

const kinds = [
  {
    name: 'bcrypt',
    make: (peppers?: readonly Pepper[]) =>
      kept(createBcryptHasher({ cost: 4, workers: 1, ...(peppers && { peppers }) })),
    own: String.raw`\$2b\$04\$`,
  },
  {
    name: 'argon2',
    make: (peppers?: readonly Pepper[]) =>
      kept(createArgon2Hasher({ memoryKiB: 16, passes: 1, ...(peppers && { peppers }) })),
    own: String.raw`\$argon2id\$v=19\$`,
  },
];

describe.each(kinds)('peppers of the $name hasher', ({ make, own }) => {
  it('D4 store every hash, of a short and of a long password, under a prefix of their own with the id', async () => {
    const hasher = make([first, second]);
    for (const password of ['correct horse', 'p'.repeat(73), 'p'.repeat(1_024)]) {
      const stored = await hasher.hash(password);
      expect(stored).toMatch(new RegExp(String.raw`^\$dw2\$p1${own}`));
      expect(await hasher.verify(password, stored)).toBe('match');
      expect(await hasher.verify(`${password.slice(1)}q`, stored)).toBe('mismatch');
    }
  });

  it('LOG-16 are rotated: the old one still verifies and asks for a rehash, and is gone when it is taken out', async () => {
    const old = await make([first]).hash('correct horse');
    const both = make([second, first]);
    expect(await both.verify('correct horse', old)).toBe('match');
    expect(both.needsRehash(old)).toBe(true);
    const next = await both.hash('correct horse');
    expect(next).toMatch(new RegExp(String.raw`^\$dw2\$2026-11_b${own}`));
    expect(both.needsRehash(next)).toBe(false);
    const only = make([second]);
    expect(await only.verify('correct horse', next)).toBe('match');
    expect(await only.verify('correct horse', old)).toBe('corrupt');
    expect(only.recognises(old)).toBe(false);
  });

  it('LOG-16 let a hash that was made without one verify, and ask for a rehash', async () => {
    for (const password of ['correct horse', 'p'.repeat(100)]) {
      const old = await make().hash(password);
      const hasher = make([first]);
      expect(await hasher.verify(password, old)).toBe('match');
      expect(await hasher.verify('wrong horse', old)).toBe('mismatch');
      expect(hasher.needsRehash(old)).toBe(true);
    }
  });

  it('are no use under another id', async () => {
    const stored = await make([first]).hash('correct horse');
    const renamed = make([{ id: 'p2', secret: first.secret }]);
    expect(await renamed.verify('correct horse', stored.replace('$p1$', '$p2$'))).toBe('match');
    const swapped = make([{ id: 'p1', secret: second.secret }]);
    expect(await swapped.verify('correct horse', stored)).toBe('mismatch');
  });

  it.each([
    ['no list', 'pepper'],
    ['no pepper', [undefined]],
    ['no id', [{ secret: first.secret }]],
    ['an empty id', [{ id: '', secret: first.secret }]],
    ['an id with $', [{ id: 'a$b', secret: first.secret }]],
    ['a long id', [{ id: 'a'.repeat(17), secret: first.secret }]],
    ['one id twice', [first, { id: 'p1', secret: second.secret }]],
    ['no secret', [{ id: 'p1' }]],
    ['an undefined secret', [{ id: 'p1', secret: undefined }]],
    ['31 bytes', [{ id: 'p1', secret: randomBytes(31) }]],
    ['words', [{ id: 'p1', secret: 'this-is-my-very-secret-pepper-for-passwords' }]],
    ['one byte', [{ id: 'p1', secret: 'x'.repeat(64) }]],
    ['zeros', [{ id: 'p1', secret: new Uint8Array(32) }]],
    ['a line end', [{ id: 'p1', secret: `${first.secret}\n` }]],
    ['a weak second', [first, { id: 'p2', secret: 'short' }]],
  ])('are refused with %s, and never repeated', (_, peppers) => {
    const secrets = Array.isArray(peppers)
      ? (peppers as readonly (Partial<Pepper> | undefined)[]).map((pepper) => String(pepper?.secret))
      : [];
    try {
      make(peppers as Pepper[]);
      expect.unreachable();
    } catch (error) {
      expect(error).toMatchObject({ code: 'CONFIG_INVALID', field: 'peppers' });
      for (const secret of secrets) expect(String(error)).not.toContain(secret);
    }
  });
});

describe('a peppered bcrypt hash', () => {
  it('is bcrypt of Base64 of the HMAC-SHA-384', async () => {
    const [, stored = ''] = (await kinds[0]?.make([first]).hash('correct horse'))?.split('$dw2$p1') ?? [];
    const input = createHmac('sha384', first.secret).update('correct horse').digest('base64');
    expect(input).toHaveLength(64);
    expect(await bcrypt.compare(input, stored)).toBe(true);
  });
});
