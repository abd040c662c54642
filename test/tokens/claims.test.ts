import { createTokenVerifier, type TokenVerifierOptions } from 'doorward/tokens';
import { describe, expect, it } from 'vitest';
import { clock, forge, goodClaims, hs256, NOW, withClaims, withHeader } from './forge.ts';

const verifierWith = (options: Partial<TokenVerifierOptions> = {}) =>
  createTokenVerifier({ keys: [hs256], clock, ...options });
const reasonOf = (token: unknown, options: Partial<TokenVerifierOptions> = {}) => {
  const result = verifierWith(options).verify(token);
  return result.ok ? 'accepted' : result.reason;
};
const HEADER = { alg: 'HS256', typ: 'JWT' };
const without = (name: string) => withClaims({ [name]: undefined });

describe('the claims of a token with a right signature', () => {
  it.each([`${NOW + 60}`, null, true, 1.5, 2 ** 53, {}, [NOW + 60]])('JWT-10 exp %j has the wrong type', (exp) => {
    expect(reasonOf(withClaims({ exp }))).toBe('claims');
  });

  it.each([-1, 0, NOW, NOW - 1])('JWT-10 exp %d is over', (exp) => {
    expect(reasonOf(withClaims({ exp, iat: exp - 1 }))).toBe('expired');
  });

  it('JWT-10 T9 a token without exp or iat, or with one beyond all numbers, is refused', () => {
    expect(reasonOf(without('exp'))).toBe('claims');
    expect(reasonOf(without('iat'))).toBe('claims');
    for (const exp of ['1e400', '-1e400', '1e308', '1800000060.5', '9007199254740993']) {
      expect(reasonOf(forge(HEADER, `{"sub":"ada","iat":${NOW},"exp":${exp}}`))).toBe('claims');
    }
  });

  it('JWT-11 a token without sub is refused', () => {
    expect(reasonOf(without('sub'))).toBe('claims');
  });

  it.each(['', 0, 1, null, true, {}, ['admin'], 'x'.repeat(257)])('JWT-11 sub %j is refused', (sub) => {
    expect(reasonOf(withClaims({ sub }))).toBe('claims');
  });

  it('JWT-11 sub of 1 and of 256 characters is accepted', () => {
    expect(reasonOf(withClaims({ sub: 'x' }))).toBe('accepted');
    expect(reasonOf(withClaims({ sub: 'x'.repeat(256) }))).toBe('accepted');
  });

  it.each(['logout+jwt', 'secevent+jwt', 'dpop+jwt', 5, ['JWT'], null, '', 'at+jwt', 'JWT ', 'application/', 'x/jwt'])(
    'JWT-16 typ %j is refused',
    (typ) => expect(reasonOf(withHeader({ typ }))).toBe('type'),
  );

  it('JWT-16 a token without typ is refused', () => {
    expect(reasonOf(forge({ alg: 'HS256' }, goodClaims))).toBe('type');
  });

  it.each(['JWT', 'jwt', 'Jwt', 'application/jwt', 'APPLICATION/JWT'])('JWT-16 typ %j is a spelling of JWT', (typ) => {
    expect(reasonOf(withHeader({ typ }))).toBe('accepted');
  });

  it.each(['at+jwt', 'application/at+jwt', 'AT+JWT'])(
    'JWT-16 typ %j is accepted where at+jwt is, and only there',
    (typ) => {
      expect(reasonOf(withHeader({ typ }), { types: ['at+jwt'] })).toBe('accepted');
      expect(reasonOf(withHeader({ typ }), { types: ['application/at+jwt'] })).toBe('accepted');
      expect(reasonOf(withHeader({ typ: 'JWT' }), { types: ['at+jwt'] })).toBe('type');
    },
  );

  it.each([[['other']], ['other'], ['API'], ['api '], [['API']], [[]], ['.*'], ['^api$'], ['a'], ['ap'], ['']])(
    'JWT-18 aud %j is another audience',
    (aud) => expect(reasonOf(withClaims({ aud }), { audience: 'api' })).toBe('audience'),
  );

  it.each([[[{}, 'api']], [['api', 1]], [[['api']]], [{ api: true }], [1], [null], [true]])(
    'JWT-18 aud %j has the wrong type',
    (aud) => {
      expect(reasonOf(withClaims({ aud }), { audience: 'api' })).toBe('claims');
      expect(reasonOf(withClaims({ aud }))).toBe('claims');
    },
  );

  it('JWT-18 a token without aud is refused where one is expected, and one with aud where none is', () => {
    expect(reasonOf(withClaims({}), { audience: 'api' })).toBe('audience');
    expect(reasonOf(withClaims({ aud: 'api' }))).toBe('audience');
    expect(reasonOf(withClaims({ aud: [] }))).toBe('audience');
  });

  it('JWT-18 one common audience is enough', () => {
    expect(reasonOf(withClaims({ aud: 'api' }), { audience: 'api' })).toBe('accepted');
    expect(reasonOf(withClaims({ aud: ['web', 'api'] }), { audience: ['mobile', 'api'] })).toBe('accepted');
    expect(reasonOf(withClaims({ aud: ['web'] }), { audience: ['mobile', 'api'] })).toBe('audience');
  });

  const ISSUER = 'https://login.example.org';
  it.each(['https://evil.example.org', `${ISSUER}/`, ISSUER.toUpperCase(), ''])(
    'JWT-19 iss %j is another issuer',
    (iss) => {
      expect(reasonOf(withClaims({ iss }), { issuer: ISSUER })).toBe('issuer');
    },
  );

  it('JWT-19 iss must be there, be a string, and be the very one', () => {
    expect(reasonOf(withClaims({}), { issuer: ISSUER })).toBe('issuer');
    for (const iss of [['a', ISSUER], [ISSUER], { iss: ISSUER }, 1, null]) {
      expect(reasonOf(withClaims({ iss }), { issuer: ISSUER })).toBe('claims');
      expect(reasonOf(withClaims({ iss }))).toBe('claims');
    }
    expect(reasonOf(withClaims({ iss: ISSUER }), { issuer: ISSUER })).toBe('accepted');
  });

  it.each([
    ['two sub', '"sub":"ada","sub":"admin"'],
    ['two sub, one of them escaped', '"sub":"ada","s\\u0075b":"admin"'],
    ['two equal sub', '"sub":"ada","sub":"ada"'],
    ['two uid', '"sub":"ada","uid":"1","uid":"2"'],
  ])('JWT-24 %s are refused', (_, members) => {
    expect(reasonOf(forge(HEADER, `{${members},"iat":${NOW},"exp":${NOW + 60}}`))).toBe('malformed');
  });

  it('JWT-24 what only looks like a repeated member is accepted', () => {
    const tricky = {
      'a":"b': '","sub":"x","sub":"',
      nested: { sub: 1, list: [{ sub: 2 }, { sub: 3 }] },
      'sub\\': '\\',
      '': ':',
    };
    const result = verifierWith().verify(withClaims(tricky));
    expect(result).toEqual({ ok: true, claims: { ...goodClaims, ...tricky } });
  });

  it('JWT-25 claims of the prototype are no claims', () => {
    const members = `"iat":${NOW},"exp":${NOW + 60}`;
    expect(reasonOf(forge(HEADER, `{"__proto__":{"sub":"admin"},${members}}`))).toBe('claims');
    expect(reasonOf(forge(HEADER, `{"__proto__":{"role":"admin"},"sub":"ada",${members}}`))).toBe('claims');
    Object.defineProperty(Object.prototype, 'sub', { value: 'admin', configurable: true });
    try {
      expect(reasonOf(forge(HEADER, `{${members}}`))).toBe('claims');
    } finally {
      Reflect.deleteProperty(Object.prototype, 'sub');
    }
  });

  it('JWT-25 a polluted prototype gives no audience and no issuer', () => {
    Object.defineProperty(Object.prototype, 'aud', { value: 'api', configurable: true });
    Object.defineProperty(Object.prototype, 'iss', { value: 'me', configurable: true });
    try {
      expect(reasonOf(withClaims({}), { audience: 'api' })).toBe('audience');
      expect(reasonOf(withClaims({}), { issuer: 'me' })).toBe('issuer');
    } finally {
      Reflect.deleteProperty(Object.prototype, 'aud');
      Reflect.deleteProperty(Object.prototype, 'iss');
    }
  });

  it('JWT-28 a token that starts later or lives too long is refused', () => {
    expect(reasonOf(withClaims({ nbf: NOW + 9_999 }))).toBe('not_yet_valid');
    expect(reasonOf(withClaims({ iat: NOW + 9_999, exp: NOW + 10_100 }))).toBe('not_yet_valid');
    expect(reasonOf(withClaims({ exp: NOW + 315_360_000 }))).toBe('lifetime');
    expect(reasonOf(withClaims({ exp: NOW + 86_401 }))).toBe('lifetime');
    expect(reasonOf(withClaims({ exp: NOW + 86_400 }))).toBe('accepted');
    expect(reasonOf(withClaims({ exp: NOW + 601 }), { maxLifetimeSeconds: 600 })).toBe('lifetime');
  });

  it('JWT-28 a token that ends before it starts is refused, also within the tolerance', () => {
    expect(reasonOf(withClaims({ iat: NOW + 5, exp: NOW + 4 }), { toleranceSeconds: 10 })).toBe('lifetime');
    expect(reasonOf(withClaims({ iat: NOW + 5, exp: NOW + 5 }), { toleranceSeconds: 10 })).toBe('lifetime');
  });

  it.each([
    ['nbf', `${NOW}`],
    ['nbf', null],
    ['nbf', 1.5],
    ['iat', 'x'],
    ['iat', null],
    ['iat', 1.5],
    ['jti', 5],
    ['jti', ''],
    ['jti', null],
  ])('JWT-28 %s %j has the wrong type', (name, value) =>
    expect(reasonOf(withClaims({ [name]: value }))).toBe('claims'),
  );

  it.each(['[]', '[1,2]', '"hello"', '5', 'null', 'true', '', 'foo', '{}x', '\ufeff{"sub":"ada"}', '{"sub":"ada",}'])(
    'T9 a payload of %j is no claims set',
    (payload) => expect(reasonOf(forge(HEADER, payload || ' '))).toBe('malformed'),
  );

  it('T9 invalid UTF-8 is refused, valid UTF-8 is read as it is', () => {
    const tail = `","iat":${NOW},"exp":${NOW + 60}}`;
    for (const bytes of [[0xff], [0xc3, 0x28], [0xed, 0xa0, 0x80], [0xc0, 0xaf], [0xf5, 0x80, 0x80, 0x80]]) {
      const payload = Buffer.concat([Buffer.from('{"sub":"'), Buffer.from(bytes), Buffer.from(tail)]);
      expect(reasonOf(forge(HEADER, payload))).toBe('malformed');
    }
    const result = verifierWith().verify(withClaims({ sub: 'ádà 🔑' }));
    expect(result).toMatchObject({ ok: true, claims: { sub: 'ádà 🔑' } });
  });
});

