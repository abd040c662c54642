import { createTokenIssuer, createTokenVerifier } from 'doorward/tokens';
import fc from 'fast-check';
import jwt from 'jsonwebtoken';
import { describe, expect, it } from 'vitest';
import { algorithms, clock, forge, goodClaims, hs256, keys, NOW, withClaims } from './forge.ts';

const verifier = createTokenVerifier({ keys: [hs256], clock });

/** What jsonwebtoken says, with every check that it offers. */
function reference(token: string, alg: jwt.Algorithm = 'HS256', key = hs256.verify): object | undefined {
  try {
    const claims = jwt.verify(token, key, { algorithms: [alg], clockTimestamp: NOW });
    return typeof claims === 'object' ? claims : undefined;
  } catch {
    return undefined;
  }
}

const claimName = fc.oneof(fc.constantFrom('uid', 'email', 'nbf', 'roles', 'constructor', 'toString', ''), fc.string());
const extraClaims = fc
  .dictionary(claimName, fc.jsonValue({ maxDepth: 3 }), { maxKeys: 6 })
  .filter(
    (claims) =>
      !['iat', 'exp', 'jti', 'iss', 'aud', 'nbf', 'notAfter', '__proto__'].some((name) => Object.hasOwn(claims, name)),
  );
const subject = fc.string({ minLength: 1, maxLength: 40 });

describe('issuing and verifying', () => {
  it.each(algorithms)('a %s token comes back as it was issued, here and in jsonwebtoken', (alg) => {
    const key = keys[alg];
    const issuer = createTokenIssuer({ key, clock });
    const by = createTokenVerifier({ keys: [key], clock });
    fc.assert(
      fc.property(subject, extraClaims, (sub, extra) => {
        const token = issuer.issue({ ...extra, sub });
        const result = by.verify(token);
        expect(result).toMatchObject({ ok: true });
        if (!result.ok) return;
        const { iat, exp, jti, ...claims } = result.claims;
        expect([iat, exp, typeof jti]).toEqual([NOW, NOW + 1_800, 'string']);
        expect(claims).toEqual(JSON.parse(JSON.stringify({ ...extra, sub })));
        expect(reference(token, alg, key.verify)).toEqual(result.claims);
      }),
      { numRuns: alg === 'HS256' ? 300 : 40 },
    );
  });

  it.each(algorithms)('jsonwebtoken’s own %s tokens are accepted', (alg) => {
    const { sign, verify } = keys[alg];
    const token = jwt.sign(goodClaims, sign ?? '', { algorithm: alg });
    expect(createTokenVerifier({ keys: [{ alg, verify }], clock }).verify(token)).toEqual({
      ok: true,
      claims: goodClaims,
    });
  });
});

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const character = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...ALPHABET) },
  { weight: 2, arbitrary: fc.constantFrom('.', '=', '+', '/', ' ', '\n', '\0', '\t', '?', '%', '\u0141', '\ufeff') },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }) },
);
const position = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const edit = fc.oneof(
  fc.record({ kind: fc.constant('replace' as const), at: position, text: character }),
  fc.record({ kind: fc.constant('insert' as const), at: position, text: character }),
  fc.record({ kind: fc.constant('remove' as const), at: position, text: fc.constant('') }),
  fc.record({ kind: fc.constant('swap' as const), at: position, text: fc.constant('') }),
  fc.record({ kind: fc.constant('cut' as const), at: position, text: fc.constant('') }),
  fc.record({ kind: fc.constant('replace' as const), at: fc.constantFrom(0.9999, 0), text: character }),
);

type Edit = typeof edit extends fc.Arbitrary<infer T> ? T : never;

function mutate(token: string, { kind, at, text }: Edit): string {
  const i = Math.floor(at * token.length);
  const before = token.slice(0, i);
  switch (kind) {
    case 'replace':
      return before + text + token.slice(i + 1);
    case 'insert':
      return before + text + token.slice(i);
    case 'remove':
      return before + token.slice(i + 1);
    case 'swap':
      return before + token.slice(i + 1, i + 2) + token.slice(i, i + 1) + token.slice(i + 2);
    case 'cut':
      return before;
  }
}

