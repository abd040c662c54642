import { isDoorwardError } from 'doorward';
import {
  createTokenIssuer,
  createTokenVerifier,
  type IssueClaims,
  privateKey,
  secretKey,
  type TokenIssuerOptions,
} from 'doorward/tokens';
import { describe, expect, it } from 'vitest';
import { algorithms, clock, ec, hs256, keys, NOW, SECRET } from './forge.ts';

const issuerWith = (options: Partial<TokenIssuerOptions> = {}) => createTokenIssuer({ key: hs256, clock, ...options });
const part = (token: string, index: number) =>
  JSON.parse(Buffer.from(token.split('.')[index] ?? '', 'base64url').toString());
const claimsOf = (token: string) => part(token, 1);

function codeOf(act: () => unknown): string | undefined {
  try {
    act();
  } catch (error) {
    return isDoorwardError(error) ? error.code : 'unexpected';
  }
  return undefined;
}

describe('issue', () => {
  it('adds iat, exp and jti to the claims, and lives 30 minutes by default', () => {
    const issuer = issuerWith();
    const claims = claimsOf(issuer.issue({ sub: 'ada', uid: '1', amr: ['pwd'] }));
    expect(claims).toEqual({ sub: 'ada', uid: '1', amr: ['pwd'], iat: NOW, exp: NOW + 1_800, jti: claims.jti });
    expect(issuer.ttlSeconds).toBe(1_800);
    expect(claimsOf(issuerWith({ ttlSeconds: 60 }).issue({ sub: 'ada' })).exp).toBe(NOW + 60);
  });

  it('gives every token a jti of 128 random bits', () => {
    const issuer = issuerWith();
    const ids = Array.from({ length: 1_000 }, () => claimsOf(issuer.issue({ sub: 'ada' })).jti);
    expect(new Set(ids).size).toBe(1_000);
    for (const id of ids) expect(Buffer.from(id, 'base64url').length).toBe(16);
    const other = issuerWith();
    expect(ids).not.toContain(claimsOf(other.issue({ sub: 'ada' })).jti);
  });

  it.each(algorithms)('writes alg %s, typ and kid into the header', (alg) => {
    expect(part(issuerWith({ key: keys[alg] }).issue({ sub: 'ada' }), 0)).toEqual({ alg, typ: 'JWT' });
    const named = privateKey(ec.privateKey, { kid: 'k1' });
    expect(part(issuerWith({ key: named, typ: 'at+jwt' }).issue({ sub: 'ada' }), 0)).toEqual({
      alg: 'ES256',
      typ: 'at+jwt',
      kid: 'k1',
    });
  });

  it('adds the configured iss and aud', () => {
    const options = { issuer: 'https://login.example.org', audience: 'api' };
    expect(claimsOf(issuerWith(options).issue({ sub: 'ada' }))).toMatchObject({ iss: options.issuer, aud: 'api' });
    expect(claimsOf(issuerWith({ audience: ['a', 'b'] }).issue({ sub: 'ada' })).aud).toEqual(['a', 'b']);
    const verifier = createTokenVerifier({ keys: [hs256], clock, ...options });
    expect(verifier.verify(issuerWith(options).issue({ sub: 'ada' })).ok).toBe(true);
  });

  it('lets no caller choose iat, exp, jti, iss or aud', () => {
    const wanted = { sub: 'ada', iat: 1, exp: 2 ** 40, jti: 'mine', iss: 'me', aud: 'you' };
    const claims = claimsOf(issuerWith().issue(wanted));
    expect(claims).toEqual({ sub: 'ada', iat: NOW, exp: NOW + 1_800, jti: claims.jti });
    expect(claims.jti).not.toBe('mine');
    const bound = claimsOf(issuerWith({ issuer: 'us', audience: 'api' }).issue(wanted));
    expect(bound).toMatchObject({ iss: 'us', aud: 'api' });
  });

  it('caps exp at notAfter, which is no claim', () => {
    const issuer = issuerWith();
    expect(claimsOf(issuer.issue({ sub: 'ada', notAfter: NOW + 10 }))).not.toHaveProperty('notAfter');
    expect(claimsOf(issuer.issue({ sub: 'ada', notAfter: NOW + 10 })).exp).toBe(NOW + 10);
    expect(claimsOf(issuer.issue({ sub: 'ada', notAfter: NOW + 10.9 })).exp).toBe(NOW + 10);
    expect(claimsOf(issuer.issue({ sub: 'ada', notAfter: NOW + 9_999 })).exp).toBe(NOW + 1_800);
    expect(claimsOf(issuer.issue({ sub: 'ada', notAfter: Number.POSITIVE_INFINITY })).exp).toBe(NOW + 1_800);
  });

  it('issues nothing that has already ended', () => {
    const issuer = issuerWith();
    for (const notAfter of [NOW, NOW + 0.5, NOW - 1, 0, Number.NEGATIVE_INFINITY]) {
      expect(codeOf(() => issuer.issue({ sub: 'ada', notAfter }))).toBe('AUTH_NOT_AUTHENTICATED');
    }
  });

  it('issues nothing while the clock is broken', () => {
    for (const now of [Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(codeOf(() => issuerWith({ clock: () => now }).issue({ sub: 'ada' }))).toBe('AUTH_NOT_AUTHENTICATED');
    }
  });

  it('takes the time from its clock alone, also at its very beginning', () => {
    expect(claimsOf(issuerWith({ clock: () => 0 }).issue({ sub: 'ada' }))).toMatchObject({ iat: 0, exp: 1_800 });
    expect(claimsOf(issuerWith({ clock: () => NOW * 1_000 + 999.9 }).issue({ sub: 'ada' })).iat).toBe(NOW);
  });

  it('JWT-11 refuses a sub that no verifier would accept', () => {
    for (const sub of ['', 'x'.repeat(257), undefined, null, 5, {}, ['ada']]) {
      expect(codeOf(() => issuerWith().issue({ sub } as IssueClaims))).toBe('INPUT_INVALID');
    }
    expect(codeOf(() => issuerWith().issue({ sub: 'ada', notAfter: Number.NaN }))).toBe('INPUT_INVALID');
    expect(codeOf(() => issuerWith().issue({ sub: 'ada', notAfter: '5' } as never))).toBe('INPUT_INVALID');
  });

  it('JWT-29 refuses claims that make a token too large for a verifier', () => {
    expect(codeOf(() => issuerWith().issue({ sub: 'ada', pad: 'x'.repeat(6_200) }))).toBe('INPUT_INVALID');
    const token = issuerWith().issue({ sub: 'ada', pad: 'x'.repeat(5_900) });
    expect(createTokenVerifier({ keys: [hs256], clock }).verify(token).ok).toBe(true);
  });

  it('KEY-01 a token outlives its signing key as long as the key stays in the verifier', () => {
    const older = secretKey(`${SECRET}-older`, { kid: 'older' });
    const newer = secretKey(`${SECRET}-newer`, { kid: 'newer' });
    const token = issuerWith({ key: older }).issue({ sub: 'ada' });
    expect(createTokenVerifier({ keys: [newer, older], clock }).verify(token).ok).toBe(true);
    expect(createTokenVerifier({ keys: [newer], clock }).verify(token)).toEqual({ ok: false, reason: 'unknown_key' });
  });
});
