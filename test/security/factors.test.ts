import { createPublicKey, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';
import { isDoorwardError, type OnceStore } from 'doorward';
import { createMemoryOnceStore, createMemoryTotpStore } from 'doorward/stores/memory';
import { createTotp, type TotpRecord, type TotpStore } from 'doorward/totp';
import { createPasskeys } from 'doorward/webauthn';
import { describe, expect, it } from 'vitest';
import { createWorld as createTotpWorld, SEAL_KEY, STEP, wrongCode } from '../totp/app.ts';
import { eventsOf } from '../totp/audit.ts';
import { createAuthenticator, es256, type Tampering } from '../webauthn/authenticator.ts';
import { createWorld, ORIGIN } from '../webauthn/world.ts';

const reasonOf = async (accountId: string | undefined, run: () => Promise<unknown>): Promise<unknown> =>
  (await eventsOf(accountId, run)).map((event) => ('reason' in event ? event.reason : event.type));

/** A public key whose private one nobody has; making a pair of this size takes many seconds. */
function rsaPublicKey(bits: number): KeyObject {
  const modulus = randomBytes(bits / 8);
  modulus[0] = 255;
  modulus[modulus.length - 1] = 1;
  return createPublicKey({ key: { kty: 'RSA', n: modulus.toString('base64url'), e: 'AQAB' }, format: 'jwk' });
}

describe('attacks on one-time passwords', () => {
  it('a code that was seen is worth nothing: of 50 parallel uses one wins, and none after it', async () => {
    const { totp, enrolled } = createTotpWorld();
    const { code } = await enrolled('ada');
    const seen = code();
    const answers = await Promise.all(Array.from({ length: 50 }, () => totp.verify('ada', seen)));
    expect(answers.filter((answer) => answer !== undefined)).toEqual([['otp']]);
    expect(await reasonOf('ada', () => totp.verify('ada', seen))).toEqual(['replayed']);
  });

  it('a code that was used stays used for as long as the drift lets it be typed', async () => {
    // A store that forgets on the dot, and trusts whoever asks.
    const until = new Map<string, number>();
    const once: OnceStore = {
      async once(key, expiresAt, now) {
        if ((until.get(key) ?? 0) > now) return false;
        until.set(key, expiresAt);
        return true;
      },
    };
    const { totp, enrolled, time } = createTotpWorld({ driftSteps: 2, once });
    const { code } = await enrolled('ada');
    const seen = code(2);
    expect(await totp.verify('ada', seen)).toEqual(['otp']);
    for (let step = 1; step <= 4; step += 1) {
      time.now += STEP;
      expect(await totp.verify('ada', seen), `${step} steps later`).toBeUndefined();
    }
  });

  it('the code that confirmed the enrolment logs nobody in', async () => {
    const { totp, waiting } = createTotpWorld();
    const code = await waiting('ada');
    expect(await totp.confirm('ada', code())).toHaveLength(10);
    expect(await reasonOf('ada', () => totp.verify('ada', code()))).toEqual(['replayed']);
  });

  it('a code of another account is worth nothing, used or not', async () => {
    const { totp, enrolled } = createTotpWorld();
    const ada = await enrolled('ada');
    const { code } = await enrolled('bob');
    expect(await totp.verify('ada', code())).toBeUndefined();
    expect(await totp.verify('bob', ada.recovery[0])).toBeUndefined();
    expect(await totp.verify('bob', code())).toEqual(['otp']);
    expect(await totp.verify('ada', ada.code())).toEqual(['otp']);
  });

  it('an enrolment that nobody confirmed asks for nothing and accepts nothing', async () => {
    const { totp, waiting } = createTotpWorld();
    const code = await waiting('ada');
    expect(await totp.isEnrolled('ada')).toBe(false);
    expect(await reasonOf('ada', () => totp.verify('ada', code()))).toEqual(['not_enrolled']);
  });

  it('a first code can be guessed five times, in parallel or not, and no more after a restart', async () => {
    const once = createMemoryOnceStore();
    const store = createMemoryTotpStore();
    const { totp, waiting, time } = createTotpWorld({ once, store });
    const code = await waiting('ada');
    const wrong = wrongCode(code);
    const reasons = await reasonOf('ada', () =>
      Promise.all(Array.from({ length: 50 }, () => totp.confirm('ada', wrong))),
    );
    expect((reasons as string[]).filter((reason) => reason === 'wrong')).toHaveLength(5);
    const restarted = createTotp({ once, store, sealKey: SEAL_KEY, issuer: 'Example', clock: () => time.now });
    expect(await reasonOf('ada', () => restarted.confirm('ada', code()))).toEqual(['too_many_attempts']);
    const anew = await waiting('ada');
    expect(await totp.confirm('ada', anew())).toHaveLength(10);
  });

  it('an enrolment that is left lying about cannot be confirmed, before or after its attempts are forgotten', async () => {
    const { totp, waiting, time } = createTotpWorld();
    const code = await waiting('ada');
    for (const late of [900_000, 86_400_000]) {
      time.now += late;
      expect(await reasonOf('ada', () => totp.confirm('ada', code()))).toEqual(['too_late']);
    }
  });

  it('a confirmed enrolment is not replaced by whoever has a token', async () => {
    const { totp, enrolled } = createTotpWorld();
    const { code } = await enrolled('ada');
    const error = await totp.enrol('ada', 'ada').catch((thrown: unknown) => thrown);
    expect(isDoorwardError(error) && [error.code, error.field]).toEqual(['INPUT_INVALID', 'otp']);
    expect(await totp.confirm('ada', code())).toBeUndefined();
    expect(await totp.verify('ada', code(1))).toEqual(['otp']);
  });

  it('rows that are swapped between accounts open nothing', async () => {
    const rows = new Map<string, TotpRecord>();
    const memory = createMemoryTotpStore();
    const store: TotpStore = {
      ...memory,
      find: async (accountId) => rows.get(accountId) ?? memory.find(accountId),
      takeRecovery: async () => true,
    };
    const { totp, enrolled } = createTotpWorld({ store });
    const mallory = await enrolled('mallory');
    await enrolled('ada');
    const own = await memory.find('mallory');
    if (own !== undefined) rows.set('ada', { ...own, accountId: 'ada' });
    expect(await reasonOf('ada', () => totp.verify('ada', mallory.code()))).toEqual(['secret_unreadable']);
    expect(await reasonOf('ada', () => totp.verify('ada', mallory.recovery[0]))).toEqual(['wrong_or_used']);
  });

  it('what is stored opens with no other key, and is nothing when a bit is changed', async () => {
    const { totp, enrolled, store } = createTotpWorld();
    const { code } = await enrolled('ada');
    const record = await store.find('ada');
    const changed = (sealedSecret: string): TotpStore => ({
      ...store,
      find: async () => record && { ...record, sealedSecret },
    });
    const sealed = record?.sealedSecret ?? '';
    const flipped = sealed.slice(0, 20) + (sealed[20] === 'A' ? 'B' : 'A') + sealed.slice(21);
    for (const text of [flipped, sealed.slice(0, -8), 'v1.', 'v1.AAAA', '', sealed.slice(3)]) {
      const { totp: other } = createTotpWorld({ store: changed(text) });
      expect(await reasonOf('ada', () => other.verify('ada', code()))).toEqual(['secret_unreadable']);
    }
    const { totp: foreign, time } = createTotpWorld({ store, sealKey: SEAL_KEY.split('').reverse().join('') });
    time.now += 10 * STEP;
    expect(await reasonOf('ada', () => foreign.verify('ada', code()))).toEqual(['secret_unreadable']);
    expect(await totp.verify('ada', code())).toEqual(['otp']);
  });

  it('a recovery code works once, however many try it at once', async () => {
    const { totp, enrolled } = createTotpWorld();
    const { recovery } = await enrolled('ada');
    const answers = await Promise.all(Array.from({ length: 50 }, () => totp.verify('ada', recovery[3])));
    expect(answers.filter((answer) => answer !== undefined)).toEqual([['otp']]);
    expect(await totp.status('ada')).toEqual({ confirmed: true, recoveryCodesLeft: 9 });
  });

  it('recovery codes that were replaced are worth nothing', async () => {
    const { totp, enrolled } = createTotpWorld();
    const { recovery } = await enrolled('ada');
    const fresh = await totp.replaceRecoveryCodes('ada');
    expect(await totp.verify('ada', recovery[0])).toBeUndefined();
    expect(await totp.verify('ada', fresh?.[0])).toEqual(['otp']);
  });

  it('no secret, code or hash is in what is stored in the clear or reported', async () => {
    const { totp, store, time } = createTotpWorld();
    const events = await eventsOf('ada', async () => {
      const { secret } = await totp.enrol('ada', 'ada');
      expect(JSON.stringify(await store.find('ada'))).not.toContain(secret);
      time.now += STEP;
      await totp.verify('ada', '123456');
      await totp.verify('ada', 'ABCD-EFGH-JKMN-PQRS');
    });
    expect(events.length).toBeGreaterThan(1);
    expect(JSON.stringify(events)).not.toMatch(/123456|ABCD/);
  });

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['null', null],
    ['a number', 123_456],
    ['a list', ['123456']],
    ['an object', { toString: () => '123456' }],
    ['an empty string', ''],
    ['Arabic digits', '١٢٣٤٥٦'],
    ['full-width digits', '１２３４５６'],
    ['a negative number', '-12345'],
    ['an exponent', '1e1000'],
    ['five digits', '12345'],
    ['seven digits', '1234567'],
    ['a line end', '123456\n'],
    ['a NUL', '12345\0'],
    ['a megabyte of digits', '1'.repeat(1_000_000)],
    ['a megabyte of spaces', ' '.repeat(1_000_000)],
  ])('%s is no code, and no store is asked', async (_, proof) => {
    const asked = () => Promise.reject(new Error('asked'));
    const once: OnceStore = { once: asked };
    const store: TotpStore = { ...createMemoryTotpStore(), find: asked, takeRecovery: asked };
    const { totp } = createTotpWorld({ once, store });
    expect(await reasonOf('ada', () => totp.verify('ada', proof))).toEqual(['malformed']);
    expect(await reasonOf('ada', () => totp.confirm('ada', proof))).toEqual(['malformed']);
  });
});

