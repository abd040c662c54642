import type { OnceStore } from 'doorward';
import { createGate, json } from 'doorward/http';
import {
  type AuthorizationServer,
  type ClientMetadata,
  createClientRegistry,
  createDpopVerifier,
  type DpopSubject,
} from 'doorward/oauth';
import { contractRoles } from 'doorward/rbac';
import { createMemoryOnceStore } from 'doorward/stores/memory';
import { fixedClock } from 'doorward/testing';
import { privateKey, publicKey } from 'doorward/tokens';
import { calculateJwkThumbprint } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { heardEvents } from '../audit/heard-events.ts';
import { type Ada, openAda } from '../mtls/open-ada.ts';
import { type ClientKey, ecKey, forge, proofClaims, proofHeader, rsaKey } from '../oauth/support/proofs.ts';
import { createServer } from './oauth-support.ts';

const START = Date.UTC(2026, 10, 21, 12);
const issuer = 'https://login.example.org';
const tokenUrl = `${issuer}/oauth/token`;
const secret = 'Yk3vT8qLrW5nZ1xC7bM9pS2dF6gH4jK0';
const resource = 'https://api.example.org';
const about = { method: 'GET', url: `${resource}/posts`, accessToken: 'an.access.token' };
const key = ecKey();
const thief = ecKey();
const rsa = rsaKey('RS256');
const signing = privateKey(rsa.privateKey, { kid: 'k1' });
const thumbprintOf = (of: ClientKey) => calculateJwkThumbprint(of.jwk as Parameters<typeof calculateJwkThumbprint>[0]);

const proofOf = (subject: DpopSubject, of: ClientKey = key, now = START, changes: object = {}) =>
  forge(of, proofHeader(of), { ...proofClaims(now, subject), ...changes });

function countingOnce(): OnceStore & { readonly keys: string[] } {
  const store = createMemoryOnceStore();
  const keys: string[] = [];
  return {
    keys,
    once: (name, expiresAt, now) => {
      keys.push(name);
      return store.once(name, expiresAt, now);
    },
  };
}

describe('a verifier that is told the key of the token', () => {
  const open = (once: OnceStore = createMemoryOnceStore()) => createDpopVerifier({ once, clock: fixedClock(START) });

  it('takes a proof of that key', async () => {
    const subject = { ...about, thumbprint: await thumbprintOf(key) };
    expect(await open().verify(proofOf(about), subject)).toEqual({ ok: true, thumbprint: subject.thumbprint });
  });

  it('refuses those of a thief and remembers none of them: they would fill the store', async () => {
    const once = countingOnce();
    const subject = { ...about, thumbprint: await thumbprintOf(key) };
    expect(await open(once).verify(proofOf(about, thief), subject)).toEqual({ ok: false, reason: 'other_key' });
    expect(once.keys).toEqual([]);
  });

  it('does not take any key for that of a token without one', async () => {
    const subject = { ...about, thumbprint: undefined } as unknown as DpopSubject;
    expect(await open().verify(proofOf(about, thief), subject)).toEqual({ ok: false, reason: 'other_key' });
  });

  it('tells in the event where the proof came from', async () => {
    const events = heardEvents();
    await open().verify('no proof', { ...about, caller: { ip: '192.0.2.7', requestId: 'r-7' } });
    expect(events).toEqual([{ type: 'proof.rejected', reason: 'malformed', ip: '192.0.2.7', requestId: 'r-7' }]);
  });

  it('is not content with two addresses that only look alike: an escape that is none stays what it is', async () => {
    const proof = proofOf({ ...about, url: `${resource}/a%2%46b` });
    expect(await open().verify(proof, { ...about, url: `${resource}/a%2Fb` })).toEqual({
      ok: false,
      reason: 'address',
    });
  });

  it('does not take a proof without a method where its caller forgot the method', async () => {
    const proof = proofOf(about, key, START, { htm: undefined });
    const subject = { ...about, method: undefined } as unknown as DpopSubject;
    expect(await open().verify(proof, subject)).toEqual({ ok: false, reason: 'method' });
  });
});

