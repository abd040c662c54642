import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import bcrypt from 'bcryptjs';
import { createBcryptHasher } from 'doorward/passwords';
import { afterAll, describe, expect, it } from 'vitest';
import { itKeepsPasswordsApart } from './any-hasher.ts';

const hasher = createBcryptHasher({ cost: 4, workers: 2, queueLimit: 1_000 });
afterAll(() => hasher.close());

/** What bcrypt itself makes of a text, for building stored hashes of every kind. */
const plainHash = (text: string, prefix = '$2b$') => bcrypt.hash(text, `${prefix}04$......................`);

describe('bcrypt hasher', () => {
  it('stores up to 72 bytes as a plain $2b$ hash that every bcrypt can check', async () => {
    const password = 'é'.repeat(36);
    const stored = await hasher.hash(password);
    expect(stored).toMatch(/^\$2b\$04\$.{53}$/);
    expect(await bcrypt.compare(password, stored)).toBe(true);
  });

  it('hashes at cost 12 by default', async () => {
    const standard = createBcryptHasher();
    const stored = await standard.hash('correct horse');
    expect(stored).toMatch(/^\$2b\$12\$/);
    expect(await standard.verify('correct horse', stored)).toBe('match');
    await standard.close();
  });

  it('D4 stores more than 72 bytes as bcrypt of the base64 of SHA-384, under a prefix of its own', async () => {
    const password = 'p'.repeat(73);
    const stored = await hasher.hash(password);
    expect(stored).toMatch(/^\$dw1\$2b\$04\$.{53}$/);
    const digest = createHash('sha384').update(password).digest('base64');
    expect(await bcrypt.compare(digest, stored.slice('$dw1'.length))).toBe(true);
  });

  it('D4 never cuts: no two of 72, 73 and 100 equal bytes, and no digest for its password, match', async () => {
    const passwords = [72, 73, 100].map((length) => 'p'.repeat(length));
    passwords.push(createHash('sha384').update('p'.repeat(100)).digest('base64'));
    for (const kept of passwords) {
      const stored = await hasher.hash(kept);
      for (const tried of passwords) {
        expect(await hasher.verify(tried, stored)).toBe(tried === kept ? 'match' : 'mismatch');
      }
    }
  });

  it('D4 a plain hash made by a bcrypt that cuts does not match the longer password', async () => {
    const long = 'p'.repeat(80);
    const cut = await plainHash(long);
    expect(await bcrypt.compare(long, cut)).toBe(true);
    expect(await hasher.verify(long, cut)).toBe('mismatch');
    expect(await hasher.verify('p'.repeat(72), cut)).toBe('match');
  });

  it('D4 a password with NUL matches no hash, also where bcrypt itself would match it', async () => {
    const stored = await plainHash('a');
    expect(await bcrypt.compare('a\0a', stored)).toBe(true);
    for (const password of ['a\0a', 'a\0', '\0']) expect(await hasher.verify(password, stored)).toBe('mismatch');
    expect(await hasher.verify('\0', await plainHash(''))).toBe('mismatch');
    await expect(hasher.hash('a\0a')).rejects.toMatchObject({ code: 'INPUT_INVALID', field: 'password' });
  });

  it('D4 lone surrogates, which UTF-8 cannot tell apart, match nothing', async () => {
    const stored = await plainHash('\ufffd');
    expect(await hasher.verify('\ud800', stored)).toBe('mismatch');
    expect(await hasher.verify('\udfff', stored)).toBe('mismatch');
    await expect(hasher.hash('abc\ud800')).rejects.toMatchObject({ code: 'INPUT_INVALID' });
  });

  itKeepsPasswordsApart(hasher, 40);

  it.each(['$2a$', '$2b$', '$2y$'])('LOG-15 a hash of version %s verifies', async (version) => {
    const stored = await plainHash('correct horse', version);
    expect(stored.startsWith(version)).toBe(true);
    expect(await hasher.verify('correct horse', stored)).toBe('match');
    expect(await hasher.verify('wrong horse', stored)).toBe('mismatch');
  });

  it.each([
    ['', 'an empty text'],
    ['$2b$31$......................aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 'cost 31'],
    ['$2b$15$......................aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 'cost 15'],
    ['$2b$03$......................aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 'cost 3'],
    ['$2x$04$......................aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 'version x'],
    ['$2b$04$....................!.aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 'a character outside the alphabet'],
    ['$2b$04$......................aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n', 'a newline at the end'],
    ['$2b$04$......................', 'no hash behind the salt'],
    ['$argon2id$v=19$m=19456,t=2,p=1$c2FsdHNhbHQ$aGFzaGhhc2g', 'Argon2id'],
    ['$dw1$argon2id$v=19$m=19456,t=2,p=1$c2FsdA$aGFzaA', 'an unknown hash under our prefix'],
    ['$dw2$2b$04$......................aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 'an unknown prefix'],
    ['correct horse', 'the password itself'],
  ])('LOG-15 the stored text %j is corrupt', async (stored) => {
    expect(await hasher.verify('correct horse', stored)).toBe('corrupt');
  });

  it('an unknown account is a mismatch for every password', async () => {
    for (const password of ['', 'correct horse', 'p'.repeat(100)]) {
      expect(await hasher.verify(password, undefined)).toBe('mismatch');
    }
  });

  it.each([
    { cost: 3 },
    { cost: 15 },
    { cost: 4.5 },
    { cost: Number.NaN },
    { workers: 0 },
    { queueLimit: 0 },
    { queueLimit: Number.POSITIVE_INFINITY },
  ])('refuses %j', (options) => {
    expect(() => createBcryptHasher(options)).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', field: Object.keys(options)[0] }),
    );
  });
});

describe('bounds of the hasher', () => {
  it('DOS-02 of 1,000 logins on one worker, one runs, 64 wait and the rest are refused at once', async () => {
    const small = createBcryptHasher({ cost: 4, workers: 1 });
    const settled = await Promise.allSettled(Array.from({ length: 1_000 }, () => small.verify('guess', undefined)));
    const refused = settled.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
    expect(settled.length - refused.length).toBe(65);
    for (const reason of refused)
      expect(reason).toMatchObject({ code: 'SERVICE_BUSY', status: 503, retryAfterSeconds: 1 });
    expect(await small.verify('guess', undefined)).toBe('mismatch');
    await small.close();
  });

  it('DOS-02 a refusal does not wait for any hash', async () => {
    const small = createBcryptHasher({ cost: 12, workers: 1, queueLimit: 1 });
    const order: string[] = [];
    const note = (name: string) => () => order.push(name);
    const first = small.verify('guess', undefined).then(note('first'));
    const second = small.verify('guess', undefined).then(note('second'));
    const third = small.verify('guess', undefined).catch(note('refused'));
    await Promise.all([first, second, third]);
    expect(order).toEqual(['refused', 'first', 'second']);
    await small.close();
  });

  it('the event loop turns while a hash of cost 12 is under way', async () => {
    const single = createBcryptHasher({ cost: 12, workers: 1 });
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

  it('close rejects what is not done, and every later call, and may be repeated', async () => {
    const closing = createBcryptHasher({ cost: 12, workers: 1 });
    const pending = [closing.hash('one'), closing.hash('two')];
    const settled = Promise.allSettled(pending);
    await Promise.all([closing.close(), closing.close()]);
    for (const each of await settled) expect(each).toMatchObject({ reason: { code: 'SERVICE_UNAVAILABLE' } });
    await expect(closing.verify('one', undefined)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    await closing.close();
  });
});

describe('the generated worker', () => {
  it('is what the generator makes of the sources today', () => {
    expect(() => execFileSync('node', ['.ci/generate-bcrypt-worker.mjs', '--check'], { stdio: 'pipe' })).not.toThrow();
  });
});
