import { createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { createServer, type RequestListener } from 'node:http';
import { AUDIT_CHANNEL, type AuditEvent } from 'doorward';
import { createRemoteKeySet, createRemoteTokenVerifier, type RemoteTokenVerifierOptions } from 'doorward/jwks';
import { createTokenIssuer, privateKey, publicJwks, secretKey } from 'doorward/tokens';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  AUDIENCE,
  foreignKey,
  json,
  jwksOf,
  listen,
  randomKid,
  type Source,
  startSource,
  stop,
  tokenOf,
} from '../jwks/source.ts';
import { encode, SECRET } from '../tokens/forge.ts';
import { refusedField } from '../tokens/refused-field.ts';

const UNAVAILABLE = { code: 'SERVICE_UNAVAILABLE', status: 503 };
const events: AuditEvent[] = [];
const gather = (event: unknown) => void events.push(event as AuditEvent);
const reasons = () => events.flatMap((event) => (event.type === 'keys.unavailable' ? [event.reason] : []));

let source: Source;
let time = 0;
const monotonicClock = () => time;
const open: { close(): void }[] = [];

function verifierOf(options: Partial<RemoteTokenVerifierOptions> = {}) {
  const made = createRemoteTokenVerifier({ issuer: source.origin, audience: AUDIENCE, monotonicClock, ...options });
  open.push(made);
  return made;
}

beforeEach(async () => {
  time = 1_000_000;
  events.length = 0;
  subscribe(AUDIT_CHANNEL, gather);
  source = await startSource(json(jwksOf('a', 'b')));
});
afterEach(async () => {
  unsubscribe(AUDIT_CHANNEL, gather);
  for (const made of open.splice(0)) made.close();
  await source.close();
});

const jwksHits = () => source.hits.get('/jwks') ?? 0;

