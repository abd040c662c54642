import { generateKeyPairSync } from 'node:crypto';
import { isDoorwardError } from 'doorward';
import { createMemoryOnceStore, createMemoryPasskeyStore } from 'doorward/stores/memory';
import { createPasskeys, type PasskeyStore } from 'doorward/webauthn';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { refusedField } from '../tokens/refused-field.ts';
import { eventsOf } from '../totp/audit.ts';
import { createAuthenticator } from './authenticator.ts';
import { CHALLENGE_KEY, createWorld, ORIGIN, START } from './world.ts';

async function codeOfError(run: Promise<unknown>): Promise<unknown> {
  return run.then(
    () => 'no error',
    (error: unknown) => (isDoorwardError(error) ? error.code : error),
  );
}

describe('registering', () => {
  it('asks for ES256 or RS256, no attestation, and none of the passkeys that are there', async () => {
    const { passkeys, registered } = createWorld();
    const { id } = await registered('ada');
    const options = await passkeys.registrationOptions({ id: 'ada', username: 'Ada' });
    expect(options).toMatchObject({
      rp: { id: 'example.org', name: 'Example' },
      user: { name: 'Ada', displayName: 'Ada' },
      pubKeyCredParams: [{ alg: -7 }, { alg: -257 }],
      timeout: 300_000,
      excludeCredentials: [{ id, type: 'public-key', transports: ['internal'] }],
      attestation: 'none',
    });
    expect(Buffer.from(options.user.id, 'base64url')).toHaveLength(32);
    expect(options.user.id).not.toContain('ada');
  });

  it('gives the passkey its label and shows no key', async () => {
    const { passkeys } = createWorld();
    const options = await passkeys.registrationOptions({ id: 'ada', username: 'ada' });
    const authenticator = createAuthenticator(ORIGIN);
    const events = await eventsOf('ada', async () => {
      const added = await passkeys.register('ada', authenticator.create(options), 'Blue key');
      const expected = {
        id: authenticator.id,
        label: 'Blue key',
        transports: ['internal'],
        backedUp: false,
        createdAt: START,
      };
      expect(added).toEqual(expected);
      expect(await passkeys.list('ada')).toEqual([expected]);
    });
    expect(events).toEqual([{ type: 'factor.enrolled', accountId: 'ada', factor: 'passkey' }]);
  });

  it.each(['', 'a'.repeat(65), 'a\u0007'])('refuses the label %j', async (label) => {
    expect(await codeOfError(createWorld().passkeys.register('ada', {}, label))).toBe('INPUT_INVALID');
  });

  it('ends at twenty passkeys an account', async () => {
    const { passkeys, registered } = createWorld();
    const early = await passkeys.registrationOptions({ id: 'ada', username: 'ada' });
    for (let i = 0; i < 20; i += 1) await registered('ada');
    expect(await codeOfError(passkeys.registrationOptions({ id: 'ada', username: 'ada' }))).toBe('INPUT_INVALID');
    expect(await passkeys.register('ada', createAuthenticator(ORIGIN).create(early))).toBeUndefined();
    expect(await passkeys.list('ada')).toHaveLength(20);
  });

  it('accepts what a credential says of itself in place of an attestation', async () => {
    const { passkeys } = createWorld();
    const options = await passkeys.registrationOptions({ id: 'ada', username: 'ada' });
    const attestation = { format: 'packed', statement: new Map(), self: true };
    const response = createAuthenticator(ORIGIN).create(options, { attestation });
    expect(await passkeys.register('ada', response)).toMatchObject({ label: 'Passkey' });
  });
});

