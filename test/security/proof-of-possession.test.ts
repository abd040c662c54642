import { type Caller, environmentSource } from 'doorward';
import { createApiKeys } from 'doorward/api-keys';
import { createGate, json } from 'doorward/http';
import { createRemoteTokenVerifier } from 'doorward/jwks';
import { contractRoles } from 'doorward/rbac';
import { createMemoryApiKeyStore } from 'doorward/stores/memory';
import { afterEach, describe, expect, it } from 'vitest';
import { type Desk, openDesk, PASSWORD } from '../http/support.ts';
import { AUDIENCE, json as answering, jwksOf, startSource, tokenOf } from '../jwks/source.ts';
import { bearerPayload, openHall } from '../use/sockets-support.ts';

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const PROOF = 'e30.e30.c2ln';
const dpop = { proof: PROOF, method: 'GET', url: 'http://localhost/me' };
const caller: Caller = { ip: '192.0.2.7', requestId: 'r-1', dpop };

async function deskWithToken(): Promise<{ desk: Desk; token: string }> {
  const desk = await openDesk();
  closers.push(desk.close);
  const { accessToken } = await desk.accounts.login({ username: 'Ada', password: PASSWORD });
  return { desk, token: accessToken };
}

describe('a token that is bound to no key, under the scheme DPoP', () => {
  it('OAU-39 is refused when it is a login token', async () => {
    const { desk, token } = await deskWithToken();
    expect(await desk.accounts.authenticate(token, caller)).toEqual({ ok: false, reason: 'confirmation' });
    expect(await desk.accounts.authenticate(token, { ip: '192.0.2.7' })).toMatchObject({ ok: true });
    const headers = { authorization: `DPoP ${token}`, dpop: PROOF };
    const refused = await desk.call('GET', '/me', { headers });
    expect(refused.status).toBe(401);
    expect(refused.headers.get('www-authenticate')).toBe('DPoP error="invalid_token", algs="ES256 RS256 PS256"');
    const lettingIn = await desk.call('GET', '/me', { headers: { authorization: `Bearer ${token}`, dpop: PROOF } });
    expect(lettingIn.status).toBe(200);
  });

  it('OAU-39 refreshes no session', async () => {
    const { desk, token } = await deskWithToken();
    const headers = { authorization: `DPoP ${token}`, dpop: PROOF };
    expect((await desk.call('POST', '/refresh', { headers })).status).toBe(401);
    expect(await desk.accounts.authenticate(token)).toMatchObject({ ok: true });
  });

  it('OAU-39 is refused when it is an API key', async () => {
    const apiKeys = createApiKeys({
      store: createMemoryApiKeyStore(),
      subjectOf: () => ({ id: 'u-ada', roles: ['viewer'], attributes: {} }),
      scopes: ['create'],
    });
    const { key } = await apiKeys.create({ accountId: 'u-ada', name: 'nightly', scopes: ['create'] });
    expect(await apiKeys.authenticate(key, caller)).toEqual({ ok: false, reason: 'confirmation' });
    expect(await apiKeys.authenticate(key)).toMatchObject({ ok: true });
  });

  it('OAU-39 is refused when another issuer signed it, and so is a bound one, whose proof nobody checks', async () => {
    const source = await startSource(answering(jwksOf('a')));
    closers.push(source.close);
    const remote = createRemoteTokenVerifier({ issuer: source.origin, audience: AUDIENCE });
    closers.push(async () => remote.close());
    for (const claims of [{}, { cnf: { jkt: 'key' } }]) {
      const token = tokenOf('a', source.origin, claims);
      expect(await remote.verify(token, caller)).toEqual({ ok: false, reason: 'confirmation' });
    }
    expect(await remote.verify(tokenOf('a', source.origin))).toMatchObject({ ok: true });
  });
});

describe('a service with a certificate', () => {
  it('is not asked for when a token came under the scheme DPoP', async () => {
    const service = { id: 'service:billing', roles: ['viewer'], attributes: {} };
    const gate = createGate({
      authenticate: () => ({ ok: false, reason: 'none' }),
      authenticateCaller: () => ({ ok: true, principal: service }),
      pdp: contractRoles,
      environment: environmentSource(),
    });
    const handler = gate.authenticated(() => json(200, {}));
    const statusWith = async (headers: Record<string, string>) =>
      (await handler(new Request('http://localhost/', { headers }), { requestId: 'r-1' })).status;
    expect(await statusWith({})).toBe(200);
    for (const authorization of ['DPoP x', 'DPoP', 'DPoP x y']) {
      expect(await statusWith({ authorization, dpop: PROOF })).toBe(401);
    }
  });
});

describe('a socket', () => {
  it('OAU-39 takes no token of the scheme DPoP', async () => {
    const hall = await openHall();
    closers.push(() => hall.close());
    const token = await hall.token();
    const refused = await hall.connect({ payload: { authorization: `DPoP ${token}`, dpop: PROOF } });
    expect(await refused.closed).toBe(4403);
    const admitted = await hall.connect({ payload: bearerPayload(token) });
    await admitted.until('connection_ack');
    expect(admitted.received).toMatchObject([{ type: 'connection_ack' }]);
  });
});
