import { createHmac, createSecretKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { privateKey, secretKey, type TokenAlgorithm, type TokenKey } from 'doorward/tokens';

export const NOW = 1_800_000_000;
export const clock = (): number => NOW * 1_000;

export const SECRET = 'Q7v0pXr2kE9mZt4Ls8WnYb3Hd6Jc1Gf5A-uTiOy_';
export const rsa = generateKeyPairSync('rsa', { modulusLength: 2_048 });
export const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });

export const hs256: TokenKey = secretKey(SECRET);
export const keys: Readonly<Record<TokenAlgorithm, TokenKey>> = {
  HS256: hs256,
  RS256: privateKey(rsa.privateKey),
  PS256: privateKey(rsa.privateKey, { alg: 'PS256' }),
  ES256: privateKey(ec.privateKey),
};
export const algorithms: readonly TokenAlgorithm[] = ['HS256', 'RS256', 'PS256', 'ES256'];

/** What every verifier here accepts, so that a test changes one thing only. */
export const goodClaims = { sub: 'ada', iat: NOW, exp: NOW + 60 };

export type Part = Readonly<Record<string, unknown>> | string | Buffer;

/** JSON of an object; text and bytes as they are. */
export function encode(part: Part): string {
  const bytes = typeof part === 'string' || Buffer.isBuffer(part) ? part : JSON.stringify(part);
  return Buffer.from(bytes as string).toString('base64url');
}

/** A token with a right HS256 signature, whatever its header and payload say. */
export function forge(header: Part, payload: Part, secret: string | Buffer | KeyObject = SECRET): string {
  return mac(`${encode(header)}.${encode(payload)}`, secret);
}

export function mac(input: string, secret: string | Buffer | KeyObject = SECRET): string {
  const key =
    typeof secret === 'string' || Buffer.isBuffer(secret) ? createSecretKey(Buffer.from(secret as string)) : secret;
  return `${input}.${createHmac('sha256', key).update(input).digest('base64url')}`;
}

/** A good HS256 token but for these claims. */
export function withClaims(changes: Readonly<Record<string, unknown>>): string {
  return forge({ alg: 'HS256', typ: 'JWT' }, { ...goodClaims, ...changes });
}

/** A good HS256 token but for these header members. */
export function withHeader(changes: Readonly<Record<string, unknown>>): string {
  return forge({ alg: 'HS256', typ: 'JWT', ...changes }, goodClaims);
}

/** A token signed with the private key over SHA-256 in the way of RS256. */
export function forgeRs256(header: Part, payload: Part, key: KeyObject = rsa.privateKey): string {
  const input = `${encode(header)}.${encode(payload)}`;
  return `${input}.${sign('sha256', Buffer.from(input), key).toString('base64url')}`;
}
