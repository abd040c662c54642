import { createHash } from 'node:crypto';
import { inspect } from 'node:util';
import { type Algorithm, hash as argon2Hash } from '@node-rs/argon2';
import bcrypt from 'bcryptjs';
import { createArgon2Hasher } from 'doorward/argon2';
import { combineHashers, createBcryptHasher, type PasswordHasher, type Pepper } from 'doorward/passwords';
import { afterAll, describe, expect, it } from 'vitest';

const pepper: Pepper = { id: 'p1', secret: 'Lk0zF5vXh3sQmR8tYw2nBc7jUe4aKd9G' };
const cheap = { memoryKiB: 16, passes: 1 };
const ofBcrypt = createBcryptHasher({ cost: 4, workers: 1, queueLimit: 1_000 });
const ofArgon2 = createArgon2Hasher({ ...cheap, queueLimit: 1_000 });
const both = combineHashers(ofArgon2, ofBcrypt);
const pepperedBcrypt = createBcryptHasher({ cost: 4, workers: 1, peppers: [pepper] });
const pepperedArgon2 = createArgon2Hasher({ ...cheap, peppers: [pepper] });
afterAll(() => Promise.all([both, pepperedBcrypt, pepperedArgon2].map((hasher) => hasher.close())));

const hashers: readonly (readonly [string, PasswordHasher])[] = [
  ['bcrypt', ofBcrypt],
  ['argon2', ofArgon2],
  ['both', both],
  ['peppered bcrypt', pepperedBcrypt],
  ['peppered argon2', pepperedArgon2],
];
const cheapBcrypt = (text: string) => bcrypt.hash(text, '$2b$04$......................');

describe.each(hashers)('attacks on the stored passwords of %s', (_name, hasher) => {
  it('D4 a password that shares its first 72 bytes with the real one does not log in', async () => {
    const beginning = 'é'.repeat(36);
    const stored = await hasher.hash(`${beginning} and a secret end`);
    for (const guess of [beginning, `${beginning} and another end`, `${beginning} and a secret en`]) {
      expect(await hasher.verify(guess, stored)).toBe('mismatch');
    }
    expect(await hasher.verify(`${beginning}x`, await hasher.hash(beginning))).toBe('mismatch');
  });

  it('D4 the digest of a long password, as found in another leak, does not log in', async () => {
    const password = 'p'.repeat(100);
    const stored = await hasher.hash(password);
    for (const algorithm of ['sha384', 'sha256']) {
      for (const encoding of ['base64', 'hex'] as const) {
        const leaked = createHash(algorithm).update(password).digest(encoding);
        expect(await hasher.verify(leaked, stored)).toBe('mismatch');
      }
    }
  });

  it('D4 NUL makes no aliases', async () => {
    const stored = await hasher.hash('password');
    for (const alias of ['password\0', 'password\0password', 'password\0\0', '\0password', '\0', '']) {
      expect(await hasher.verify(alias, stored)).toBe('mismatch');
    }
    await expect(hasher.hash('password\0')).rejects.toMatchObject({ code: 'INPUT_INVALID' });
  });

  it('D4 lone surrogates, which all become one character, match nothing and are not stored', async () => {
    const stored = await hasher.hash('\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd');
    expect(await hasher.verify('\ud800'.repeat(8), stored)).toBe('mismatch');
    expect(await hasher.verify('\udc00'.repeat(8), stored)).toBe('mismatch');
    await expect(hasher.hash('\ud800'.repeat(8))).rejects.toMatchObject({ code: 'INPUT_INVALID' });
  });

  it('LOG-06 what looks the same is not the same, and nothing is trimmed', async () => {
    const passwords = [
      'caf\u00e9 caf\u00e9',
      'cafe\u0301 cafe\u0301',
      ' cafe cafe',
      'cafe cafe',
      'cafe cafe ',
      'CAFE CAFE',
    ];
    const stored = await Promise.all(passwords.map((password) => hasher.hash(password)));
    for (const [i, hash] of stored.entries()) {
      for (const [j, password] of passwords.entries()) {
        expect(await hasher.verify(password, hash)).toBe(i === j ? 'match' : 'mismatch');
      }
    }
  });

  it('LOG-15 no stored text makes it throw, and what is no hash matches nothing, the password itself least of all', async () => {
    const own = await hasher.hash('correct horse');
    const texts = [
      ...['', '$', '$$', '$2b$', '$dw1', '$dw1$', '$dw2$', '$dw2$p1', '$dw2$p1$', '$argon2id$', 'correct horse', '\0'],
      ...[own.slice(1), `${own}\0`, `${own}\n`, `${own}${own}`, `$dw1$dw1${own}`, `$dw1${own}x`, `$dw2$p1$dw1${own}`],
      ...[
        '__proto__',
        'constructor',
        `$dw2$__proto__${own}`,
        `$dw2$constructor${own}`,
        '\ud800',
        'x'.repeat(1_000_000),
      ],
    ];
    for (const text of texts) expect(await hasher.verify('correct horse', text), text.slice(0, 80)).toBe('corrupt');
  });

  it('LOG-15 a stored hash that was cut short, as by a column that is too narrow, matches nothing', async () => {
    const own = await hasher.hash('correct horse');
    for (let length = 0; length < own.length; length += 1) {
      expect(await hasher.verify('correct horse', own.slice(0, length)), `${length}`).not.toBe('match');
    }
  });

  it('LOG-15 cost bombs are refused by their form and never evaluated', async () => {
    const salt = 'A'.repeat(22);
    const digest = 'A'.repeat(43);
    const bombs = [
      ...['15', '20', '31', '99'].map((cost) => `$2b$${cost}$${'.'.repeat(53)}`),
      ...['m=4194304,t=1,p=1', 'm=262144,t=10,p=1', 'm=16,t=4000000,p=1', 'm=9999999,t=99,p=99'].map(
        (cost) => `$argon2id$v=19$${cost}$${salt}$${digest}`,
      ),
      `$argon2id$v=19$m=16,t=1,p=1$${salt}$${'A'.repeat(4_000_000)}`,
    ];
    for (const bomb of bombs.flatMap((text) => [text, `$dw1${text}`, `$dw2$p1${text}`])) {
      expect(hasher.recognises(bomb)).toBe(false);
      expect(await hasher.verify('correct horse', bomb)).toBe('corrupt');
    }
  });

  it('LOG-15 Argon2i and Argon2d, which leak or break more easily, are not taken', async () => {
    for (const algorithm of [0 satisfies Algorithm.Argon2d, 1 satisfies Algorithm.Argon2i]) {
      const stored = await argon2Hash('correct horse', { algorithm, memoryCost: 16, timeCost: 1 });
      expect(await hasher.verify('correct horse', stored)).toBe('corrupt');
    }
  });

  it('no error and no object of the hasher shows a password, a hash or a pepper', async () => {
    const error: unknown = await hasher.hash('correct horse\0').catch((reason: unknown) => reason);
    const shown = inspect([error, hasher], { depth: 20, showHidden: true });
    expect(shown).not.toContain('correct horse');
    expect(shown).not.toContain(pepper.secret);
  });
});

