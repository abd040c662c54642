import { createTokenVerifier, secretKey, type TokenKey, type TokenVerifierOptions } from 'doorward/tokens';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { clock, forge, goodClaims, hs256, keys, NOW, SECRET, withClaims } from '../tokens/forge.ts';
import { refusedField } from '../tokens/refused-field.ts';

const cachedWith = (options: Partial<TokenVerifierOptions> = {}) =>
  createTokenVerifier({ keys: [hs256], clock, cache: { maxTokens: 100 }, ...options });
const reasonOf = (token: unknown, by = cachedWith()) => {
  const result = by.verify(token);
  return result.ok ? 'accepted' : result.reason;
};
/** The verifier after it has accepted the token, and accepted it again out of its cache. */
function withRemembered(token: string, options: Partial<TokenVerifierOptions> = {}) {
  const by = cachedWith(options);
  expect([reasonOf(token, by), reasonOf(token, by)]).toEqual(['accepted', 'accepted']);
  return by;
}

afterEach(() => void vi.restoreAllMocks());

const good = withClaims({});
const [header = '', payload = '', signature = ''] = good.split('.');
const otherPayload = withClaims({ sub: 'eve' }).split('.')[1] ?? '';

describe('a token that resembles a remembered one', () => {
  it.each([
    ['another payload under the same signature', `${header}.${otherPayload}.${signature}`],
    ['no signature', `${header}.${payload}.`],
    ['no signature and no dot', `${header}.${payload}`],
    ['half a signature', `${header}.${payload}.${signature.slice(0, 20)}`],
    ['only the signature', signature],
    ['the signature behind empty parts', `..${signature}`],
    ['another header', `${Buffer.from('{"alg":"none"}').toString('base64url')}.${payload}.${signature}`],
    ['something in front', `A${good}`],
    ['the scheme in front', `Bearer ${good}`],
    ['padding behind', `${good}=`],
    ['a line end behind', `${good}\n`],
    ['a NUL behind', `${good}\0`],
    ['a part behind', `${good}.${signature}`],
    ['other letters with the same low byte', `${String.fromCharCode(good.charCodeAt(0) + 0x100)}${good.slice(1)}`],
  ])('JWT-33 is refused: %s', (_, token) => {
    expect(reasonOf(token, withRemembered(good))).toMatch(/^(malformed|signature|algorithm)$/);
  });

  it('JWT-33 is refused with any one character changed', () => {
    const by = withRemembered(good);
    for (let i = 0; i < good.length; i++) {
      const changed = good.slice(0, i) + (good[i] === 'A' ? 'B' : 'A') + good.slice(i + 1);
      expect(by.verify(changed).ok).toBe(false);
    }
    expect(reasonOf(good, by)).toBe('accepted');
  });

  it('JWT-33 is refused when it is no string', () => {
    const by = withRemembered(good);
    for (const token of [[good], new String(good), { toString: () => good }, Buffer.from(good)]) {
      expect(reasonOf(token, by)).toBe('malformed');
    }
  });

  it('JWT-33 stays refused: no refusal turns into an acceptance, and none is remembered', () => {
    let now = NOW;
    const by = cachedWith({ clock: () => now * 1_000 });
    const early = withClaims({ iat: NOW + 10, exp: NOW + 60 });
    expect([reasonOf(early, by), reasonOf(early, by)]).toEqual(['not_yet_valid', 'not_yet_valid']);
    const forged = forge({ alg: 'HS256', typ: 'JWT' }, goodClaims, `${SECRET}!`);
    expect([reasonOf(forged, by), reasonOf(forged, by)]).toEqual(['signature', 'signature']);
    now += 10;
    expect(reasonOf(early, by)).toBe('accepted');
    expect(reasonOf(forged, by)).toBe('signature');
  });

  it('JWT-33 another verifier remembers nothing of it', () => {
    withRemembered(good);
    expect(reasonOf(good, cachedWith({ keys: [secretKey(`${SECRET}-other`)] }))).toBe('signature');
    expect(reasonOf(good, cachedWith({ audience: 'api' }))).toBe('audience');
  });
});

