import { createHash, generateKeyPairSync, type JsonWebKey, type KeyObject, randomUUID, sign } from 'node:crypto';

/** A key of a client, with its public half as it goes into a proof. */
export interface ClientKey {
  readonly privateKey: KeyObject;
  readonly jwk: JsonWebKey;
  readonly alg: string;
}

export function ecKey(namedCurve = 'P-256'): ClientKey {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve });
  return { privateKey, jwk: publicKey.export({ format: 'jwk' }), alg: 'ES256' };
}

export function rsaKey(alg: 'RS256' | 'PS256', modulusLength = 2_048, publicExponent = 65_537): ClientKey {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength, publicExponent });
  return { privateKey, jwk: publicKey.export({ format: 'jwk' }), alg };
}

export function encoded(value: unknown): string {
  return Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');
}

/** Signs whatever it is told to; texts go out as they are, so that JSON may be odd. */
export function forge({ privateKey, alg }: ClientKey, header: unknown, payload: unknown): string {
  const input = `${encoded(header)}.${encoded(payload)}`;
  const padding = alg === 'PS256' ? { padding: 6, saltLength: 32 } : {};
  const key = { key: privateKey, dsaEncoding: 'ieee-p1363' as const, ...padding };
  return `${input}.${sign('sha256', Buffer.from(input), key).toString('base64url')}`;
}

/** What a proof says when nothing is wrong with it. */
export function proofClaims(now: number, about: { method: string; url: string; accessToken?: string }): object {
  const { method, url, accessToken } = about;
  const ath = accessToken === undefined ? undefined : createHash('sha256').update(accessToken).digest('base64url');
  return { jti: randomUUID(), htm: method, htu: url, iat: Math.floor(now / 1_000), ath };
}

export function proofHeader({ jwk, alg }: ClientKey): object {
  return { typ: 'dpop+jwt', alg, jwk };
}
