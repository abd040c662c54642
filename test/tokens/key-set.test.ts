import { isDoorwardError } from 'doorward';
import {
  createTokenIssuer,
  createTokenVerifier,
  type KeySet,
  publicKey,
  type SigningKeySet,
  secretKey,
  type TokenKey,
} from 'doorward/tokens';
import { describe, expect, it } from 'vitest';
import { clock, forge, goodClaims, rsa, SECRET } from './forge.ts';
import { refusedField } from './refused-field.ts';

const older = secretKey(`${SECRET}-older`, { kid: 'older' });
const newer = secretKey(`${SECRET}-newer`, { kid: 'newer' });
const tokenOf = (secret: string, kid: string) => forge({ alg: 'HS256', typ: 'JWT', kid }, goodClaims, secret);
const olderToken = tokenOf(`${SECRET}-older`, 'older');
const newerToken = tokenOf(`${SECRET}-newer`, 'newer');

describe('a verifier over a key set', () => {
  const over = (set: KeySet) => createTokenVerifier({ keys: set, clock });
  const reasonsOf = (by: ReturnType<typeof over>) =>
    [olderToken, newerToken].map((token) => {
      const result = by.verify(token);
      return result.ok ? 'accepted' : result.reason;
    });

  it('KEY-02 follows it from call to call', () => {
    const set: { keys: readonly TokenKey[] } = { keys: [older] };
    const by = over(set);
    expect(reasonsOf(by)).toEqual(['accepted', 'unknown_key']);
    set.keys = [older, newer];
    expect(reasonsOf(by)).toEqual(['accepted', 'accepted']);
    set.keys = [newer];
    expect(reasonsOf(by)).toEqual(['unknown_key', 'accepted']);
  });

  it('looks at the keys once for each list', () => {
    let looks = 0;
    const watched = new Proxy([older], {
      get(target, name, receiver) {
        looks++;
        return Reflect.get(target, name, receiver);
      },
    });
    const by = over({ keys: watched });
    const before = looks;
    for (let i = 0; i < 10; i++) reasonsOf(by);
    expect(looks).toBe(before);
  });

  it.each([
    ['empty', []],
    ['of two keys with one kid', [older, secretKey(`${SECRET}-third`, { kid: 'older' })]],
    ['no list', undefined],
    ['of a weak key', [{ alg: 'RS256', verify: older.verify }]],
  ])('is not built when the set is %s, and accepts nothing while it becomes so', (_, bad) => {
    expect(refusedField(() => over({ keys: bad } as never))).toMatch(/^keys?$/);
    const set: { keys: unknown } = { keys: [older] };
    const by = over(set as KeySet);
    expect(reasonsOf(by)).toEqual(['accepted', 'unknown_key']);
    set.keys = bad;
    expect(reasonsOf(by)).toEqual(['unknown_key', 'unknown_key']);
    expect(reasonsOf(by)).toEqual(['unknown_key', 'unknown_key']);
    set.keys = [older];
    expect(reasonsOf(by)).toEqual(['accepted', 'unknown_key']);
  });

  it('accepts nothing while the set cannot be read', () => {
    let isBroken = false;
    const by = over({
      get keys() {
        if (isBroken) throw new Error('no keys');
        return [older];
      },
    });
    expect(by.verify(olderToken).ok).toBe(true);
    isBroken = true;
    expect(by.verify(olderToken).ok).toBe(false);
  });
});

describe('an issuer over a key set', () => {
  const kidOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()).kid;
  const over = (key: SigningKeySet) => createTokenIssuer({ key, clock });

  it('KEY-02 signs with the key that is active at that moment', () => {
    const set: { keys: readonly TokenKey[]; active: TokenKey } = { keys: [older, newer], active: older };
    const issuer = over(set);
    expect(kidOf(issuer.issue({ sub: 'ada' }))).toBe('older');
    set.active = newer;
    const token = issuer.issue({ sub: 'ada' });
    expect(kidOf(token)).toBe('newer');
    expect(createTokenVerifier({ keys: set, clock }).verify(token).ok).toBe(true);
  });

  it.each([
    ['is not in the set', secretKey(`${SECRET}-third`, { kid: 'third' }), []],
    ['can only verify', publicKey(rsa.publicKey, { kid: 'rsa' }), undefined],
    ['is no key', { alg: 'HS256' }, undefined],
    ['is missing', undefined, undefined],
  ])('neither is built nor signs when the active key %s', (_, bad, others) => {
    const keys = [older, newer, ...(others ?? [bad])] as readonly TokenKey[];
    expect(refusedField(() => over({ keys, active: bad as TokenKey }))).toBe('key');
    const set = { keys, active: older as unknown };
    const issuer = over(set as SigningKeySet);
    set.active = bad;
    for (let i = 0; i < 2; i++) {
      expect(codeOf(() => issuer.issue({ sub: 'ada' }))).toBe('CONFIG_INVALID');
    }
    set.active = newer;
    expect(kidOf(issuer.issue({ sub: 'ada' }))).toBe('newer');
  });
});

function codeOf(act: () => unknown): string | undefined {
  try {
    act();
  } catch (error) {
    return isDoorwardError(error) ? error.code : 'unexpected';
  }
  return undefined;
}