describe('a remembered token', () => {
  it('JWT-33 CLK-01 ends at its exp, plus the tolerance', () => {
    for (const toleranceSeconds of [0, 5]) {
      let now = NOW * 1_000;
      const by = withRemembered(good, { clock: () => now, toleranceSeconds });
      now = (NOW + 60 + toleranceSeconds) * 1_000 - 1;
      expect(reasonOf(good, by)).toBe('accepted');
      now += 1;
      expect([reasonOf(good, by), reasonOf(good, by)]).toEqual(['expired', 'expired']);
    }
  });

  it.each([
    ['iat', good],
    ['nbf', withClaims({ iat: NOW - 100, nbf: NOW })],
  ])('CLK-02 has not begun when the wall clock is set back before its %s', (_, token) => {
    let now = NOW * 1_000;
    const by = withRemembered(token, { clock: () => now });
    now -= 1;
    expect(reasonOf(token, by)).toBe('not_yet_valid');
    now += 1;
    expect(reasonOf(token, by)).toBe('accepted');
  });

  it('CLK-02 ends by its age too, when the wall clock was set back or stands still', () => {
    const by = cachedWith();
    const short = withClaims({ exp: NOW + 1 });
    const start = performance.now();
    const monotonic = vi.spyOn(performance, 'now').mockReturnValue(start);
    expect([reasonOf(short, by), reasonOf(short, by)]).toEqual(['accepted', 'accepted']);
    monotonic.mockReturnValue(start + 1_050);
    expect([reasonOf(short, by), reasonOf(short, by)]).toEqual(['expired', 'expired']);
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])(
    'CLK-04 is refused while the clock says %d',
    (broken) => {
      let now = NOW * 1_000;
      const by = withRemembered(good, { clock: () => now });
      now = broken;
      expect(by.verify(good).ok).toBe(false);
    },
  );

  it('JWT-33 is refused at once when it is revoked, and is asked about each time', () => {
    const revoked = new Set<unknown>();
    let asked = 0;
    const token = withClaims({ jti: 'j1' });
    const isRevoked = ({ jti }: { jti?: string }) => {
      asked++;
      return revoked.has(jti);
    };
    const by = withRemembered(token, { isRevoked });
    expect(asked).toBe(2);
    revoked.add('j1');
    expect([reasonOf(token, by), reasonOf(token, by)]).toEqual(['revoked', 'revoked']);
    expect(reasonOf(token, cachedWith({ isRevoked }))).toBe('revoked');
  });

  it('JWT-33 KEY-02 is forgotten when its key goes, and when it comes back with other bytes', () => {
    const set: { keys: readonly TokenKey[] } = {
      keys: [hs256, keys.RS256].map((key, i) => ({ ...key, kid: `k${i}` })),
    };
    const token = forge({ alg: 'HS256', typ: 'JWT', kid: 'k0' }, goodClaims);
    const by = withRemembered(token, { keys: set });
    set.keys = set.keys.slice(1);
    expect([reasonOf(token, by), reasonOf(token, by)]).toEqual(['unknown_key', 'unknown_key']);
    set.keys = [secretKey(`${SECRET}-other`, { kid: 'k0' })];
    expect(reasonOf(token, by)).toBe('signature');
    set.keys = [secretKey(SECRET, { kid: 'k0' })];
    expect(reasonOf(token, by)).toBe('accepted');
  });

  it('JWT-33 cannot be changed for the next caller, at no depth', () => {
    const token = withClaims({ roles: ['reader'], nested: { list: [{ admin: false }] } });
    const by = cachedWith();
    for (let turn = 0; turn < 3; turn++) {
      const result = by.verify(token);
      if (!result.ok) throw new Error(result.reason);
      const { claims } = result;
      const nested = claims.nested as { list: { admin: boolean }[] };
      const changes: readonly (() => unknown)[] = [
        () => Object.assign(result, { claims: { ...claims, sub: 'eve' } }),
        () => Object.assign(claims, { sub: 'eve' }),
        () => (claims.roles as string[]).push('admin'),
        () => Object.assign(nested.list[0] ?? {}, { admin: true }),
        () => nested.list.push({ admin: true }),
        () => Reflect.deleteProperty(nested, 'list') || Object.defineProperty(nested, 'list', { value: [] }),
      ];
      for (const change of changes) expect(change).toThrow(TypeError);
    }
    expect(by.verify(token)).toEqual({
      ok: true,
      claims: { ...goodClaims, roles: ['reader'], nested: { list: [{ admin: false }] } },
    });
  });

  it('JWT-29 may nest as deep as a token can', () => {
    const deep = `{"sub":"ada","iat":${NOW},"exp":${NOW + 60},"d":${'['.repeat(2_900)}${']'.repeat(2_900)}}`;
    withRemembered(forge({ alg: 'HS256', typ: 'JWT' }, deep));
  });
});

