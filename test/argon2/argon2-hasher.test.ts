import { type Algorithm, hash as libraryHash, verify as libraryVerify } from '@node-rs/argon2';
import { createArgon2Hasher } from 'doorward/argon2';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { itKeepsPasswordsApart } from '../passwords/any-hasher.ts';

const cheap = { memoryKiB: 16, passes: 1 };
const hasher = createArgon2Hasher({ ...cheap, queueLimit: 1_000 });
afterAll(() => hasher.close());

const made = (password: string, options = {}) =>
  libraryHash(password, { memoryCost: 16, timeCost: 1, parallelism: 1, ...options });
const SALT = 'AAAAAAAAAAAAAAAAAAAAAA';
const DIGEST = 'A'.repeat(43);
const phc = (parameters: string, salt = SALT, digest = DIGEST) => `$argon2id$v=19$${parameters}$${salt}$${digest}`;

describe('argon2 hasher', () => {
  it('stores the PHC string of Argon2id at the cost of OWASP by default, and a salt of 16 and a digest of 32 bytes', async () => {
    const standard = createArgon2Hasher();
    const stored = await standard.hash('correct horse');
    expect(stored).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
    expect(await standard.verify('correct horse', stored)).toBe('match');
    expect(await standard.verify('wrong horse', stored)).toBe('mismatch');
    await standard.close();
  });

  it('makes hashes that the library checks, and checks those that the library makes', async () => {
    expect(await libraryVerify(await hasher.hash('correct horse'), 'correct horse')).toBe(true);
    for (const options of [{}, { parallelism: 2 }, { outputLen: 16 }, { outputLen: 64, salt: Buffer.alloc(8, 7) }]) {
      const stored = await made('correct horse', options);
      expect(await hasher.verify('correct horse', stored)).toBe('match');
      expect(await hasher.verify('wrong horse', stored)).toBe('mismatch');
    }
  });

  it('never makes the same hash twice', async () => {
    expect(await hasher.hash('correct horse')).not.toBe(await hasher.hash('correct horse'));
  });

  itKeepsPasswordsApart(hasher, 60);

  it.each([
    ['NUL', 'a\0b'],
    ['a lone surrogate', 'abc\ud800'],
    ['1,025 characters', 'p'.repeat(1_025)],
  ])(
    'D4 a password with %s is not hashed and matches nothing, also what the library made of it',
    async (_, password) => {
      await expect(hasher.hash(password)).rejects.toMatchObject({ code: 'INPUT_INVALID', field: 'password' });
      expect(await hasher.verify(password, await made(password))).toBe('mismatch');
    },
  );

  it.each([
    ['', 'an empty text'],
    ['correct horse', 'the password itself'],
    ['$2b$04$......................aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 'bcrypt'],
    [phc('m=16,t=1,p=1').replace('argon2id', 'argon2i'), 'Argon2i'],
    [phc('m=16,t=1,p=1').replace('argon2id', 'argon2d'), 'Argon2d'],
    [phc('m=16,t=1,p=1').replace('v=19', 'v=16'), 'version 16'],
    [phc('m=16,t=1,p=1').replace('v=19$', ''), 'no version'],
    [phc('m=262145,t=1,p=1'), 'more than 256 MiB'],
    [phc('m=4294967295,t=1,p=1'), '4 TiB'],
    [phc('m=16,t=11,p=1'), '11 passes'],
    [phc('m=16,t=4294967295,p=1'), 'passes for years'],
    [phc('m=262144,t=5,p=1'), 'much memory and many passes'],
    [phc('m=65536,t=1,p=17'), '17 lanes'],
    [phc('m=7,t=1,p=1'), 'less than 8 KiB'],
    [phc('m=16,t=1,p=4'), 'less than 8 KiB a lane'],
    [phc('m=0,t=1,p=1'), 'no memory'],
    [phc('m=16,t=0,p=1'), 'no pass'],
    [phc('m=16,t=1,p=0'), 'no lane'],
    [phc('m=016,t=1,p=1'), 'a leading zero'],
    [phc('m=16,p=1,t=1'), 'another order'],
    [phc('m=16,t=1,p=1,keyid=AAAA'), 'a parameter more'],
    [phc('m=16,t=1,p=1', 'AAAA'), 'a short salt'],
    [phc('m=16,t=1,p=1', SALT, 'AAAA'), 'a short digest'],
    [phc('m=16,t=1,p=1', `${SALT.slice(1)}B`), 'a salt in Base64 that is not canonical'],
    [phc('m=16,t=1,p=1', SALT, `${DIGEST.slice(1)}B`), 'a digest in Base64 that is not canonical'],
    [phc('m=16,t=1,p=1', SALT, 'A'.repeat(41)), 'Base64 of an impossible length'],
    [phc('m=16,t=1,p=1', SALT, 'A'.repeat(1_000_000)), 'a digest of 1 MB'],
    [`${phc('m=16,t=1,p=1')}\n`, 'a newline at the end'],
    [`${phc('m=16,t=1,p=1')}=`, 'padding'],
    [`$dw1${phc('m=16,t=1,p=1')}`, 'the prefix of a bcrypt hash'],
    [`$dw2$k1${phc('m=16,t=1,p=1')}`, 'a pepper that is not configured'],
  ])('LOG-15 the stored text %.40j is corrupt and never thrown over: %s', async (stored) => {
    expect(await hasher.verify('correct horse', stored)).toBe('corrupt');
    expect(hasher.recognises(stored)).toBe(false);
    expect(hasher.needsRehash(stored)).toBe(true);
  });

  it('LOG-15 whatever a stored text is, there is a verdict', async () => {
    const piece = fc.constantFrom(
      '$',
      'argon2id',
      'v=19',
      'm=16',
      't=1',
      'p=1',
      ',',
      SALT,
      DIGEST,
      '=',
      '\0',
      '\ud800',
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(piece).map((parts) => parts.join('')),
        async (stored) => {
          expect(['mismatch', 'corrupt']).toContain(await hasher.verify('guess', stored));
        },
      ),
      { numRuns: 200 },
    );
  });

  it.each([
    ['m=8,t=10,p=1', 8, 16],
    ['m=128,t=1,p=16', 64, 64],
    ['m=262144,t=1,p=1', 16, 32],
  ])('what is accepted can be evaluated: %s, a salt of %i bytes, a digest of %i', async (parameters, salt, digest) => {
    const text = (bytes: number): string => Buffer.alloc(bytes).toString('base64').replaceAll('=', '');
    const stored = phc(parameters, text(salt), text(digest));
    expect(hasher.recognises(stored)).toBe(true);
    expect(await hasher.verify('guess', stored)).toBe('mismatch');
  });

  it('Argon2i of the same password is not taken for Argon2id', async () => {
    const other = await made('correct horse', { algorithm: 1 satisfies Algorithm.Argon2i });
    expect(other).toMatch(/^\$argon2i\$/);
    expect(await hasher.verify('correct horse', other)).toBe('corrupt');
    expect(await hasher.verify('correct horse', other.replace('argon2i', 'argon2id'))).toBe('mismatch');
  });

  it('an unknown account is a mismatch for every password', async () => {
    for (const password of ['', 'correct horse', '\0'])
      expect(await hasher.verify(password, undefined)).toBe('mismatch');
  });

  it.each([
    { memoryKiB: 7 },
    { memoryKiB: 262_145 },
    { memoryKiB: 262_144, passes: 5 },
    { memoryKiB: 16, parallelism: 4 },
    { passes: 0 },
    { passes: 11 },
    { passes: 1.5 },
    { parallelism: 17 },
    { concurrency: 0 },
    { queueLimit: Number.NaN },
    { pepers: [] },
  ])('refuses %j', (options) => {
    expect(() => createArgon2Hasher(options)).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', field: Object.keys(options)[0] }),
    );
  });
});