describe('at a server', () => {
  let ada: Ada;
  let server: AuthorizationServer;
  let once: ReturnType<typeof countingOnce>;
  const registration: ClientMetadata = {
    ...{ client_id: 'batch', token_endpoint_auth_method: 'client_secret_basic', client_secret: secret },
    ...{ grant_types: ['client_credentials'], scope: 'create', roles: ['editor'] },
  };
  const signer: ClientMetadata = {
    ...{ client_id: 'signer', token_endpoint_auth_method: 'private_key_jwt', scope: 'create' },
    ...{ grant_types: ['client_credentials'], jwks: { keys: [key.jwk] } },
  };

  beforeAll(async () => {
    ada = await openAda();
    once = countingOnce();
    server = createServer({
      issuer,
      resource,
      accounts: ada.accounts,
      clients: createClientRegistry([registration, signer, { ...signer, client_id: 'twin' }]),
      once,
      keys: { keys: [signing], active: signing },
    });
  });
  afterAll(() => ada.close());

  const post = async (fields: Record<string, string>, headers: Record<string, string> = {}) => {
    const body = new URLSearchParams({ grant_type: 'client_credentials', ...fields });
    const request = new Request(tokenUrl, { method: 'POST', body, headers });
    const response = await server.handler(request, { requestId: 'r-1', ip: '192.0.2.1' });
    return { status: response.status, body: (await response.json()) as Record<string, string> };
  };
  const authorization = `Basic ${Buffer.from(`batch:${secret}`).toString('base64')}`;

  async function boundToken(): Promise<{ token: string; proof: string }> {
    const proof = proofOf({ method: 'POST', url: tokenUrl }, key, Date.now());
    const { status, body } = await post({}, { authorization, dpop: proof });
    expect([status, body.token_type]).toEqual([200, 'DPoP']);
    return { token: body.access_token ?? '', proof };
  }

  const callerWith = (proof: string, url = about.url) => ({
    ...{ ip: '192.0.2.9', requestId: 'r-9' },
    dpop: { proof, method: 'GET', url },
  });

  it('a stolen token with proofs of the thief fills no store, and both refusals tell where they came from', async () => {
    const { token } = await boundToken();
    const before = once.keys.length;
    const events = heardEvents();
    const proof = proofOf({ ...about, accessToken: token }, thief, Date.now());
    expect(await server.authenticate(token, callerWith(proof))).toEqual({ ok: false, reason: 'confirmation' });
    expect(once.keys).toHaveLength(before);
    expect(events).toEqual([
      { type: 'proof.rejected', reason: 'other_key', ip: '192.0.2.9', requestId: 'r-9' },
      { type: 'token.rejected', reason: 'confirmation', ip: '192.0.2.9', requestId: 'r-9' },
    ]);
  });

  it('a bad proof at the token endpoint tells where it came from', async () => {
    const events = heardEvents();
    expect((await post({}, { authorization, dpop: 'no' })).body.error).toBe('invalid_dpop_proof');
    expect(events).toEqual([{ type: 'proof.rejected', reason: 'malformed', ip: '192.0.2.1', requestId: 'r-1' }]);
  });

  it('a proof of one endpoint is none at another, whichever way it is carried', async () => {
    const { token, proof } = await boundToken();
    expect(await server.authenticate(token, callerWith(proof))).toMatchObject({ ok: false });
    expect(await server.authenticate(token, callerWith(proof, tokenUrl))).toMatchObject({ ok: false });
    const forResource = proofOf({ ...about, accessToken: token }, key, Date.now());
    expect((await post({}, { authorization, dpop: forResource })).body.error).toBe('invalid_dpop_proof');
    expect(await server.authenticate(token, callerWith(forResource))).toMatchObject({ ok: true });
    expect(await server.authenticate(token, callerWith(forResource))).toMatchObject({ ok: false });
  });

  it.each(['https://evil.example/posts', `${resource}@evil.example/posts`, 'http://127.0.0.1:8080/posts'])(
    'the host that a request claims counts for nothing: %s',
    async (url) => {
      const { token } = await boundToken();
      const proof = proofOf({ method: 'GET', url, accessToken: token }, key, Date.now());
      expect(await server.authenticate(token, callerWith(proof, url))).toMatchObject({ ok: false });
    },
  );

  it('a token of another issuer, whose proof nobody has checked, is not adopted under the scheme DPoP', async () => {
    const iat = Math.floor(Date.now() / 1_000);
    const claims = { iss: 'https://other.example.org', sub: 'eve', iat, exp: iat + 60 };
    const { dpop } = callerWith('a.b.c');
    expect(await ada.accounts.adopt(claims, { dpop })).toEqual({ ok: false, reason: 'confirmation' });
    expect(await ada.accounts.adopt(claims, {})).toMatchObject({ ok: true });
  });

  it('a name that was used for one thing is used for all of them', async () => {
    const { token } = await boundToken();
    const jti = 'one-name';
    const first = proofOf({ method: 'POST', url: tokenUrl }, key, Date.now(), { jti });
    expect((await post({}, { authorization, dpop: first })).status).toBe(200);
    const second = proofOf({ ...about, accessToken: token }, key, Date.now(), { jti });
    expect(await server.authenticate(token, callerWith(second))).toMatchObject({ ok: false, reason: 'dpop_proof' });
  });

  describe('an assertion', () => {
    const type = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
    const now = () => Math.floor(Date.now() / 1_000);
    const claims = (changes: object = {}) => ({
      ...{ iss: 'signer', sub: 'signer', aud: issuer, exp: now() + 60, jti: crypto.randomUUID() },
      ...changes,
    });
    const send = async (assertion: string, more: Record<string, string> = {}) =>
      (await post({ client_assertion: assertion, client_assertion_type: type, ...more })).status;

    it('is taken as it should be', async () => {
      expect(await send(forge(key, { alg: 'ES256' }, claims()))).toBe(200);
    });

    it.each<[string, object, object]>([
      ['for another server', {}, { aud: 'https://other.example.org' }],
      ['for this server with a slash', {}, { aud: `${issuer}/` }],
      ['for this server and another', {}, { aud: [issuer, 'https://other.example.org'] }],
      ['for nobody', {}, { aud: [] }],
      ['of another subject', {}, { sub: 'twin' }],
      ['of another issuer', {}, { iss: 'twin' }],
      ['that never ends', {}, { exp: undefined }],
      ['that ends next year', {}, { exp: Math.floor(Date.now() / 1_000) + 31_536_000 }],
      ['without a name', {}, { jti: undefined }],
      ['that is an access token', { typ: 'at+jwt' }, {}],
      ['that is a DPoP proof', { typ: 'dpop+jwt' }, {}],
      ['with a key of its own', { jwk: thief.jwk, kid: 'mine' }, {}],
      ['of the algorithm none', { alg: 'none' }, {}],
      ['of a shared secret', { alg: 'HS256' }, {}],
    ])('%s is refused', async (_name, header, changes) => {
      expect(await send(forge(key, { alg: 'ES256', ...header }, claims(changes)))).toBe(401);
    });

    it('is good once, and its name once for each client', async () => {
      const jti = 'same-for-both';
      const mine = forge(key, { alg: 'ES256' }, claims({ jti }));
      const theirs = forge(key, { alg: 'ES256' }, claims({ jti, iss: 'twin', sub: 'twin' }));
      expect([await send(mine), await send(mine), await send(theirs)]).toEqual([200, 401, 200]);
    });

    it('is no access token, and an access token is none', async () => {
      const assertion = forge(key, { alg: 'ES256' }, claims());
      expect(await server.authenticate(assertion)).toMatchObject({ ok: false });
      const { body } = await post({}, { authorization });
      expect(await send(body.access_token ?? '')).toBe(401);
    });
  });
});