describe('X12 mutated tokens', () => {
  const originals = algorithms.map((alg) => {
    const token = createTokenIssuer({ key: keys[alg], clock }).issue({ sub: 'ada', uid: '1' });
    return { token, by: createTokenVerifier({ keys: [keys[alg]], clock }) };
  });

  it('JWT-23 of 10,000 mutants none is accepted but the original itself', () => {
    let mutants = 0;
    fc.assert(
      fc.property(
        fc.constantFrom(...originals),
        fc.array(edit, { minLength: 1, maxLength: 3 }),
        ({ token, by }, edits) => {
          const mutant = edits.reduce(mutate, token);
          if (mutant !== token) mutants++;
          expect(by.verify(mutant).ok).toBe(mutant === token);
        },
      ),
      { numRuns: 10_500 },
    );
    expect(mutants).toBeGreaterThan(9_900);
  });

  it('any string and any value gets an answer, never a throw, and never an acceptance', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.anything({ withNullPrototype: true, withBigInt: true }), fc.string({ unit: 'binary' })),
        (value) => {
          expect(verifier.verify(value).ok).toBe(false);
        },
      ),
      { numRuns: 2_000 },
    );
    const pieces = fc.oneof(
      fc.base64String(),
      fc.constantFrom(...originals.flatMap(({ token }) => token.split('.'))),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.array(pieces, { minLength: 1, maxLength: 5 }), (parts) => {
        const text = parts.join('.');
        expect(verifier.verify(text).ok).toBe(
          originals.some(({ token }) => token === text && token.startsWith('eyJhbGciOiJIUzI1NiI')),
        );
      }),
      { numRuns: 2_000 },
    );
  });

  it('random headers and payloads under a right signature are judged without a throw', () => {
    const json = fc.oneof(
      fc.json(),
      fc.string(),
      fc.constantFrom('{"alg":"HS256","typ":"JWT"}', JSON.stringify(goodClaims)),
    );
    fc.assert(
      fc.property(json, json, (header, payload) => {
        const result = verifier.verify(forge(header, payload));
        if (result.ok) expect(JSON.parse(payload)).toEqual(result.claims);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('beside jsonwebtoken', () => {
  it('everything that is accepted here is accepted there, with the same claims', () => {
    const odd = fc.oneof(
      fc.jsonValue(),
      fc.constantFrom(0, -1, 1.5, 1e308, '', null, true),
      fc.integer({ min: NOW - 100, max: NOW + 100 }),
    );
    const changes = fc.dictionary(
      fc.constantFrom('sub', 'iat', 'exp', 'nbf', 'aud', 'iss', 'jti', 'typ', '__proto__'),
      odd,
      { maxKeys: 3 },
    );
    let accepted = 0;
    fc.assert(
      fc.property(changes, (changed) => {
        const token = withClaims(changed);
        const result = verifier.verify(token);
        if (!result.ok) return;
        accepted++;
        expect(reference(token)).toEqual(result.claims);
      }),
      { numRuns: 3_000 },
    );
    expect(accepted).toBeGreaterThan(300);
  });

  it('T9 none of what jsonwebtoken lets pass is let pass here', () => {
    const header = { alg: 'HS256', typ: 'JWT' };
    const lax: readonly string[] = [
      withClaims({ exp: undefined }),
      forge(header, `{"sub":"ada","iat":${NOW},"exp":1e400}`),
      forge(header, `{"sub":"ada","iat":${NOW},"exp":1e308}`),
      withClaims({ iat: NOW + 1_000, exp: NOW + 2_000 }),
      withClaims({ iat: 'x' }),
      withClaims({ sub: undefined }),
      withClaims({ sub: '' }),
      withClaims({ sub: 1 }),
      withClaims({ sub: {} }),
      withClaims({ sub: ['admin'] }),
      withClaims({ exp: NOW + 315_360_000 }),
      forge(header, '[1,2]'),
      forge(header, `{"sub":"ada","sub":"admin","iat":${NOW},"exp":${NOW + 60}}`),
      forge(
        header,
        Buffer.concat([Buffer.from('{"sub":"'), Buffer.from([0xff]), Buffer.from(`","iat":${NOW},"exp":${NOW + 60}}`)]),
      ),
      forge({ ...header, crit: ['x'], x: 1 }, goodClaims),
      forge({ ...header, b64: false, crit: ['b64'] }, goodClaims),
      forge({ ...header, zip: 'DEF' }, goodClaims),
      forge({ ...header, typ: 'id+jwt' }, goodClaims),
      withClaims({ pad: 'x'.repeat(20_000) }),
    ];
    for (const token of lax) {
      expect(reference(token)).toBeDefined();
      expect(verifier.verify(token).ok).toBe(false);
    }
  });
});