describe('the room', () => {
  it('DOS-05 has its bound: what was not used for long is verified anew, with the same answer', () => {
    const fresh = new Map<unknown, number>();
    const by = cachedWith({
      cache: { maxTokens: 4 },
      isRevoked: (claims) => {
        fresh.set(claims, (fresh.get(claims) ?? 0) + 1);
        return false;
      },
    });
    const tokens = Array.from({ length: 50 }, (_, i) => withClaims({ sub: `user-${i}` }));
    for (const token of [good, ...tokens, good]) expect(reasonOf(token, by)).toBe('accepted');
    const ofAda = [...fresh.keys()].filter((claims) => (claims as { sub: string }).sub === 'ada');
    expect(ofAda).toHaveLength(2);
  });

  it('keeps what is used again and again', () => {
    const seen = new Set<unknown>();
    const by = cachedWith({
      cache: { maxTokens: 4 },
      isRevoked: (claims) => {
        if (claims.sub === 'ada') seen.add(claims);
        return false;
      },
    });
    for (let i = 0; i < 50; i++) {
      expect(reasonOf(good, by)).toBe('accepted');
      expect(reasonOf(withClaims({ sub: `user-${i}` }), by)).toBe('accepted');
    }
    expect(seen.size).toBe(1);
  });

  it('DOS-04 is not filled by tokens that are refused', () => {
    const seen = new Set<unknown>();
    const by = cachedWith({
      cache: { maxTokens: 2 },
      isRevoked: (claims) => {
        seen.add(claims);
        return false;
      },
    });
    for (let i = 0; i < 50; i++) {
      expect(reasonOf(good, by)).toBe('accepted');
      expect(reasonOf(`${header}.${otherPayload}.${i}${signature.slice(2)}`, by)).toBe('signature');
    }
    expect(seen.size).toBe(1);
  });
});

describe('the options', () => {
  it.each([
    ['maxTokens', { cache: { maxTokens: 0 } }],
    ['maxTokens', { cache: { maxTokens: 1 } }],
    ['maxTokens', { cache: { maxTokens: 2.5 } }],
    ['maxTokens', { cache: { maxTokens: Number.POSITIVE_INFINITY } }],
    ['maxTokens', { cache: { maxTokens: 1_000_001 } }],
    ['maxTokens', { cache: {} }],
    ['options', { cache: true }],
    ['options', { cache: null }],
    ['ttl', { cache: { maxTokens: 10, ttl: 5 } }],
    ['isRevoked', { isRevoked: undefined }],
    ['isRevoked', { isRevoked: new Set() }],
  ])('JWT-20 a bad %s is refused: %o', (field, options) => {
    expect(refusedField(() => createTokenVerifier({ keys: [hs256], ...options } as never))).toBe(field);
  });

  it.each([
    ['throws', () => JSON.parse('no store')],
    ['promises', async () => false],
    ['says nothing', () => undefined],
    ['says 0', () => 0],
  ])('a revocation hook that %s revokes', (_, isRevoked) => {
    expect(reasonOf(good, cachedWith({ isRevoked } as never))).toBe('revoked');
    expect(reasonOf(good, createTokenVerifier({ keys: [hs256], clock, isRevoked } as never))).toBe('revoked');
  });
});