describe('time', () => {
  const at = (seconds: number, toleranceSeconds = 5) =>
    reasonOf(withClaims({ exp: NOW + 60 }), { clock: () => (NOW + 60 + seconds) * 1_000, toleranceSeconds });

  it('CLK-01 the end of a token plus the tolerance is past it', () => {
    expect([-1, 0, 4, 4.999, 5, 6].map((seconds) => at(seconds))).toEqual([
      ...['accepted', 'accepted', 'accepted', 'accepted'],
      ...['expired', 'expired'],
    ]);
  });

  it('CLK-01 without tolerance a token ends at its exp', () => {
    expect([-1, -0.001, 0, 1].map((seconds) => at(seconds, 0))).toEqual(['accepted', 'accepted', 'expired', 'expired']);
  });

  it('CLK-03 nbf and iat may be ahead by the tolerance', () => {
    for (const name of ['nbf', 'iat']) {
      expect(reasonOf(withClaims({ [name]: NOW + 4 }), { toleranceSeconds: 5 })).toBe('accepted');
      expect(reasonOf(withClaims({ [name]: NOW + 5 }), { toleranceSeconds: 5 })).toBe('accepted');
      expect(reasonOf(withClaims({ [name]: NOW + 6 }), { toleranceSeconds: 5 })).toBe('not_yet_valid');
      expect(reasonOf(withClaims({ [name]: NOW + 1 }))).toBe('not_yet_valid');
    }
  });

  it('CLK-04 a date far away is a lifetime that is refused, and the year 2038 is nothing special', () => {
    expect(reasonOf(withClaims({ exp: 32_503_680_000 }))).toBe('lifetime');
    const late = 2 ** 31 + 1_000;
    expect(reasonOf(withClaims({ iat: late, exp: late + 60 }), { clock: () => late * 1_000 })).toBe('accepted');
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])(
    'CLK-04 a clock that says %d accepts nothing',
    (now) => {
      expect(reasonOf(withClaims({}), { clock: () => now })).toMatch(/^(expired|not_yet_valid)$/);
    },
  );

  it('CLK-04 a clock that throws or answers nonsense accepts nothing', () => {
    const broken = () => {
      throw new Error('no clock');
    };
    expect(reasonOf(withClaims({}), { clock: broken })).toBe('malformed');
    expect(reasonOf(withClaims({}), { clock: (() => undefined) as unknown as () => number })).not.toBe('accepted');
  });
});