describe('a registration', () => {
  const spa = (changes: object) =>
    createClientRegistry([
      {
        ...{ client_id: 'spa', token_endpoint_auth_method: 'none', scope: '' },
        ...{ redirect_uris: ['https://app.example.org/cb'], ...changes },
      } as ClientMetadata,
    ]);

  it('cannot be widened by who holds it', () => {
    const { clients } = spa({ grant_types: ['authorization_code'] });
    const [client] = clients;
    const grantTypes = client?.grantTypes as unknown as { add?: (name: string) => void; push?: (name: string) => void };
    expect(() => (grantTypes.add ?? grantTypes.push)?.call(grantTypes, 'client_credentials')).toThrow(TypeError);
    expect([...(client?.grantTypes ?? [])]).toEqual(['authorization_code']);
  });

  it('binds its tokens to one key: two bindings would let nobody in', () => {
    const both = { tls_client_certificate_bound_access_tokens: true, dpop_bound_access_tokens: true };
    const field = 'clients[0].dpop_bound_access_tokens';
    expect(() => spa(both)).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID', field }));
  });

  it.each([
    'https://app.example.org\\@evil.example/cb',
    'https://app.example.org@evil.example/cb',
    'https://@app.example.org/cb',
    'https:app.example.org/cb',
    'https://app.example.org:443/cb',
    'https://APP.example.org/cb',
    'https://bücher.example/cb',
    'https://app.example.org/%2e%2e/cb',
    'https://app.example.org/cb?%63ode=1',
    'http://127.1/cb',
    'http://0x7f.1/cb',
    'http://2130706433/cb',
    'http://[::ffff:127.0.0.1]/cb',
    'http://localhost./cb',
    'http://localhost.evil.example/cb',
    'http://127.0.0.1.evil.example/cb',
    'javascript:alert(1)',
    'data:text/html,x',
    'JavaScript:alert(1)',
    'blob:https://app.example.org/1',
    'javascript.:alert(1)',
    '.data:x',
  ])('OAU-05 sends nobody to %s', (uri) => {
    for (const application_type of ['web', 'native']) {
      expect(() => spa({ redirect_uris: [uri], application_type })).toThrow(
        expect.objectContaining({ code: 'CONFIG_INVALID' }),
      );
    }
  });
});

it.each(['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth'])('a JWK with the private member %s is no public key', (name) => {
  expect(() => publicKey({ ...rsa.jwk, [name]: 'AQAB' })).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
});

describe('a gate', () => {
  const principal = { id: 'ada', roles: ['viewer'], attributes: {} };
  const gate = createGate({ authenticate: () => ({ ok: true, principal }), pdp: contractRoles });
  const handler = gate.authenticated(() => json(200, {}));
  const statusAt = async (url: string) => {
    const request = new Request(url, { headers: { authorization: 'Bearer a.b.c' } });
    return (await handler(request, { requestId: 'r-1' })).status;
  };

  it.each([
    'access_token=x',
    'access_token',
    'a=1&access_token=x',
    '%61ccess_token=x',
    'access%5Ftoken=x',
    'access%5ftoken',
  ])('does not choose between its token and that of the query %s', async (query) => {
    expect(await statusAt(`${resource}/posts?${query}`)).toBe(400);
  });

  it.each(['', 'q=access_token', 'q=100%25', 'my_access_token=x', 'a+access_token=x'])(
    'is not misled by the query %s',
    async (query) => {
      expect(await statusAt(`${resource}/posts?${query}`)).toBe(200);
    },
  );
});
