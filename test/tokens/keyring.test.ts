import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { inspect } from 'node:util';
import { AUDIT_CHANNEL, type AuditEvent } from 'doorward';
import {
  createKeyring,
  createTokenIssuer,
  createTokenVerifier,
  type KeyringKey,
  privateKey,
  publicKey,
  secretKey,
} from 'doorward/tokens';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ec, NOW, rsa, SECRET } from './forge.ts';
import { refusedField } from './refused-field.ts';

const secret = (kid: string) => secretKey(randomBytes(48), { kid });
const active = (key: KeyringKey['key']): KeyringKey => ({ key, state: 'active' });

const events: AuditEvent[] = [];
const listen = (event: unknown) => void events.push(event as AuditEvent);
beforeEach(() => {
  events.length = 0;
  subscribe(AUDIT_CHANNEL, listen);
});
afterEach(() => unsubscribe(AUDIT_CHANNEL, listen));

describe('createKeyring', () => {
  it('rotates in three steps, and says so', () => {
    let now = NOW * 1_000;
    const [older, newer] = [secret('older'), secret('newer')];
    const keyring = createKeyring({
      keys: [active(older)],
      maxLifetimeSeconds: 100,
      toleranceSeconds: 5,
      clock: () => now,
    });
    keyring.announce(newer);
    expect(keyring.active).toBe(older);
    expect(keyring.keys).toEqual([older, newer]);
    keyring.promote('newer');
    expect(keyring.active).toBe(newer);
    expect(keyring.entries.map(({ state }) => state)).toEqual(['retired', 'active']);
    now += 104_999;
    expect(keyring.keys).toContain(older);
    now += 1;
    expect(keyring.keys).toEqual([newer]);
    expect(events).toEqual([
      { type: 'key.rotated', kid: 'newer', state: 'next' },
      { type: 'key.rotated', kid: 'newer', state: 'active' },
      { type: 'key.rotated', kid: 'older', state: 'retired' },
      { type: 'key.rotated', kid: 'older', state: 'removed' },
    ]);
  });

  it('gives one array object per change, and the same one while nothing changes', () => {
    const keyring = createKeyring({ keys: [active(secret('a'))] });
    const before = keyring.keys;
    expect(keyring.keys).toBe(before);
    keyring.announce(secret('b'));
    expect(keyring.keys).not.toBe(before);
    expect(before).toHaveLength(1);
    expect(Object.isFrozen(keyring.keys) && Object.isFrozen(keyring.entries) && Object.isFrozen(keyring)).toBe(true);
  });

  it('KEY-02 lets a retired key go although its clock answers nonsense', () => {
    let now = NOW * 1_000;
    const keyring = createKeyring({ keys: [active(secret('a'))], clock: () => now });
    keyring.announce(secret('b'));
    keyring.promote('b');
    now = Number.NaN;
    expect(keyring.keys).toEqual([keyring.active]);
    expect(keyring.keys).toBe(keyring.keys);
  });

  it('takes its own entries again after a restart, with the time that was left', () => {
    let now = NOW * 1_000;
    const options = { maxLifetimeSeconds: 100, toleranceSeconds: 0, clock: () => now };
    const keyring = createKeyring({ keys: [active(secret('a'))], ...options });
    keyring.announce(secret('b'));
    keyring.promote('b');
    now += 60_000;
    const again = createKeyring({ keys: keyring.entries, ...options });
    expect(again.entries).toEqual(keyring.entries);
    now += 40_000;
    expect(again.keys).toEqual([again.active]);
  });

  it('KEY-04 refuses equal kids, at construction and later, and stays as it was', () => {
    expect(
      refusedField(() => createKeyring({ keys: [active(secret('a')), { key: secret('a'), state: 'next' }] })),
    ).toBe('keys');
    const keyring = createKeyring({ keys: [active(secret('a'))] });
    const before = keyring.keys;
    expect(refusedField(() => keyring.announce(secret('a')))).toBe('keys');
    expect(keyring.keys).toBe(before);
    expect(events).toEqual([]);
  });

  it('KEY-04 refuses two keys without kid, and one key under two algorithms', () => {
    const nameless = createKeyring({ keys: [active(secretKey(SECRET))] });
    expect(refusedField(() => nameless.announce(secretKey(randomBytes(48))))).toBe('keys');
    const rs256 = createKeyring({ keys: [active(privateKey(rsa.privateKey, { kid: 'a' }))] });
    expect(refusedField(() => rs256.announce(privateKey(rsa.privateKey, { kid: 'b', alg: 'PS256' })))).toBe('keys');
  });

  it('asks for exactly one active key, and for keys that can sign', () => {
    const key = secret('a');
    const verifying = publicKey(ec.publicKey, { kid: 'p' });
    expect(refusedField(() => createKeyring({ keys: [] }))).toBe('keys');
    expect(refusedField(() => createKeyring({ keys: [{ key, state: 'next' }] }))).toBe('keys');
    expect(refusedField(() => createKeyring({ keys: [active(key), active(secret('b'))] }))).toBe('keys');
    expect(refusedField(() => createKeyring({ keys: [active(verifying)] }))).toBe('keys');
    expect(refusedField(() => createKeyring({ keys: [active(key), { key: verifying, state: 'next' }] }))).toBe('keys');
    expect(createKeyring({ keys: [active(key), { key: verifying, state: 'retired' }] }).keys).toHaveLength(2);
  });

  it.each([
    ['keys', { keys: undefined }],
    ['options', { keys: [null] }],
    ['state', { keys: [{ key: secretKey(SECRET), state: 'old' }] }],
    ['keyId', { keys: [{ key: secretKey(SECRET), state: 'active', keyId: 'a' }] }],
    ['retiredAt', { keys: [{ key: secretKey(SECRET), state: 'active', retiredAt: 5 }] }],
    ['retiredAt', { keys: [{ key: secretKey(SECRET), state: 'retired', retiredAt: Number.NaN }] }],
    ['retiredAt', { keys: [{ key: secretKey(SECRET), state: 'retired', retiredAt: Date.now() * 1_000 }] }],
    ['key', { keys: [{ state: 'active' }] }],
    ['maxLifetimeSeconds', { keys: [], maxLifetimeSeconds: Number.POSITIVE_INFINITY }],
    ['toleranceSeconds', { keys: [], toleranceSeconds: -1 }],
    ['clock', { keys: [], clock: 5 }],
    ['ttl', { keys: [], ttl: 5 }],
  ])('refuses a wrong %s', (field, options) => {
    expect(refusedField(() => createKeyring(options as never))).toBe(field);
  });

  it('refuses to promote or remove what is not fit for it', () => {
    const keyring = createKeyring({ keys: [active(secret('a'))] });
    expect(refusedField(() => keyring.promote('a'))).toBe('kid');
    expect(refusedField(() => keyring.promote('b'))).toBe('kid');
    expect(refusedField(() => keyring.promote('__proto__'))).toBe('kid');
    expect(refusedField(() => keyring.remove('a'))).toBe('kid');
    expect(refusedField(() => keyring.remove(undefined))).toBe('kid');
  });

  it('shows nothing of a key when it is printed or turned into JSON', () => {
    const keyring = createKeyring({ keys: [active(secretKey(SECRET, { kid: 'a' }))] });
    expect(
      `${JSON.stringify(keyring)}${inspect(keyring, { depth: 20, showHidden: true, getters: true })}`,
    ).not.toContain(SECRET);
  });
});