describe('a stolen database without the pepper', () => {
  const stolen = Promise.all([pepperedBcrypt, pepperedArgon2].map((hasher) => hasher.hash('password1')));
  const otherPepper: Pepper = { id: 'p1', secret: 'q8Zr1Tn6Vb3Xm9Ls4Hd7Kf2Wc5Yj0GpA' };

  it('verifies nothing, with no hasher, whatever is done to the prefix', async () => {
    for (const stored of await stolen) {
      const bare = stored.slice('$dw2$p1'.length);
      for (const text of [stored, bare, `$dw1${bare}`]) {
        for (const hasher of [ofBcrypt, ofArgon2, both]) {
          expect(await hasher.verify('password1', text)).not.toBe('match');
        }
      }
    }
  });

  it('verifies nothing under a guessed pepper', async () => {
    const hasher = combineHashers(
      createArgon2Hasher({ ...cheap, peppers: [otherPepper] }),
      createBcryptHasher({ cost: 4, workers: 1, peppers: [otherPepper] }),
    );
    for (const stored of await stolen) expect(await hasher.verify('password1', stored)).toBe('mismatch');
    await hasher.close();
  });

  it('verifies nothing in the tools of an attacker', async () => {
    const [bcryptHash = '', argon2Text = ''] = (await stolen).map((stored) => stored.slice('$dw2$p1'.length));
    for (const guess of ['password1', createHash('sha384').update('password1').digest('base64')]) {
      expect(await bcrypt.compare(guess, bcryptHash)).toBe(false);
      expect(await ofArgon2.verify(guess, argon2Text)).toBe('mismatch');
    }
  });

  it('and where the pepper is, it does verify', async () => {
    const [bcryptHash, argon2Text] = await stolen;
    expect(await pepperedBcrypt.verify('password1', bcryptHash)).toBe('match');
    expect(await pepperedArgon2.verify('password1', argon2Text)).toBe('match');
  });
});

describe('a plain bcrypt hash of a library that cuts', () => {
  it('D4 does not match the longer password that it was made of, nor any other that begins alike', async () => {
    const cut = await cheapBcrypt('p'.repeat(80));
    for (const length of [73, 80, 100]) expect(await both.verify('p'.repeat(length), cut)).toBe('mismatch');
    expect(await both.verify('p'.repeat(72), cut)).toBe('match');
  });

  it('D4 does not match by NUL where the library itself would', async () => {
    const stored = await cheapBcrypt('a');
    expect(await bcrypt.compare('a\0a', stored)).toBe(true);
    expect(await both.verify('a\0a', stored)).toBe('mismatch');
  });
});

describe('a flood of logins', () => {
  it.each([
    ['bcrypt', () => createBcryptHasher({ cost: 6, workers: 1 })],
    ['argon2', () => createArgon2Hasher({ concurrency: 1 })],
  ])(
    'DOS-02 of 1,000 by %s leaves 65 working or waiting and refuses the rest before the first is done',
    async (_, make) => {
      const hasher = make();
      await hasher.verify('warm', undefined);
      const order: string[] = [];
      const guesses = Array.from({ length: 1_000 }, (__, index) =>
        hasher.verify(`guess ${index}`, undefined).then(
          () => order.push('answered'),
          (reason: unknown) => {
            expect(reason).toMatchObject({ code: 'SERVICE_BUSY', status: 503, retryAfterSeconds: 1 });
            order.push('refused');
          },
        ),
      );
      await Promise.all(guesses);
      expect(order.indexOf('answered')).toBe(935);
      expect(order.lastIndexOf('refused')).toBe(934);
      expect(await hasher.verify('after', undefined)).toBe('mismatch');
      await hasher.close();
    },
  );
});