describe('logging in', () => {
  it.each([
    ['a key that stays in its device', { backupEligible: false }, ['hwk', 'user', 'mfa']],
    ['a key that is copied between devices', { backupEligible: true }, ['swk', 'user', 'mfa']],
  ])('%s is the only proof', async (_, tampering, amr) => {
    const { passkeys, registered } = createWorld();
    const authenticator = await registered('ada', tampering);
    const options = await passkeys.authenticationOptions();
    expect(options).toMatchObject({ rpId: 'example.org', allowCredentials: [], userVerification: 'required' });
    expect(await passkeys.authenticate(authenticator.get(options, tampering))).toEqual({
      accountId: 'ada',
      amr,
      passkeyId: authenticator.id,
    });
  });

  it('works with RS256', async () => {
    const { passkeys, registered } = createWorld();
    const authenticator = await registered('ada', {}, generateKeyPairSync('rsa', { modulusLength: 2_048 }));
    const response = authenticator.get(await passkeys.authenticationOptions());
    expect(await passkeys.authenticate(response)).toMatchObject({ accountId: 'ada' });
  });

  it('works from every origin that is named', async () => {
    const { passkeys, registered } = createWorld();
    const authenticator = await registered('ada');
    const response = authenticator.get(await passkeys.authenticationOptions(), { origin: 'https://login.example.org' });
    expect(await passkeys.authenticate(response)).toMatchObject({ accountId: 'ada' });
  });

  it('works again and again for an authenticator that does not count', async () => {
    const { passkeys, registered } = createWorld();
    const authenticator = await registered('ada');
    for (let i = 0; i < 3; i += 1) {
      const response = authenticator.get(await passkeys.authenticationOptions(), { counter: 0 });
      expect(await passkeys.authenticate(response)).toMatchObject({ accountId: 'ada' });
    }
  });
});

describe('as a second factor', () => {
  it('names the passkeys of the account, and needs neither a PIN nor a handle', async () => {
    const { passkeys, registered } = createWorld();
    const authenticator = await registered('ada');
    const options = await passkeys.authenticationOptions('ada');
    expect(options).toMatchObject({ allowCredentials: [{ id: authenticator.id }], userVerification: 'preferred' });
    const response = authenticator.get(options, { userVerified: false, userHandle: null });
    expect(await passkeys.verify('ada', response)).toEqual(['hwk', 'user']);
  });

  it('is needed by accounts that have a passkey', async () => {
    const { passkeys, registered } = createWorld();
    expect(await passkeys.isEnrolled('ada')).toBe(false);
    const first = await registered('ada');
    await registered('ada');
    expect(await passkeys.isEnrolled('ada')).toBe(true);
    await passkeys.remove('ada', first.id);
    expect(await passkeys.isEnrolled('ada')).toBe(true);
    await passkeys.removeAll('ada');
    expect(await passkeys.isEnrolled('ada')).toBe(false);
  });
});

describe('whatever a client sends', () => {
  const members = ['id', 'rawId', 'type', 'response'];

  it('is refused without an error', async () => {
    const { passkeys, registered } = createWorld();
    const authenticator = await registered('ada');
    const good = authenticator.get(await passkeys.authenticationOptions());
    const anything = fc.oneof(fc.anything(), fc.base64String(), fc.string());
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...members), anything, async (name, value) => {
        const response = { ...good, [name]: value };
        expect(await passkeys.authenticate(response)).toBeUndefined();
        expect(await passkeys.verify('ada', response)).toBeUndefined();
        expect(await passkeys.register('ada', response)).toBeUndefined();
      }),
      { numRuns: 100 },
    );
  });

  it('is refused without an error inside a response', async () => {
    const { passkeys, registered } = createWorld();
    const authenticator = await registered('ada');
    const good = authenticator.get(await passkeys.authenticationOptions(), { counter: 0 });
    const creation = await passkeys.registrationOptions({ id: 'ada', username: 'ada' });
    const made = createAuthenticator(ORIGIN).create(creation);
    const bytes = fc.uint8Array({ maxLength: 200 }).map((value) => Buffer.from(value).toString('base64url'));
    const names = fc.constantFrom('clientDataJSON', 'authenticatorData', 'signature', 'attestationObject');
    await fc.assert(
      fc.asyncProperty(names, fc.oneof(bytes, fc.anything()), async (name, value) => {
        if (name !== 'attestationObject') {
          const response = { ...good, response: { ...(good.response as object), [name]: value } };
          expect(await passkeys.authenticate(response)).toBeUndefined();
        }
        if (name === 'attestationObject' || name === 'clientDataJSON') {
          const response = { ...made, response: { ...(made.response as object), [name]: value } };
          expect(await passkeys.register('ada', response)).toBeUndefined();
        }
      }),
      { numRuns: 200 },
    );
  });

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['a string', 'x'],
    ['a megabyte', { id: 'A'.repeat(1_000_000), rawId: 'A'.repeat(1_000_000), type: 'public-key', response: {} }],
    ['inherited members', Object.create({ id: 'AAAA', rawId: 'AAAA', type: 'public-key', response: {} })],
  ])('%s is refused', async (_, response) => {
    const { passkeys } = createWorld();
    expect(await passkeys.authenticate(response)).toBeUndefined();
    expect(await passkeys.verify('ada', response)).toBeUndefined();
    expect(await passkeys.register('ada', response)).toBeUndefined();
  });

  it('is refused in CBOR that nests deeply', async () => {
    const { passkeys } = createWorld();
    const options = await passkeys.registrationOptions({ id: 'ada', username: 'ada' });
    const made = createAuthenticator(ORIGIN).create(options);
    const attestationObject = Buffer.alloc(6_000, 0x81).toString('base64url');
    const response = { ...made, response: { ...(made.response as object), attestationObject } };
    expect(await passkeys.register('ada', response)).toBeUndefined();
  });
});