describe('an issuer and a verifier over one keyring', () => {
  it('KEY-01 check a token by the key of its kid only', () => {
    const [older, newer] = [secret('older'), secret('newer')];
    const keyring = createKeyring({ keys: [active(newer), { key: older, state: 'retired' }] });
    const verifier = createTokenVerifier({ keys: keyring });
    const byOlder = createTokenIssuer({ key: older }).issue({ sub: 'ada' });
    const byNewer = createTokenIssuer({ key: newer }).issue({ sub: 'ada' });
    expect([verifier.verify(byOlder).ok, verifier.verify(byNewer).ok]).toEqual([true, true]);
    const swapped = createTokenIssuer({ key: secretKey(older.verify.export(), { kid: 'newer' }) }).issue({
      sub: 'ada',
    });
    expect(verifier.verify(swapped)).toEqual({ ok: false, reason: 'signature' });
    const nameless = createTokenIssuer({ key: secretKey(newer.verify.export()) }).issue({ sub: 'ada' });
    expect(verifier.verify(nameless)).toEqual({ ok: false, reason: 'unknown_key' });
  });

  it('KEY-03 X10 refuse no good token while keys change under them, and accept none of a removed key', () => {
    let now = NOW * 1_000;
    const clock = () => now;
    const pairs = ['k0', 'k1', 'k2', 'k3'].map((kid) =>
      privateKey(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey, { kid }),
    );
    const [first = secret('none'), ...nexts] = pairs;
    const keyring = createKeyring({ keys: [active(first)], maxLifetimeSeconds: 60, toleranceSeconds: 0, clock });
    const issuer = createTokenIssuer({ key: keyring, ttlSeconds: 60, clock });
    const verifier = createTokenVerifier({ keys: keyring, cache: { maxTokens: 1_000 }, clock });
    const live: { token: string; end: number }[] = [];
    const counts = { good: 0, refused: 0, late: 0 };
    const tick = () => {
      now += 1_000;
      for (let i = 0; i < 5; i++) live.push({ token: issuer.issue({ sub: 'ada' }), end: now + 60_000 });
      for (const { token, end } of live) {
        const { ok } = verifier.verify(token);
        if (now < end) counts[ok ? 'good' : 'refused']++;
        else if (ok) counts.late++;
      }
    };
    for (const next of nexts) {
      for (let i = 0; i < 10; i++) tick();
      keyring.announce(next);
      for (let i = 0; i < 5; i++) tick();
      keyring.promote(next.kid);
      for (let i = 0; i < 25; i++) tick();
    }
    expect(counts.good).toBeGreaterThan(15_000);
    expect(counts).toMatchObject({ refused: 0, late: 0 });

    const leaked = issuer.issue({ sub: 'ada' });
    expect(verifier.verify(leaked).ok).toBe(true);
    keyring.announce(secret('last'));
    keyring.promote('last');
    expect(verifier.verify(leaked).ok).toBe(true);
    keyring.remove('k3');
    expect(verifier.verify(leaked)).toEqual({ ok: false, reason: 'unknown_key' });
  });

  it('verify HS256 tokens beside those of an asymmetric key during a migration', () => {
    const hs256 = secretKey(SECRET);
    const keyring = createKeyring({ keys: [active(hs256)] });
    const issuer = createTokenIssuer({ key: keyring });
    const verifier = createTokenVerifier({ keys: keyring });
    const older = issuer.issue({ sub: 'ada' });
    keyring.announce(privateKey(rsa.privateKey, { kid: 'rsa' }));
    keyring.promote('rsa');
    const newer = issuer.issue({ sub: 'ada' });
    expect([older, newer].map((token) => verifier.verify(token).ok)).toEqual([true, true]);
    expect(JSON.parse(Buffer.from(newer.split('.')[0] ?? '', 'base64url').toString())).toMatchObject({
      alg: 'RS256',
      kid: 'rsa',
    });
    keyring.remove(undefined);
    expect(verifier.verify(older).ok).toBe(false);
    expect(verifier.verify(newer).ok).toBe(true);
  });
});
