import { environmentSource } from 'doorward';
import { accountRoutes, createGate, createRouter, json } from 'doorward/http';
import { contractRoles } from 'doorward/rbac';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openDesk } from '../http/support.ts';
import { bearerPayload, openHall } from '../use/sockets-support.ts';
import { API, createProver, createResourceWorld, INFO } from './support/resource-world.ts';

/** Access tokens of an authorization server at a gate, with the routes of accounts behind it. */
async function openGate() {
  const world = createResourceWorld();
  const desk = await openDesk();
  onTestFinished(desk.close);
  const gate = createGate({
    authenticate: world.authenticate,
    pdp: contractRoles,
    environment: environmentSource({ clock: () => world.time.now }),
  });
  const handler = createRouter({
    ...accountRoutes(desk.accounts, gate),
    'GET /posts': gate.authenticated((_request, _info, { principal }) => json(200, { id: principal.id })),
  });
  const ask = async (path: string, headers: Record<string, string>) => {
    const response = await handler(new Request(API + path, { headers }), INFO);
    return [response.status, response.headers.get('www-authenticate'), await response.json()];
  };
  return { world, ask };
}

describe('a token that is bound to a key, at a gate', () => {
  it('OAU-39 is good with a proof, once, and never as a bearer token', async () => {
    const { world, ask } = await openGate();
    const { thumbprint, prove } = await createProver();
    const { token } = await world.issue({ claims: { cnf: { jkt: thumbprint } } });
    const headers = { authorization: `DPoP ${token}`, dpop: await prove({ accessToken: token }) };
    const refused = { error: 'Not authenticated' };
    const challenge = 'DPoP error="invalid_token", algs="ES256 RS256 PS256"';
    expect(await ask('/posts', headers)).toEqual([200, null, { id: 'id-ada' }]);
    expect(await ask('/posts', headers)).toEqual([401, challenge, refused]);
    const stolen = { authorization: `Bearer ${token}`, dpop: await prove({ accessToken: token }) };
    expect(await ask('/posts', stolen)).toEqual([401, 'Bearer error="invalid_token"', refused]);
  });

  it('OAU-39 opens no socket, where no proof can come along', async () => {
    const { world } = await openGate();
    const { thumbprint, prove } = await createProver();
    const hall = await openHall({ authenticate: world.authenticate });
    onTestFinished(hall.close);
    // A socket ends with its token, by the clock of the hall.
    world.time.now = hall.desk.clock.now;
    const bound = await world.issue({ claims: { cnf: { jkt: thumbprint } } });
    const plain = await world.issue();
    const claims = { iat: world.time.now / 1_000 };
    const dpop = await prove({ accessToken: bound.token, claims });
    for (const payload of [bearerPayload(bound.token), { authorization: `DPoP ${bound.token}`, dpop }]) {
      expect(await (await hall.connect({ payload })).closed).toBe(4403);
    }
    await (await hall.connect({ payload: bearerPayload(plain.token) })).until('connection_ack');
  });
});

describe('GET /me of a client that acts for itself', () => {
  it.each(['/me', '/users/me'])('is 403 at %s', async (path) => {
    const { world, ask } = await openGate();
    const { token } = await world.issue({ clientId: 'batch', scope: 'create' });
    expect(await ask(path, { authorization: `Bearer ${token}` })).toEqual([
      403,
      'Bearer error="insufficient_scope"',
      { error: 'Forbidden', message: 'Requires an account' },
    ]);
  });

  it('is 401 for an account that has gone since its token was checked', async () => {
    const { world, ask } = await openGate();
    const { token } = await world.issue();
    const [status, challenge] = await ask('/me', { authorization: `Bearer ${token}` });
    expect([status, challenge]).toEqual([401, 'Bearer error="invalid_token"']);
  });
});