describe('attacks on passkeys', () => {
  const login = async (tampering: Tampering, enrolment?: Tampering) => {
    const { passkeys, registered } = createWorld();
    const authenticator = await registered('ada', enrolment);
    return passkeys.authenticate(authenticator.get(await passkeys.authenticationOptions(), tampering));
  };

  it.each<[string, Tampering, string]>([
    ['of another origin', { origin: 'https://example.org.evil.example' }, 'origin'],
    ['of an origin that only begins alike', { origin: `${ORIGIN}:8443` }, 'origin'],
    ['of another relying party', { rpId: 'evil.example' }, 'not_verified'],
    ['of the other ceremony', { type: 'webauthn.create' }, 'type'],
    ['of a payment', { type: 'payment.get' }, 'type'],
    ['made in a frame of another site', { clientData: { crossOrigin: true } }, 'cross_origin'],
    ['with a cross-origin flag that is no boolean', { clientData: { crossOrigin: 'false' } }, 'cross_origin'],
    ['made under another top page', { clientData: { topOrigin: 'https://evil.example' } }, 'cross_origin'],
    ['with a challenge of somebody else', { challenge: 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA' }, 'challenge'],
    ['without a touch', { userPresent: false }, 'not_verified'],
    ['without a PIN or a finger', { userVerified: false }, 'user_verification'],
    ['with the handle of another account', { userHandle: Buffer.alloc(32).toString('base64url') }, 'user_handle'],
    ['without a handle', { userHandle: null }, 'user_handle'],
    ['of a credential that has become copyable', { backupEligible: true }, 'backup_eligibility'],
    ['of an unknown credential', { id: 'AAAA' }, 'unknown_credential'],
  ])('an assertion %s is no login', async (_, tampering, reason) => {
    const { passkeys, registered } = createWorld();
    const authenticator = await registered('ada');
    const response = authenticator.get(await passkeys.authenticationOptions(), tampering);
    const accountId = ['not_verified', 'user_verification', 'user_handle', 'backup_eligibility'].includes(reason);
    expect(await reasonOf(accountId ? 'ada' : undefined, () => passkeys.authenticate(response))).toEqual([reason]);
    expect(await passkeys.authenticate(response)).toBeUndefined();
  });

  it('an assertion logs in once, however many present it at once', async () => {
    const { passkeys, registered } = createWorld();
    const authenticator = await registered('ada');
    const response = authenticator.get(await passkeys.authenticationOptions(), { counter: 0 });
    const answers = await Promise.all(Array.from({ length: 50 }, () => passkeys.authenticate(response)));
    expect(answers.filter((answer) => answer !== undefined)).toHaveLength(1);
    expect(await reasonOf('ada', () => passkeys.authenticate(response))).toEqual(['replayed']);
  });

  it('a signature over other data is nothing', async () => {
    const { passkeys, registered } = createWorld();
    const authenticator = await registered('ada');
    const options = await passkeys.authenticationOptions();
    const [first, second] = [authenticator.get(options), authenticator.get(options, { counter: 9 })];
    const mixed = {
      ...first,
      response: { ...(first.response as object), signature: (second.response as { signature: string }).signature },
    };
    expect(await reasonOf('ada', () => passkeys.authenticate(mixed))).toEqual(['not_verified']);
    const other = createAuthenticator(ORIGIN).get(options, { id: authenticator.id });
    Object.assign(other.response as object, { userHandle: (first.response as { userHandle: string }).userHandle });
    expect(await reasonOf('ada', () => passkeys.authenticate(other))).toEqual(['not_verified']);
    expect(await passkeys.authenticate(first)).toMatchObject({ accountId: 'ada' });
  });

  it('a challenge serves one purpose and one account', async () => {
    const { passkeys, registered } = createWorld();
    const ada = await registered('ada');
    await registered('bob');
    const creation = await passkeys.registrationOptions({ id: 'ada', username: 'ada' });
    const factor = await passkeys.authenticationOptions('ada');
    const other = await passkeys.authenticationOptions('bob');
    const anonymous = await passkeys.authenticationOptions();
    const rest = { challenge: creation.challenge };
    expect(await passkeys.authenticate(ada.get(factor))).toBeUndefined();
    expect(await passkeys.authenticate(ada.get(anonymous, rest))).toBeUndefined();
    expect(await passkeys.verify('ada', ada.get(anonymous))).toBeUndefined();
    expect(await passkeys.verify('ada', ada.get(other))).toBeUndefined();
    expect(await passkeys.verify('ada', ada.get(factor, rest))).toBeUndefined();
    for (const { challenge } of [factor, other, anonymous]) {
      const made = createAuthenticator(ORIGIN).create(creation, { challenge });
      expect(await passkeys.register('ada', made)).toBeUndefined();
    }
    expect(await passkeys.register('bob', createAuthenticator(ORIGIN).create(creation))).toBeUndefined();
    expect(await passkeys.verify('ada', ada.get(factor))).toEqual(['hwk', 'user', 'mfa']);
  });

  it('a passkey of another account is no second factor, with its own challenge or with the account’s', async () => {
    const { passkeys, registered } = createWorld();
    await registered('ada');
    const mallory = await registered('mallory');
    const response = mallory.get(await passkeys.authenticationOptions('ada'));
    expect(await reasonOf('ada', () => passkeys.verify('ada', response))).toEqual(['other_account']);
    expect(await passkeys.verify('ada', mallory.get(await passkeys.authenticationOptions('mallory')))).toBeUndefined();
  });

  it('a challenge of another key or another relying party, or one that is too old, is nothing', async () => {
    const { passkeys, registered, options, time } = createWorld();
    const authenticator = await registered('ada');
    for (const change of [
      { challengeKey: 'Q9zR2xW7vT4mK8nB5cL1jH6gF3dS0aPe' },
      { rpId: 'www.example.org', origins: [ORIGIN] },
    ]) {
      const { challenge } = await createPasskeys({ ...options, ...change }).authenticationOptions();
      const response = authenticator.get(await passkeys.authenticationOptions(), { challenge });
      expect(await reasonOf(undefined, () => passkeys.authenticate(response))).toEqual(['challenge']);
    }
    const old = authenticator.get(await passkeys.authenticationOptions());
    time.now += 300_000;
    expect(await reasonOf(undefined, () => passkeys.authenticate(old))).toEqual(['challenge']);
  });

  it('a challenge whose expiry was moved is nothing', async () => {
    const { passkeys, registered } = createWorld();
    const authenticator = await registered('ada');
    const options = await passkeys.authenticationOptions();
    const bytes = Buffer.from(options.challenge, 'base64url');
    bytes.writeUIntBE(bytes.readUIntBE(16, 6) + 1, 16, 6);
    const response = authenticator.get(options, { challenge: bytes.toString('base64url') });
    expect(await reasonOf(undefined, () => passkeys.authenticate(response))).toEqual(['challenge']);
  });

  it('of two copies of an authenticator the one that is behind is refused', async () => {
    const { passkeys, registered } = createWorld();
    const authenticator = await registered('ada');
    const next = async (counter: number) =>
      passkeys.authenticate(authenticator.get(await passkeys.authenticationOptions(), { counter }));
    expect(await next(5)).toMatchObject({ accountId: 'ada' });
    expect(await reasonOf('ada', () => next(5))).toEqual(['counter']);
    expect(await reasonOf('ada', () => next(4))).toEqual(['counter']);
    expect(await reasonOf('ada', () => next(0))).toEqual(['counter']);
    expect(await next(6)).toMatchObject({ accountId: 'ada' });
  });

  it('two copies that count alike do not both get in at the same time', async () => {
    const { passkeys, registered } = createWorld();
    const authenticator = await registered('ada');
    const challenges = await Promise.all(Array.from({ length: 20 }, () => passkeys.authenticationOptions()));
    const responses = challenges.map((options) => authenticator.get(options, { counter: 7 }));
    const answers = await Promise.all(responses.map((response) => passkeys.authenticate(response)));
    expect(answers.filter((answer) => answer !== undefined)).toHaveLength(1);
  });

  it('nothing that anybody can send without a passkey is remembered', async () => {
    const kept: string[] = [];
    const memory = createMemoryOnceStore();
    const once: OnceStore = {
      once(key, ...rest) {
        kept.push(key);
        return memory.once(key, ...rest);
      },
    };
    const { passkeys, registered } = createWorld({ once });
    const ada = await registered('ada');
    kept.length = 0;
    const stranger = createAuthenticator(ORIGIN);
    for (let i = 0; i < 20; i += 1) {
      await passkeys.authenticate(stranger.get(await passkeys.authenticationOptions()));
      await passkeys.authenticate(stranger.get(await passkeys.authenticationOptions(), { id: ada.id }));
      await passkeys.verify('ada', stranger.get(await passkeys.authenticationOptions('ada'), { id: ada.id }));
    }
    expect(kept).toEqual([]);
  });

  it.each<[string, Tampering, string]>([
    ['of another origin', { origin: 'https://evil.example' }, 'origin'],
    ['of another relying party', { rpId: 'evil.example' }, 'not_verified'],
    ['of the other ceremony', { type: 'webauthn.get' }, 'type'],
    ['made in a frame of another site', { clientData: { crossOrigin: true } }, 'cross_origin'],
    ['without a touch', { userPresent: false }, 'not_verified'],
    ['under an id that is not the credential’s', { id: 'AAAA' }, 'not_verified'],
    [
      'with certificates, which hold addresses to call',
      { attestation: { format: 'packed', statement: new Map([['x5c', [new Uint8Array(8)]]]) } },
      'attestation',
    ],
    ['with a statement of a TPM', { attestation: { format: 'tpm', statement: new Map() } }, 'attestation'],
  ])('a registration %s adds nothing', async (_, tampering, reason) => {
    const { passkeys } = createWorld();
    const options = await passkeys.registrationOptions({ id: 'ada', username: 'ada' });
    const response = createAuthenticator(ORIGIN).create(options, tampering);
    expect(await reasonOf('ada', () => passkeys.register('ada', response))).toEqual([reason]);
    expect(await passkeys.list('ada')).toEqual([]);
  });

  it('a registration adds a credential once, and takes none from another account', async () => {
    const { passkeys } = createWorld();
    const options = await passkeys.registrationOptions({ id: 'ada', username: 'ada' });
    const authenticator = createAuthenticator(ORIGIN);
    expect(await passkeys.register('ada', authenticator.create(options))).toMatchObject({ id: authenticator.id });
    const again = createAuthenticator(ORIGIN).create(options);
    expect(await reasonOf('ada', () => passkeys.register('ada', again))).toEqual(['replayed']);
    const stolen = authenticator.create(await passkeys.registrationOptions({ id: 'mallory', username: 'mallory' }));
    expect(await reasonOf('mallory', () => passkeys.register('mallory', stolen))).toEqual(['credential_taken']);
  });

  it.each([
    ['Ed25519, which was not offered', generateKeyPairSync('ed25519')],
    ['RSA of a size that takes long to check', { ...es256(), publicKey: rsaPublicKey(8_192) }],
  ])(
    'a key is refused: %s',
    async (_, keys) => {
      const { passkeys } = createWorld();
      const options = await passkeys.registrationOptions({ id: 'ada', username: 'ada' });
      const response = createAuthenticator(ORIGIN, keys).create(options);
      expect(await reasonOf('ada', () => passkeys.register('ada', response))).toEqual(['not_verified']);
    },
    20_000,
  );

  it('a passkey is removed by its account only', async () => {
    const { passkeys, registered } = createWorld();
    const { id } = await registered('ada');
    expect(await passkeys.remove('mallory', id)).toBe(false);
    expect(await passkeys.isEnrolled('ada')).toBe(true);
    expect(await passkeys.remove('ada', id)).toBe(true);
    expect(await login({ userVerified: true })).toMatchObject({ accountId: 'ada' });
  });
});