describe('a token of another issuer', () => {
  it('is accepted, and at once when the key is known', async () => {
    const verifier = verifierOf();
    const first = verifier.verify(tokenOf('a', source.origin));
    expect(first).toBeInstanceOf(Promise);
    expect(await first).toMatchObject({ ok: true, claims: { sub: 'ada' } });
    expect(verifier.verify(tokenOf('b', source.origin))).toMatchObject({ ok: true });
    expect(jwksHits()).toBe(1);
  });

  it.each([
    ['issuer', () => tokenOf('a', 'https://evil.example')],
    ['issuer', () => tokenOf('a', `${source.origin}/`)],
    ['audience', () => tokenOf('a', source.origin, {}, 'at+jwt', 'https://other.example')],
    ['type', () => tokenOf('a', source.origin, {}, 'JWT')],
    ['type', () => tokenOf('a', source.origin, { at_hash: 'x' })],
    ['type', () => tokenOf('a', source.origin, { typ: 'ID' })],
    ['type', () => tokenOf('a', source.origin, { typ: 'Refresh' })],
    ['type', () => tokenOf('a', source.origin, { token_use: 'id' })],
    ['type', () => tokenOf('a', source.origin, { events: {} })],
    ['confirmation', () => tokenOf('a', source.origin, { cnf: { 'x5t#S256': 'abc' } })],
    ['confirmation', () => tokenOf('a', source.origin, { cnf: { jkt: 'abc' } })],
    ['malformed', () => 'a.b'],
    ['malformed', () => undefined],
  ])('is refused for its %s', async (reason, make) => {
    const verifier = verifierOf();
    await verifier.load();
    expect(await verifier.verify(make())).toEqual({ ok: false, reason });
  });

  it('is refused as an ID token, where types and audience tell them apart', async () => {
    const verifier = verifierOf({ types: ['JWT', 'at+jwt'] });
    await verifier.load();
    expect(verifier.verify(tokenOf('a', source.origin, {}, 'JWT'))).toMatchObject({ ok: true });
    const idToken = tokenOf('a', source.origin, { nonce: 'n' }, 'JWT', 'client-1');
    expect(verifier.verify(idToken)).toEqual({ ok: false, reason: 'audience' });
    const sameAudience = tokenOf('a', source.origin, { nonce: 'n', at_hash: 'h' }, 'JWT');
    expect(verifier.verify(sameAudience)).toEqual({ ok: false, reason: 'type' });
  });

  it('that is bound to a certificate is good from its holder only', async () => {
    const verifier = verifierOf();
    await verifier.load();
    const token = tokenOf('a', source.origin, { cnf: { 'x5t#S256': 'abc' } });
    const holder = { thumbprint: 'abc', subject: {}, names: [], notAfter: 0 };
    expect(verifier.verify(token, { certificate: holder })).toMatchObject({ ok: true });
    expect(verifier.verify(token, { certificate: { ...holder, thumbprint: 'abd' } })).toMatchObject({ ok: false });
  });

  it('is refused once it is revoked, also when it was remembered, and a hook that is none is found at once', async () => {
    let isGone = false;
    const verifier = verifierOf({ isRevoked: () => isGone, cache: { maxTokens: 10 } });
    const token = tokenOf('a', source.origin);
    expect(await verifier.verify(token)).toMatchObject({ ok: true });
    isGone = true;
    expect(verifier.verify(token)).toEqual({ ok: false, reason: 'revoked' });
    expect(refusedField(() => verifierOf({ isRevoked: undefined } as never))).toBe('isRevoked');
  });

  it('has five seconds of tolerance, and no more', async () => {
    const now = Date.now();
    let offset = 0;
    const verifier = verifierOf({ clock: () => now + offset });
    await verifier.load();
    const key = foreignKey('a');
    const issuer = createTokenIssuer({
      key,
      issuer: source.origin,
      audience: AUDIENCE,
      typ: 'at+jwt',
      ttlSeconds: 60,
      clock: () => now,
    });
    const token = issuer.issue({ sub: 'ada' });
    const end = (Math.floor(now / 1_000) + 60) * 1_000 - now;
    offset = end + 4_999;
    expect(verifier.verify(token)).toMatchObject({ ok: true });
    offset = end + 5_000;
    expect(verifier.verify(token)).toEqual({ ok: false, reason: 'expired' });
  });
});

describe('forgeries over published keys', () => {
  it('HS256 over the public key is refused', async () => {
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2_048 });
    source.answer = json(publicJwks([privateKey(rsa.privateKey, { kid: 'r' })]));
    const verifier = verifierOf();
    await verifier.load();
    const pem = rsa.publicKey.export({ type: 'spki', format: 'pem' }).toString();
    const now = Math.floor(Date.now() / 1_000);
    const claims = { sub: 'ada', iss: source.origin, aud: AUDIENCE, iat: now, exp: now + 60 };
    for (const header of [
      { alg: 'HS256', typ: 'at+jwt', kid: 'r' },
      { alg: 'none', typ: 'at+jwt', kid: 'r' },
    ]) {
      const input = `${encode(header)}.${encode(claims)}`;
      const forged = `${input}.${createHmac('sha256', pem).update(input).digest('base64url')}`;
      expect(await verifier.verify(forged)).toEqual({ ok: false, reason: 'algorithm' });
    }
  });

  it('the kid of another key is refused', async () => {
    const verifier = verifierOf();
    await verifier.load();
    const pretender = privateKey(foreignKey('evil').sign as never, { kid: 'a' });
    const token = createTokenIssuer({ key: pretender, issuer: source.origin, audience: AUDIENCE, typ: 'at+jwt' }).issue(
      { sub: 'eve' },
    );
    expect(verifier.verify(token)).toEqual({ ok: false, reason: 'signature' });
  });

  it('JWT-06 keys and addresses in the header are never looked at', async () => {
    let canaryHits = 0;
    const canary = createServer((_, response) => {
      canaryHits++;
      response.end();
    });
    const address = await listen(canary);
    const verifier = verifierOf();
    await verifier.load();
    const evil = foreignKey('evil');
    const signer = evil.sign as KeyObject;
    const jwk = evil.verify.export({ format: 'jwk' });
    const [, payload = ''] = tokenOf('evil', source.origin).split('.');
    for (const extra of [{ jwk }, { jku: `${address}/jwks` }, { x5u: `${address}/x5u` }, { x5c: ['AAAA'] }]) {
      for (const kid of ['a', 'evil', undefined]) {
        time += 60_000;
        const input = `${encode({ alg: 'ES256', typ: 'at+jwt', kid, ...extra })}.${payload}`;
        const signature = sign('sha256', Buffer.from(input), { key: signer, dsaEncoding: 'ieee-p1363' });
        expect(await verifier.verify(`${input}.${signature.toString('base64url')}`)).toMatchObject({ ok: false });
      }
    }
    expect(canaryHits).toBe(0);
    await stop(canary);
  });
});

