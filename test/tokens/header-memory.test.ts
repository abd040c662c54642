import { createTokenVerifier, publicKey } from 'doorward/tokens';
import { describe, expect, it } from 'vitest';
import { clock, encode, forge, goodClaims, hs256, keys, type Part, rsa } from './forge.ts';

const reasonOf = (token: unknown, by: ReturnType<typeof createTokenVerifier>) => {
  const result = by.verify(token);
  return result.ok ? 'accepted' : result.reason;
};
const fresh = () => createTokenVerifier({ keys: [hs256], clock });

describe('a header that was seen before', () => {
  const headers: readonly Part[] = [
    { typ: 'JWT', alg: 'HS256' },
    { alg: 'none', typ: 'JWT' },
    { alg: 'HS256', typ: 'other' },
    { alg: 'HS256', typ: 'JWT', kid: 'x' },
    { alg: 'HS256', typ: 'JWT', crit: [] },
    '{"alg":"HS256","alg":"HS256","typ":"JWT"}',
    'no JSON',
  ];

  it('is judged as it was the first time, however many came between', () => {
    const by = fresh();
    const judge = () => headers.map((header) => reasonOf(forge(header, goodClaims), by));
    const first = judge();
    expect(first).toEqual([
      'accepted',
      ...['algorithm', 'type', 'unknown_key', 'critical_header', 'malformed', 'malformed'],
    ]);
    expect(judge()).toEqual(first);
    for (let i = 0; i < 200; i++) reasonOf(forge({ alg: 'none', typ: 'JWT', i }, goodClaims), by);
    expect(judge()).toEqual(first);
  });

  it('lends nothing to the signature and the claims that come with it', () => {
    const by = fresh();
    const header = { typ: 'JWT', alg: 'HS256' };
    expect(reasonOf(forge(header, goodClaims), by)).toBe('accepted');
    expect(reasonOf(forge(header, goodClaims, 'another secret'), by)).toBe('signature');
    expect(reasonOf(forge(header, { ...goodClaims, exp: 1 }), by)).toBe('expired');
  });

  it('JWT-22 is not taken for one whose letters share their low bytes, nor the other way round', () => {
    const token = forge({ typ: 'JWT', alg: 'HS256' }, goodClaims);
    const shifted = String.fromCharCode(token.charCodeAt(0) + 0x100) + token.slice(1);
    const by = fresh();
    expect([reasonOf(shifted, by), reasonOf(token, by), reasonOf(shifted, by)]).toEqual([
      ...['malformed', 'accepted', 'malformed'],
    ]);
  });

  it('is judged anew when the keys change', () => {
    const set = { keys: [hs256] };
    const by = createTokenVerifier({ keys: set, clock });
    const token = forge({ typ: 'JWT', alg: 'HS256' }, goodClaims);
    expect(reasonOf(token, by)).toBe('accepted');
    set.keys = [publicKey(rsa.publicKey)];
    expect(reasonOf(token, by)).toBe('algorithm');
    set.keys = [keys.RS256, { ...hs256, kid: 'k' }];
    expect(reasonOf(token, by)).toBe('algorithm');
    set.keys = [
      { ...hs256, kid: 'k' },
      { ...keys.ES256, kid: 'e' },
    ];
    expect(reasonOf(token, by)).toBe('unknown_key');
  });

  it('DOS-04 a flood of headers, long and short, leaves the verifier as it was', () => {
    const by = fresh();
    for (let i = 0; i < 5_000; i++) {
      const header = encode({ alg: 'HS256', typ: 'JWT', kid: `${i}`, pad: 'x'.repeat(i % 2 === 0 ? 0 : 2_000) });
      expect(reasonOf(`${header}.e30.AAAA`, by)).toBe('unknown_key');
    }
    expect(reasonOf(forge({ alg: 'HS256', typ: 'JWT' }, goodClaims), by)).toBe('accepted');
  });
});
