import { createHmac, createSecretKey, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { measureCost } from '../../cost.mjs';
import { digest } from '../../digest.mjs';

const TOKENS = 256;
const LIFETIME = 3_600;

const encode = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');

function keysOf(alg) {
  if (alg === 'HS256') {
    const text = randomBytes(48).toString('base64');
    const key = createSecretKey(text, 'utf8');
    const signature = (input) => createHmac('sha256', key).update(input).digest('base64url');
    return { alg, text, verifyKey: key, signKey: key, signature };
  }
  const kind = alg === 'RS256' ? ['rsa', { modulusLength: 2_048 }] : ['ec', { namedCurve: 'P-256' }];
  const { publicKey, privateKey } = generateKeyPairSync(...kind);
  const signature = (input) =>
    sign('sha256', Buffer.from(input), { key: privateKey, dsaEncoding: 'ieee-p1363' }).toString('base64url');
  return {
    alg,
    text: publicKey.export({ type: 'spki', format: 'pem' }),
    verifyKey: publicKey,
    signKey: privateKey,
    signature,
  };
}

const claimsOf = (index) => ({
  sub: `user-${index}`,
  email: `user-${index}@example.org`,
  roles: ['reader', 'editor'],
});

function tokensOf({ alg, signature }, tokens) {
  const iat = Math.floor(Date.now() / 1_000);
  return Array.from({ length: TOKENS }, (_, index) => {
    const claims = { ...claimsOf(index), iat, exp: iat + LIFETIME };
    const input = `${encode({ alg, typ: 'JWT' })}.${encode(claims)}`;
    switch (tokens) {
      case 'good':
        return `${input}.${signature(input)}`;
      case 'bad signature':
        return `${input}.${signature(`${input}!`)}`;
      case 'alg none':
        return `${encode({ alg: 'none', typ: 'JWT' })}.${encode(claims)}.${signature(input)}`;
      case 'alg none, no two headers alike':
        return `${encode({ alg: 'none', typ: 'JWT', x: index })}.${encode(claims)}.${signature(input)}`;
      case 'oversize':
        return randomBytes(6_400).toString('base64url');
      default:
        throw new RangeError(`no tokens of the kind "${tokens}"`);
    }
  });
}

/** What every contestant is given: keys as text and as objects, and the tokens as bytes. */
export function material({ alg, tokens }) {
  const keys = keysOf(alg);
  return { ...keys, tokens: tokens && tokensOf(keys, tokens).map((token) => Buffer.from(token)) };
}

/** A verification that throws its refusals, as one that returns `undefined`. */
export function caught(verify) {
  return (token) => {
    try {
      return verify(token);
    } catch {
      return undefined;
    }
  };
}

const told = (claims) => claims && { sub: claims.sub, email: claims.email, roles: claims.roles };

export async function answers(contestant, { task }) {
  if (task === 'issue') return { issued: digest(Array.from({ length: TOKENS }, (_, i) => issued(contestant, i))) };
  const verified = [];
  for (const bytes of contestant.tokens) verified.push(told(await contestant.verify(bytes.latin1Slice())) ?? null);
  return { verified: digest(verified), accepted: verified.filter((claims) => claims !== null).length };
}

function issued({ issue, signature }, index) {
  const [header, payload, mac] = issue(claimsOf(index)).split('.');
  const { alg, typ } = JSON.parse(Buffer.from(header, 'base64url'));
  const claims = JSON.parse(Buffer.from(payload, 'base64url'));
  return {
    alg,
    typ,
    ...told(claims),
    lifetime: claims.exp - claims.iat,
    good: mac === signature(`${header}.${payload}`),
  };
}

function roundOf({ issue, verify, isAsync, tokens }, { task }) {
  if (task === 'issue') {
    const all = Array.from({ length: TOKENS }, (_, index) => claimsOf(index));
    return () => {
      for (const claims of all) issue(claims);
    };
  }
  // As from the network: each time a string that nobody has seen.
  if (isAsync) {
    return async () => {
      for (const bytes of tokens) await verify(bytes.latin1Slice());
    };
  }
  return () => {
    for (const bytes of tokens) verify(bytes.latin1Slice());
  };
}

export async function measure(contestant, timing, input) {
  const { cpuMs, wallMs } = await measureCost(roundOf(contestant, input), timing);
  return { cpuUs: (cpuMs * 1_000) / TOKENS, wallUs: (wallMs * 1_000) / TOKENS };
}

export { LIFETIME };