describe('unknown kids', () => {
  const namable = ['../../dev/null', '__proto__', 'constructor', 'k'.repeat(128)].map((kid) => ({ kid, fetches: 1 }));
  const others = ["' OR 1=1--", 'k'.repeat(129), 'k'.repeat(10_000), ['a'], { a: 1 }, 5, null, '', 'é'];
  it.each([...namable, ...others.map((kid) => ({ kid, fetches: 0 }))])(
    'JWT-07 $kid is refused, whether it could be a name or not',
    async ({ kid, fetches }) => {
      const verifier = verifierOf();
      await verifier.load();
      time += 31_000;
      const token = `${encode({ alg: 'ES256', typ: 'at+jwt', kid } as never)}.${encode({ sub: 'ada' })}.AAAA`;
      for (let i = 0; i < 50; i++) expect(await verifier.verify(token)).toMatchObject({ ok: false });
      expect(jwksHits()).toBe(1 + fetches);
    },
  );

  it('JWT-07 that no algorithm of ours goes with fetch nothing', async () => {
    const verifier = verifierOf();
    await verifier.load();
    time += 31_000;
    for (const alg of ['HS256', 'none', 'RS512', 5]) {
      const token = `${encode({ alg, typ: 'at+jwt', kid: 'new' } as never)}.${encode({ sub: 'ada' })}.AAAA`;
      expect(await verifier.verify(token)).toEqual({ ok: false, reason: 'unknown_key' });
    }
    expect(jwksHits()).toBe(1);
  });

  it('DOS-06 a thousand a second cause one fetch at a time and two a minute, and no known token waits', async () => {
    const verifier = verifierOf();
    await verifier.load();
    source.open.most = 0;
    const held: (() => void)[] = [];
    source.answer = (request, response) => void held.push(() => json(jwksOf('a', 'b'))(request, response));
    const before = jwksHits();
    const good = tokenOf('a', source.origin);
    const pending: Promise<unknown>[] = [];
    let seed = 0;
    // Five minutes, a hundred tokens each tenth of a second; the source takes three seconds to answer.
    for (let tick = 1; tick <= 3_000; tick++) {
      time += 100;
      for (let i = 0; i < (tick % 10 === 0 ? 100 : 10); i++) {
        const token = `${encode({ alg: 'ES256', typ: 'at+jwt', kid: randomKid(seed++) })}.${encode({ sub: 'ada' })}.AAAA`;
        const answer = verifier.verify(token);
        if (answer instanceof Promise) pending.push(answer.catch((error: unknown) => error));
      }
      expect(verifier.verify(good)).toMatchObject({ ok: true });
      if (tick % 30 === 0) {
        while (source.open.now > held.length) await new Promise((resolve) => setTimeout(resolve, 1));
        await new Promise((resolve) => setTimeout(resolve, 1));
        for (const release of held.splice(0)) release();
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
    }
    for (const release of held.splice(0)) release();
    expect(seed).toBeGreaterThan(50_000);
    expect(source.open.most).toBe(1);
    expect(jwksHits() - before).toBeLessThanOrEqual(10);
    expect(jwksHits() - before).toBeGreaterThanOrEqual(5);
    await Promise.all(pending);
  }, 120_000);

  it('DOS-06 no more than a thousand wait for one answer', async () => {
    const verifier = verifierOf();
    await verifier.load();
    time += 31_000;
    source.answer = () => undefined;
    const answers = Array.from({ length: 1_200 }, async (_, i) => {
      const token = `${encode({ alg: 'ES256', typ: 'at+jwt', kid: randomKid(i) })}.${encode({ sub: 'ada' })}.AAAA`;
      return verifier.verify(token);
    });
    verifier.close();
    const codes = (await Promise.allSettled(answers)).map(
      (answer) => answer.status === 'rejected' && answer.reason.code,
    );
    expect(codes.filter((code) => code === 'SERVICE_BUSY')).toHaveLength(200);
    expect(codes.filter((code) => code === 'SERVICE_UNAVAILABLE')).toHaveLength(1_000);
  });
});

describe('rotation at the issuer', () => {
  it('is followed by the first token of a new key, and a removed key ends with the age of the keys', async () => {
    const verifier = verifierOf();
    const old = tokenOf('a', source.origin);
    expect(await verifier.verify(old)).toMatchObject({ ok: true });
    source.answer = json(jwksOf('b', 'c'));
    time += 31_000;
    expect(await verifier.verify(tokenOf('c', source.origin))).toMatchObject({ ok: true });
    expect(verifier.verify(old)).toEqual({ ok: false, reason: 'unknown_key' });
    source.answer = json(jwksOf('c'));
    time += 601_000;
    expect(verifier.verify(tokenOf('b', source.origin))).toMatchObject({ ok: true });
    await expect.poll(() => verifier.verify(tokenOf('b', source.origin))).toEqual({ ok: false, reason: 'unknown_key' });
    expect(jwksHits()).toBe(3);
  });

  it('after a long silence no token is judged by old keys', async () => {
    const verifier = verifierOf();
    await verifier.load();
    source.answer = json(jwksOf('b'));
    time += 3_600_000;
    expect(await verifier.verify(tokenOf('a', source.origin))).toEqual({ ok: false, reason: 'unknown_key' });
  });

  it('the same keys stay the same array object', async () => {
    const remote = createRemoteKeySet({ url: `${source.origin}/jwks`, monotonicClock });
    await remote.load();
    const before = remote.keys;
    await remote.load();
    expect(remote.keys).toBe(before);
    source.answer = json(jwksOf('b'));
    await remote.load();
    expect(remote.keys).not.toBe(before);
    remote.close();
  });
});

/** Ways in which a source of keys can be bad, each with the reason that the event gives. */
const bad: readonly [string, RequestListener][] = [
  ['status', (_, response) => void response.writeHead(301, { location: 'http://127.0.0.1:1/jwks' }).end()],
  ['status', (_, response) => void response.writeHead(500).end()],
  ['status', (_, response) => void response.writeHead(204).end()],
  ['content_type', (_, response) => void response.setHeader('content-type', 'text/html').end('<html>')],
  ['content_type', (_, response) => void response.end(JSON.stringify(jwksOf('a')))],
  [
    'too_large',
    (_, response) => void response.setHeader('content-type', 'application/json').end(' '.repeat(10 * 2 ** 20)),
  ],
  ['malformed', (_, response) => void response.setHeader('content-type', 'application/json').end('{')],
  ['malformed', json([])],
  ['malformed', json({})],
  ['malformed', json({ keys: {} })],
  ['malformed', json({ keys: [null] })],
  ['malformed', json({ keys: Array.from({ length: 101 }, () => ({})) })],
  ['no_usable_key', json({ keys: [] })],
  ['no_usable_key', json({ keys: jwksOf('a').keys.map((jwk) => ({ ...jwk, use: 'enc' })) })],
  ['private_key', json({ keys: [...jwksOf('a').keys, { kty: 'oct', kid: 'o', k: 'AAAA' }] })],
  ['private_key', json({ keys: [...jwksOf('a').keys, { kty: 'oct', kid: 'o' }] })],
  ['private_key', json({ keys: [...jwksOf('a').keys, foreignKey('b').sign?.export({ format: 'jwk' })] })],
  ['private_key', json({ keys: [...jwksOf('a').keys, { kty: 'OKP', crv: 'Ed25519', d: 'AAAA' }] })],
  ['ambiguous_keys', json({ keys: [...jwksOf('a').keys, { ...jwksOf('b').keys[0], kid: 'a' }] })],
  ['ambiguous_keys', json({ keys: jwksOf('a', 'b').keys.map((jwk) => ({ ...jwk, kid: undefined })) })],
  ['network', (request) => void request.socket.destroy()],
  ['timeout', () => undefined],
  ['timeout', (_, response) => void response.writeHead(200, { 'content-type': 'application/json' }).write('{"keys":')],
];

describe('KEY-09 JWT-21 a bad source of keys', () => {
  it.each(bad.map(([reason, answer], index) => ({ reason, answer, index })))(
    'is refused ($index: $reason): 503 without keys, the keys before it with them',
    async ({ reason, answer }) => {
      const good = source.answer;
      source.answer = answer;
      const verifier = verifierOf(reason === 'timeout' ? { timeoutMs: 1_000 } : {});
      const token = tokenOf('a', source.origin);
      await expect(verifier.verify(token)).rejects.toMatchObject({ ...UNAVAILABLE, retryAfterSeconds: 30 });
      expect(reasons()).toEqual([reason]);
      expect(() => verifier.verify(token)).toThrow(expect.objectContaining(UNAVAILABLE));
      expect(jwksHits()).toBe(1);

      source.answer = good;
      time += 30_000;
      expect(await verifier.verify(token)).toMatchObject({ ok: true });
      source.answer = answer;
      time += 601_000;
      expect(verifier.verify(token)).toMatchObject({ ok: true });
      await expect.poll(() => reasons().length).toBe(2);
      expect(verifier.verify(token)).toMatchObject({ ok: true });
      expect(() => verifier.verify(tokenOf('new', source.origin))).toThrow(expect.objectContaining(UNAVAILABLE));
    },
  );

  it('is used on for a day and no longer, and comes back', async () => {
    const verifier = verifierOf();
    const token = tokenOf('a', source.origin);
    await verifier.load();
    const good = source.answer;
    source.answer = (_, response) => void response.writeHead(500).end();
    const start = time;
    time = start + 601_000;
    expect(verifier.verify(token)).toMatchObject({ ok: true });
    await expect.poll(() => reasons()).toEqual(['status']);
    time = start + 86_400_000 + 600_000 - 1;
    expect(verifier.verify(token)).toMatchObject({ ok: true });
    await expect.poll(() => reasons()).toEqual(['status', 'status']);
    time += 30_000;
    await expect(verifier.verify(token)).rejects.toMatchObject(UNAVAILABLE);
    source.answer = good;
    time += 30_000;
    expect(await verifier.verify(token)).toMatchObject({ ok: true });
  });

  it('CLK-02 waits by the monotonic clock, whatever the wall clock does', async () => {
    let wall = Date.now();
    source.answer = (_, response) => void response.writeHead(500).end();
    const verifier = verifierOf({ clock: () => wall });
    const token = tokenOf('a', source.origin);
    await expect(verifier.verify(token)).rejects.toMatchObject(UNAVAILABLE);
    for (const step of [3_600_000, -7_200_000]) {
      wall += step;
      expect(() => verifier.verify(token)).toThrow(expect.objectContaining(UNAVAILABLE));
    }
    expect(jwksHits()).toBe(1);
  });

  it('tells neither a token nor a query of its address in the event', async () => {
    const remote = createRemoteKeySet({ url: `${source.origin}/nowhere?sig=hidden`, monotonicClock });
    source.answer = (_, response) => void response.writeHead(404).end();
    await expect(remote.load()).rejects.toMatchObject(UNAVAILABLE);
    expect(events).toEqual([{ type: 'keys.unavailable', source: `${source.origin}/nowhere`, reason: 'status' }]);
    remote.close();
  });

  it('has no effect on a set that is closed', async () => {
    const verifier = verifierOf();
    await verifier.load();
    verifier.close();
    expect(() => verifier.verify(tokenOf('a', source.origin))).toThrow(expect.objectContaining(UNAVAILABLE));
    await expect(verifier.load()).rejects.toMatchObject(UNAVAILABLE);
  });
});

describe('discovery', () => {
  const metadata = (changes: object): RequestListener =>
    json({ issuer: source.origin, jwks_uri: `${source.origin}/jwks`, ...changes });

  it.each([
    ['issuer', { issuer: 'https://evil.example' }],
    ['issuer', { issuer: undefined }],
    ['address', { jwks_uri: undefined }],
    ['address', { jwks_uri: 'http://keys.example/jwks' }],
    ['address', { jwks_uri: 'file:///etc/passwd' }],
    ['address', { jwks_uri: 'https://user:pw@keys.example/jwks' }],
  ])('refuses metadata with another %s', async (reason, changes) => {
    source.answer = (request, response) => metadata(changes)(request, response);
    const verifier = verifierOf({ discovery: 'oauth-authorization-server' });
    await expect(verifier.load()).rejects.toMatchObject(UNAVAILABLE);
    expect(reasons()).toEqual([reason]);
    expect([...source.hits.keys()]).toEqual(['/.well-known/oauth-authorization-server']);
  });

  it('does not let an issuer elsewhere send us to this machine', async () => {
    const issuer = 'https://login.example.org';
    const asked: string[] = [];
    const fetch = async (url: string): Promise<Response> => {
      asked.push(url);
      return Response.json({ issuer, jwks_uri: `${source.origin}/jwks` });
    };
    await expect(verifierOf({ issuer, fetch }).load()).rejects.toMatchObject(UNAVAILABLE);
    expect(asked).toEqual([`${issuer}/.well-known/openid-configuration`]);
    expect(source.hits.size).toBe(0);
  });

  it.each([
    ['https://a.example', 'openid-configuration', 'https://a.example/.well-known/openid-configuration'],
    ['https://a.example/', 'openid-configuration', 'https://a.example/.well-known/openid-configuration'],
    ['https://a.example/t/1', 'openid-configuration', 'https://a.example/t/1/.well-known/openid-configuration'],
    ['https://a.example/', 'oauth-authorization-server', 'https://a.example/.well-known/oauth-authorization-server'],
    [
      'https://a.example/t/1',
      'oauth-authorization-server',
      'https://a.example/.well-known/oauth-authorization-server/t/1',
    ],
  ] as const)('asks %s for its %s at %s, once', async (issuer, discovery, address) => {
    const asked: string[] = [];
    const fetch = async (url: string): Promise<Response> => {
      asked.push(url);
      return Response.json(url === address ? { issuer, jwks_uri: 'https://keys.example/jwks' } : jwksOf('a'));
    };
    const verifier = verifierOf({ issuer, discovery, fetch });
    await verifier.load();
    await verifier.load();
    expect(asked).toEqual([address, 'https://keys.example/jwks', 'https://keys.example/jwks']);
    expect(verifier.verify(tokenOf('a', issuer))).toMatchObject({ ok: true });
  });

  it('bounds a fetch of the reader’s own that ignores its signal', async () => {
    const verifier = verifierOf({ fetch: () => new Promise(() => undefined), timeoutMs: 20 });
    await expect(verifier.load()).rejects.toMatchObject(UNAVAILABLE);
    expect(reasons()).toEqual(['timeout']);
  });
});

describe('JWT-21 a fetch of the reader’s own', () => {
  it.each([
    ['undefined', () => undefined],
    ['an empty text', () => ''],
    ['an empty buffer', () => Buffer.alloc(0)],
    ['a rejection', () => Promise.reject(new Error('down'))],
    [
      'an answer without a body',
      () => new Response(null, { status: 200, headers: { 'content-type': 'application/json' } }),
    ],
    [
      'an answer from elsewhere',
      () => Object.defineProperty(Response.json(jwksOf('a')), 'redirected', { value: true }),
    ],
    [
      'a throw',
      () => {
        throw new Error('down');
      },
    ],
  ])('that answers with %s is 503, and nobody gets in', async (_, fetch) => {
    const verifier = verifierOf({ url: `${source.origin}/jwks`, fetch: fetch as never });
    await expect(verifier.verify(tokenOf('a', source.origin))).rejects.toMatchObject(UNAVAILABLE);
    expect(reasons()).toHaveLength(1);
  });
});

describe('options that would check nothing', () => {
  const good = { issuer: 'https://login.example.org', audience: 'api' };
  it.each([
    ['issuer', { issuer: undefined }],
    ['issuer', { issuer: /example/g }],
    ['issuer', { issuer: ['https://login.example.org'] }],
    ['issuer', { issuer: 'http://login.example.org' }],
    ['issuer', { issuer: 'https://login.example.org/?x' }],
    ['issuer', { issuer: 'https://login.example.org/#x' }],
    ['issuer', { issuer: 'http://127.0.0.1.evil.example' }],
    ['issuer', { issuer: 'login.example.org' }],
    ['audience', { audience: undefined }],
    ['audience', { audience: '' }],
    ['audience', { audience: [] }],
    ['audience', { audience: /api/y }],
    ['audience', { audience: [/api/g] }],
    ['types', { types: [/jwt/g] }],
    ['types', { types: [] }],
    ['url', { url: 'http://keys.example/jwks' }],
    ['url', { url: 'ftp://127.0.0.1/jwks' }],
    ['url', { url: undefined }],
    ['algorithms', { algorithms: ['HS256'] }],
    ['algorithms', { algorithms: ['none'] }],
    ['algorithms', { algorithms: [] }],
    ['toleranceSeconds', { toleranceSeconds: Number.POSITIVE_INFINITY }],
    ['maxLifetimeSeconds', { maxLifetimeSeconds: Number.NaN }],
    ['cooldownSeconds', { cooldownSeconds: 0 }],
    ['maxAgeSeconds', { maxAgeSeconds: Number.NaN }],
    ['maxStaleSeconds', { maxStaleSeconds: Number.POSITIVE_INFINITY }],
    ['timeoutMs', { timeoutMs: 0 }],
    ['maxBytes', { maxBytes: Number.POSITIVE_INFINITY }],
    ['discovery', { discovery: 'x' }],
    ['fetch', { fetch: 5 }],
    ['issuers', { issuers: [] }],
  ])('JWT-34 a wrong %s is refused: %j', (field, changes) => {
    expect(refusedField(() => createRemoteTokenVerifier({ ...good, ...changes } as never))).toBe(field);
  });

  it('a key set takes either an address or an issuer', () => {
    expect(refusedField(() => createRemoteKeySet({}))).toBe('url');
    expect(refusedField(() => createRemoteKeySet({ url: 'https://a.example/k', issuer: 'https://a.example' }))).toBe(
      'url',
    );
    expect(
      refusedField(() => createRemoteKeySet({ url: 'https://a.example/k', secret: secretKey(SECRET) } as never)),
    ).toBe('secret');
  });
});