describe('a store that fails', () => {
  it('is no answer, never "no such passkey"', async () => {
    const working = createWorld();
    const authenticator = await working.registered('ada');
    const down = () => Promise.reject(new Error('down'));
    const broken = Object.fromEntries(Object.keys(createMemoryPasskeyStore()).map((name) => [name, down]));
    const { passkeys } = createWorld({ store: broken as unknown as PasskeyStore });
    const login = authenticator.get(await passkeys.authenticationOptions());
    const calls = [passkeys.isEnrolled('ada'), passkeys.list('ada'), passkeys.authenticate(login)];
    expect(await Promise.all(calls.map(codeOfError))).toEqual(calls.map(() => 'SERVICE_UNAVAILABLE'));
  });

  it('to remember used challenges lets nobody in', async () => {
    const working = createWorld();
    const authenticator = await working.registered('ada');
    const once = { once: () => new Promise<never>(() => undefined) };
    const { passkeys } = createWorld({ store: working.store, once, storeTimeoutMs: 20 });
    const response = authenticator.get(await passkeys.authenticationOptions());
    expect(await codeOfError(passkeys.authenticate(response))).toBe('SERVICE_UNAVAILABLE');
  });

  it.each([
    ['another credential', { id: 'AAAA' }],
    ['no key', { publicKey: null }],
    ['a counter that is none', { counter: '0' }],
  ])('and returns %s is no answer', async (_, wrong) => {
    const working = createWorld();
    const authenticator = await working.registered('ada');
    const find = async (id: string) => ({ ...(await working.store.find(id)), ...wrong });
    const { passkeys } = createWorld({ store: { ...working.store, find } as unknown as PasskeyStore });
    const response = authenticator.get(await passkeys.authenticationOptions());
    expect(await codeOfError(passkeys.authenticate(response))).toBe('SERVICE_UNAVAILABLE');
  });
});

describe('options', () => {
  const good = {
    store: createMemoryPasskeyStore(),
    once: createMemoryOnceStore(),
    challengeKey: CHALLENGE_KEY,
    rpId: 'example.org',
    rpName: 'Example',
    origins: [ORIGIN],
  };

  it.each<[string, Record<string, unknown>]>([
    ['store', { store: undefined }],
    ['once', { once: {} }],
    ['challengeKey', { challengeKey: 'short' }],
    ['challengeKey', { challengeKey: 'a'.repeat(32) }],
    ['rpId', { rpId: 'https://example.org' }],
    ['rpId', { rpId: 'Example.org' }],
    ['rpId', { rpId: 'example.org:443' }],
    ['rpName', { rpName: '' }],
    ['origins', { origins: [] }],
    ['origins', { origins: ORIGIN }],
    ['origins', { origins: ['https://www.example.org/'] }],
    ['origins', { origins: ['http://www.example.org'] }],
    ['origins', { origins: ['https://evilexample.org'] }],
    ['origins', { origins: ['https://example.org.evil.example'] }],
    ['challengeSeconds', { challengeSeconds: 1 }],
    ['storeTimeoutMs', { storeTimeoutMs: 0 }],
    ['clock', { clock: 'now' }],
    ['origin', { origin: ORIGIN }],
  ])('%s is refused: %j', (field, change) => {
    expect(refusedField(() => createPasskeys({ ...good, ...change } as never))).toBe(field);
  });

  it('may be localhost over HTTP', () => {
    const local = { rpId: 'localhost', origins: ['http://localhost:3000'] };
    expect(refusedField(() => createPasskeys({ ...good, ...local }))).toBeUndefined();
  });
});