describe('LOG-16 needsRehash', () => {
  const current = createArgon2Hasher({ memoryKiB: 32, passes: 2 });
  afterAll(() => current.close());

  it.each([
    ['m=32,t=2,p=1', false, 'the configured cost'],
    ['m=31,t=2,p=1', true, 'less memory'],
    ['m=32,t=1,p=1', true, 'fewer passes'],
    ['m=64,t=1,p=1', true, 'more memory but fewer passes'],
    ['m=64,t=2,p=1', false, 'more memory'],
    ['m=32,t=3,p=1', false, 'more passes'],
    ['m=32,t=2,p=2', false, 'more lanes'],
  ])('of %s is %j: %s', (parameters, expected) => {
    expect(current.needsRehash(phc(parameters))).toBe(expected);
  });

  it('of a short salt or digest is true', () => {
    expect(current.needsRehash(phc('m=32,t=2,p=1', 'A'.repeat(11)))).toBe(true);
    expect(current.needsRehash(phc('m=32,t=2,p=1', SALT, 'A'.repeat(22)))).toBe(true);
  });

  it('of what it has just made is false', async () => {
    expect(current.needsRehash(await current.hash('correct horse'))).toBe(false);
  });
});

describe('bounds of the argon2 hasher', () => {
  it('DOS-02 of 1,000 logins one at a time, one runs, 64 wait, the rest are refused at once, and it recovers', async () => {
    const small = createArgon2Hasher({ concurrency: 1 });
    const settled = await Promise.allSettled(Array.from({ length: 1_000 }, () => small.verify('guess', undefined)));
    const refused = settled.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
    expect(settled.length - refused.length).toBe(65);
    for (const reason of refused)
      expect(reason).toMatchObject({ code: 'SERVICE_BUSY', status: 503, retryAfterSeconds: 1 });
    expect(await small.verify('guess', undefined)).toBe('mismatch');
    await small.close();
  });

  it('the event loop turns while a hash is under way', async () => {
    const single = createArgon2Hasher({ memoryKiB: 65_536, passes: 4, concurrency: 1 });
    let turns = 0;
    let hashing = true;
    const count = (): void => {
      turns += 1;
      if (hashing) setImmediate(count);
    };
    count();
    await single.hash('correct horse');
    hashing = false;
    expect(turns).toBeGreaterThan(20);
    await single.close();
  });

  it('close rejects what waits, lets what has begun finish, and rejects every later call', async () => {
    const closing = createArgon2Hasher({ concurrency: 1 });
    const settled = Promise.allSettled([closing.verify('one', undefined), closing.verify('two', undefined)]);
    await Promise.all([closing.close(), closing.close()]);
    expect(await settled).toMatchObject([{ value: 'mismatch' }, { reason: { code: 'SERVICE_UNAVAILABLE' } }]);
    await expect(closing.hash('three')).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    await expect(closing.verify('three', undefined)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  });
});
