import { createSecretKey, type JsonWebKey } from 'node:crypto';
import { publicKey, type TokenKey } from 'doorward/tokens';
import { describe, expect, it } from 'vitest';
import { createJwsVerifier } from '../../src/tokens/jws.ts';
import vectors from '../fixtures/wycheproof/json_web_signature_test.json' with { type: 'json' };

interface Case {
  readonly tcId: number;
  readonly comment: string;
  readonly jws: string;
  readonly result: string;
}

/** Vectors that contradict themselves or others, with the reason; they decide nothing. */
const UNSOUND = new Map([
  [346, 'the token says PS384, its key PS256'],
  [350, 'the token says PS384, its key PS256'],
  [347, 'its key has the algorithm "ES521", which does not exist'],
  [351, 'its key has the algorithm "ES521", which does not exist'],
  [367, 'byte for byte the same as 357, which is called valid'],
  [370, 'byte for byte the same as 357, which is called valid'],
  [372, 'contains "?", which base64url does not have, and is called valid'],
  [373, 'contains "?", which base64url does not have, and is called valid'],
]);

/** Algorithms that this library does not have, so that their keys are refused when a key is made. */
const OTHER_ALGORITHM = ['RS384', 'RS512', 'PS384', 'PS512'];

/** Valid by the RFC and refused by design, with the reason of the signature layer. */
const REFUSED_VALID = new Map([
  // An empty payload is no JWT.
  ...[259, 272].map((tcId) => [tcId, 'malformed'] as const),
  // RS384, RS512, PS384 and PS512.
  ...[264, 265, 266, 267, 268, 269, 270, 271].map((tcId) => [tcId, 'key'] as const),
  ...[320, 321, 322, 323, 325, 326, 327, 328].map((tcId) => [tcId, 'key'] as const),
]);

/** Keys with `use` "enc" or `key_ops` ["encrypt"]. */
const WRONG_PURPOSE = [353, 354, 355, 356];

const cases = vectors.testGroups.flatMap((group) => {
  const jwk: JsonWebKey = 'public' in group && group.public ? group.public : group.private;
  return group.tests.map((test: Case) => ({ jwk, ...test }));
});
const sound = cases.filter(({ tcId }) => !UNSOUND.has(tcId));

/** `undefined` for a key that is refused. The secrets are taken past `secretKey`, since one of them is all zeros. */
function keyOf(jwk: JsonWebKey): TokenKey | undefined {
  const { kid, k = '' } = jwk;
  if (jwk.kty === 'oct') return { alg: 'HS256', kid: String(kid), verify: createSecretKey(k, 'base64url') };
  try {
    return publicKey(jwk);
  } catch {
    return undefined;
  }
}

/** What the verifier layer says of a vector: its reason, `key` for a key that is refused, or `accepted`. */
function verdictOn({ jwk, jws }: (typeof cases)[number]): string {
  const key = keyOf(jwk);
  if (key === undefined) return 'key';
  const verdict = createJwsVerifier([key], ['JWT'])(jws);
  return typeof verdict === 'string' ? verdict : 'accepted';
}

function accepts(test: (typeof cases)[number]): boolean {
  return verdictOn(test) === 'accepted';
}

describe('Wycheproof JSON Web Signature vectors', () => {
  it('JWT-35 are all there', () => {
    expect(cases).toHaveLength(401);
    expect(sound).toHaveLength(393);
  });

  it('KEY-05 keys that are for encryption or for other algorithms are refused as keys', () => {
    const refused = sound.filter(({ jwk }) => keyOf(jwk) === undefined);
    const expected = sound.filter(
      ({ tcId, jwk }) => OTHER_ALGORITHM.includes(String(jwk.alg)) || WRONG_PURPOSE.includes(tcId),
    );
    expect(refused.map(({ tcId }) => tcId)).toEqual(expected.map(({ tcId }) => tcId));
  });

  it('JWT-35 T4 accept nothing that is invalid', () => {
    const accepted = sound.filter((test) => test.result === 'invalid' && accepts(test));
    expect(accepted.map(({ tcId }) => tcId)).toEqual([]);
  });

  it('JWT-35 T4 refuse of the valid ones exactly these, each with its reason', () => {
    const refused = sound.filter((test) => test.result === 'valid' && !accepts(test));
    expect(new Map(refused.map((test) => [test.tcId, verdictOn(test)]))).toEqual(REFUSED_VALID);
  });

  it('JWT-35 the malformed base64url among the unsound ones is refused', () => {
    const malformed = cases.filter(({ tcId }) => tcId === 372 || tcId === 373);
    expect(malformed.map(accepts)).toEqual([false, false]);
  });
});
