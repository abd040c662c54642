import { DoorwardError } from 'doorward';
import { describe, expect, it } from 'vitest';
import {
  createProver,
  createResourceWorld,
  INFO,
  ISSUER,
  REPORTS,
  type ResourceWorld,
} from './support/resource-world.ts';

const USERINFO = `${ISSUER}/oauth/userinfo`;

async function ask(world: ResourceWorld, headers: Record<string, string> = {}, method = 'GET', url = USERINFO) {
  const response = await world.userinfo(new Request(url, { method, headers }), INFO);
  const body: Record<string, unknown> = await response.json();
  return {
    status: response.status,
    headers: response.headers,
    body,
    challenge: response.headers.get('www-authenticate'),
  };
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

describe('userinfo', () => {
  it.each([
    ['openid', { sub: 'id-ada' }],
    ['openid profile', { sub: 'id-ada', preferred_username: 'Ada' }],
    ['openid email', { sub: 'id-ada', email: 'ada@example.org', email_verified: false }],
    ['openid create', { sub: 'id-ada' }],
  ])('tells with the scope %s what that scope is for', async (scope, claims) => {
    const world = createResourceWorld();
    const { token } = await world.issue({ scope });
    for (const method of ['GET', 'POST']) {
      const { status, headers, body } = await ask(world, bearer(token), method);
      expect({ status, body }).toEqual({ status: 200, body: claims });
      expect(headers.get('content-type')).toMatch(/^application\/json/);
      expect(headers.get('cache-control')).toBe('no-store');
    }
  });

  it('tells of no address that the account has not', async () => {
    const world = createResourceWorld();
    const { email: _, ...without } = world.accounts.get('id-ada') ?? { email: '' };
    world.accounts.set('id-ada', without as never);
    expect((await ask(world, bearer((await world.issue({ scope: 'openid email' })).token))).body).toEqual({
      sub: 'id-ada',
    });
  });

  it('has the subject that tokens have', async () => {
    const world = createResourceWorld({ settings: { subject: 'username' } });
    const { token } = await world.issue({ claims: { sub: 'Ada' } });
    expect((await ask(world, bearer(token))).body).toEqual({ sub: 'Ada' });
  });

  it('takes a token for any resource of the server', async () => {
    const world = createResourceWorld();
    expect((await ask(world, bearer((await world.issue({ aud: REPORTS })).token))).status).toBe(200);
    expect((await ask(world, bearer((await world.issue({ aud: 'https://other.example.org' })).token))).status).toBe(
      401,
    );
  });

  it('asks for a token without naming an error, and without an event', async () => {
    const world = createResourceWorld();
    const { status, headers, body, challenge } = await ask(world);
    expect({ status, body, challenge }).toEqual({
      status: 401,
      body: { error: 'Not authenticated' },
      challenge: 'Bearer',
    });
    expect(headers.get('cache-control')).toBe('no-store');
    expect(world.audit).toEqual([]);
  });

  it('never looks for a token in the query or in the body', async () => {
    const world = createResourceWorld();
    const { token } = await world.issue();
    const query = await ask(world, {}, 'GET', `${USERINFO}?access_token=${token}`);
    expect([query.status, query.challenge]).toEqual([401, 'Bearer']);
    const body = new URLSearchParams({ access_token: token });
    const response = await world.userinfo(new Request(USERINFO, { method: 'POST', body }), INFO);
    expect([response.status, response.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
  });

  it.each(['Bearer a.b.c', 'Bearer', 'Basic YTpi', 'Bearer a, Bearer b', 'bearer  x y', 'DPoPx a'])(
    'refuses %j with invalid_token and one event',
    async (authorization) => {
      const world = createResourceWorld();
      const { status, body, challenge } = await ask(world, { authorization });
      expect({ status, body, challenge }).toEqual({
        status: 401,
        body: { error: 'Not authenticated' },
        challenge: 'Bearer error="invalid_token"',
      });
      expect(world.audit).toEqual([{ type: 'token.rejected', reason: 'malformed', ip: '192.0.2.1', requestId: 'r1' }]);
    },
  );

  it('refuses tokens that were revoked, and id tokens', async () => {
    const world = createResourceWorld();
    const { token } = await world.issue();
    await world.revoke(token);
    expect((await ask(world, bearer(token))).challenge).toBe('Bearer error="invalid_token"');
    expect((await ask(world, bearer((await world.issue({ typ: 'JWT' })).token))).status).toBe(401);
  });

  it.each([
    ['was not given the scope openid', { scope: 'create' }],
    ['is of a client that acts for itself', { clientId: 'batch', scope: 'create' }],
  ])('is closed to a token that %s', async (_, changes) => {
    const world = createResourceWorld();
    const { status, body, challenge } = await ask(world, bearer((await world.issue(changes)).token));
    expect({ status, body, challenge }).toEqual({
      status: 403,
      body: { error: 'Forbidden', message: 'Requires scope: openid' },
      challenge: 'Bearer error="insufficient_scope", scope="openid"',
    });
  });

  it('is 503 when a store fails', async () => {
    const down = () => Promise.reject(new DoorwardError('SERVICE_UNAVAILABLE'));
    const world = createResourceWorld({ grants: (grants) => ({ ...grants, find: down }) });
    const { token } = await world.issue();
    expect((await ask(world, bearer(token))).status).toBe(503);
  });
});

describe('userinfo with a token that is bound to a key', () => {
  const refused = 'DPoP error="invalid_token", algs="ES256 RS256 PS256"';
  const badProof = 'DPoP error="invalid_dpop_proof", algs="ES256 RS256 PS256"';

  it.each(['DPoP', 'dpop'])('takes it with the scheme %s and a proof for this address, once', async (scheme) => {
    const world = createResourceWorld();
    const { thumbprint, prove } = await createProver();
    const { token } = await world.issue({ claims: { cnf: { jkt: thumbprint } } });
    const dpop = await prove({ accessToken: token, url: USERINFO });
    const headers = { authorization: `${scheme} ${token}`, dpop };
    expect((await ask(world, headers, 'GET', 'http://10.0.0.1/oauth/userinfo')).status).toBe(200);
    expect(await ask(world, headers)).toMatchObject({ status: 401, challenge: badProof });
  });

  it.each([
    ['for another address', { url: `${ISSUER}/other` }],
    ['for another method', { method: 'POST' }],
    ['for another token', { accessToken: 'other' }],
  ])('refuses a proof %s', async (_, changes) => {
    const world = createResourceWorld();
    const { thumbprint, prove } = await createProver();
    const { token } = await world.issue({ claims: { cnf: { jkt: thumbprint } } });
    const dpop = await prove({ accessToken: token, url: USERINFO, ...changes });
    expect(await ask(world, { authorization: `DPoP ${token}`, dpop })).toMatchObject({
      status: 401,
      challenge: badProof,
    });
  });

  it('refuses it without a proof, with two, as a bearer token, and by another key', async () => {
    const world = createResourceWorld();
    const [holder, thief] = [await createProver(), await createProver()];
    const { token } = await world.issue({ claims: { cnf: { jkt: holder.thumbprint } } });
    const proof = () => holder.prove({ accessToken: token, url: USERINFO });
    const authorization = `DPoP ${token}`;
    expect((await ask(world, { authorization })).challenge).toBe(badProof);
    expect((await ask(world, { authorization, dpop: `${await proof()}, ${await proof()}` })).challenge).toBe(badProof);
    expect((await ask(world, { ...bearer(token), dpop: await proof() })).challenge).toBe(
      'Bearer error="invalid_token"',
    );
    const stolen = await thief.prove({ accessToken: token, url: USERINFO });
    expect((await ask(world, { authorization, dpop: stolen })).challenge).toBe(refused);
  });

  it('refuses any other token under the scheme DPoP', async () => {
    const world = createResourceWorld();
    const { prove } = await createProver();
    const { token } = await world.issue();
    const dpop = await prove({ accessToken: token, url: USERINFO });
    expect(await ask(world, { authorization: `DPoP ${token}`, dpop })).toMatchObject({
      status: 401,
      challenge: refused,
    });
  });

  it('names the scheme that was used when the scope is missing', async () => {
    const world = createResourceWorld();
    const { thumbprint, prove } = await createProver();
    const { token } = await world.issue({ scope: 'create', claims: { cnf: { jkt: thumbprint } } });
    const dpop = await prove({ accessToken: token, url: USERINFO });
    const { status, challenge } = await ask(world, { authorization: `DPoP ${token}`, dpop });
    expect([status, challenge]).toEqual([
      403,
      'DPoP error="insufficient_scope", scope="openid", algs="ES256 RS256 PS256"',
    ]);
  });
});
