import { generateKeyPairSync } from 'node:crypto';
import { type Caller, DoorwardError } from 'doorward';
import { createKeyring, createTokenIssuer, privateKey, secretKey } from 'doorward/tokens';
import { describe, expect, it } from 'vitest';
import {
  API,
  clientOf,
  createProver,
  createResourceWorld,
  INFO,
  ISSUER,
  REPORTS,
  type ResourceWorld,
  SECRET,
  START,
  signingKey,
  type TokenChanges,
} from './support/resource-world.ts';

const stranger = generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey;
const certificate = (thumbprint: string): Caller => ({
  ...INFO,
  certificate: { thumbprint, subject: {}, names: [], notAfter: START + 1e9 },
});

/** Why a token is refused, after seeing that exactly one event says so, and where. */
async function reasonOf(world: ResourceWorld, token: string, caller: Caller = INFO): Promise<string | undefined> {
  const before = world.audit.length;
  const answer = await world.authenticate(token, caller);
  const events = world.audit.slice(before).filter(({ type }) => type === 'token.rejected');
  if (answer.ok) return events.length === 0 ? undefined : 'an event too many';
  expect(events).toEqual([{ type: 'token.rejected', reason: answer.reason, ip: '192.0.2.1', requestId: 'r1' }]);
  return answer.reason;
}

describe('an access token', () => {
  it('becomes the principal of its account, with the roles of now and the scopes of the token', async () => {
    const world = createResourceWorld();
    const { token, sid } = await world.issue({ scope: 'openid create', claims: { roles: ['admin'] } });
    const ada = world.accounts.get('id-ada');
    if (ada) world.accounts.set('id-ada', { ...ada, roles: ['editor'] });
    expect(await world.authenticate(token, INFO)).toEqual({
      ok: true,
      principal: {
        id: 'id-ada',
        roles: ['editor'],
        scopes: ['openid', 'create'],
        attributes: { username: 'Ada', email: 'ada@example.org' },
        session: {
          id: sid,
          tokenId: expect.stringMatching(/^[\w-]{22}$/),
          authTime: START / 1_000,
          amr: ['pwd'],
          acr: 'aal1',
          clientId: 'spa',
          expiresAt: START / 1_000 + 3_600,
        },
      },
    });
  });

  it('of a client that acts for itself has its roles and no login', async () => {
    const world = createResourceWorld();
    const { token, sid } = await world.issue({ clientId: 'batch', scope: 'create' });
    const answer = await world.authenticate(token);
    expect(answer).toMatchObject({
      ok: true,
      principal: {
        id: 'client:batch',
        roles: ['editor'],
        scopes: ['create'],
        attributes: { clientId: 'batch' },
        session: { id: sid, authTime: 0, amr: [], clientId: 'batch' },
      },
    });
    expect(answer.ok && Object.hasOwn(answer.principal.session ?? {}, 'acr')).toBe(false);
  });

  const forged: readonly (readonly [string, TokenChanges, string])[] = [
    ['is an id token', { typ: 'JWT' }, 'type'],
    ['is of another issuer', { issuer: 'https://evil.example.org' }, 'issuer'],
    ['a stranger signed', { key: stranger }, 'signature'],
    ['is for another resource of this server', { aud: REPORTS }, 'audience'],
    ['is for a resource that is none', { aud: 'https://other.example.org' }, 'audience'],
    ['has an audience that the grant has not', { aud: [API, REPORTS], grant: { audience: [API] } }, 'audience'],
    ['names no session', { claims: { sid: undefined } }, 'no_session'],
    ['names another session', { claims: { sid: 'other' } }, 'session_ended'],
    ['names no client', { claims: { client_id: undefined } }, 'unknown_client'],
    ['names an unknown client', { claims: { client_id: 'nobody' } }, 'unknown_client'],
    ['names a property of every object as its client', { claims: { client_id: '__proto__' } }, 'unknown_client'],
    ['names another client', { claims: { client_id: 'web' } }, 'other_client'],
    ['names another subject', { claims: { sub: 'id-eve' } }, 'other_subject'],
    ['names another account', { claims: { uid: 'id-eve' } }, 'other_subject'],
    ['names no account', { claims: { uid: undefined } }, 'other_subject'],
    ['OAU-37 calls itself a client', { claims: { sub: 'client:spa', uid: undefined } }, 'other_subject'],
    [
      'OAU-37 of a client calls itself an account',
      { clientId: 'batch', scope: 'create', claims: { sub: 'id-ada', uid: 'id-ada' } },
      'other_subject',
    ],
    ['has more scopes than its grant', { claims: { scope: 'openid create delete' } }, 'scope'],
    ['has scopes that are no text', { claims: { scope: ['create'] } }, 'scope'],
    ['is bound in a way that nobody checks', { claims: { cnf: { kid: 'k' } } }, 'confirmation'],
    ['is bound in two ways', { claims: { cnf: { jkt: 'a', 'x5t#S256': 'a' } } }, 'confirmation'],
    ['is bound to nothing', { claims: { cnf: {} } }, 'confirmation'],
    ['is bound to null', { claims: { cnf: null } }, 'confirmation'],
  ];
  it.each(forged)('that %s is refused', async (_, changes, reason) => {
    const world = createResourceWorld();
    expect(await reasonOf(world, (await world.issue(changes)).token)).toBe(reason);
  });

  it.each(['', 'a.b.c', 'x'.repeat(9_000), '\u0000'])('is not %j', async (text) => {
    expect(await reasonOf(createResourceWorld(), text)).toMatch(/^(malformed|too_large)$/);
  });

  it('is refused when it has ended, to the second', async () => {
    const world = createResourceWorld();
    const { token } = await world.issue();
    world.time.now = START + 3_599_999;
    expect(await reasonOf(world, token)).toBeUndefined();
    world.time.now += 1;
    expect(await reasonOf(world, token)).toBe('expired');
  });

  it('is refused when it or its session is revoked', async () => {
    const world = createResourceWorld();
    const [one, other] = [await world.issue(), await world.issue()];
    await world.revoke(one.token);
    await world.grants.end({ id: other.sid, accountId: 'id-ada' }, 'revoked');
    expect(await reasonOf(world, one.token)).toBe('session_ended');
    expect(await reasonOf(world, other.token)).toBe('session_ended');
  });

  it('is refused when its client is no longer registered, and loses the scopes that the client lost', async () => {
    const world = createResourceWorld();
    const { token } = await world.issue({ scope: 'openid create' });
    world.clients.set('spa', { client: clientOf({ scopes: ['openid'] }) });
    expect(await world.authenticate(token, INFO)).toMatchObject({ principal: { scopes: ['openid'] } });
    world.clients.delete('spa');
    expect(await reasonOf(world, token)).toBe('unknown_client');
  });

  it('is refused when the account is gone, or disabled', async () => {
    const world = createResourceWorld();
    const { token } = await world.issue();
    const ada = world.accounts.get('id-ada');
    if (ada) world.accounts.set('id-ada', { ...ada, disabled: true });
    expect(await reasonOf(world, token)).toBe('session_ended');
    world.accounts.delete('id-ada');
    expect(await reasonOf(world, token)).toBe('session_ended');
  });

  it('is not judged when a store fails', async () => {
    const down = new DoorwardError('SERVICE_UNAVAILABLE');
    const world = createResourceWorld({ grants: (grants) => ({ ...grants, find: () => Promise.reject(down) }) });
    const { token } = await world.issue();
    await expect(world.authenticate(token)).rejects.toBe(down);
  });

  it('is refused when the store leaves out whose session it is', async () => {
    const world = createResourceWorld({
      grants: (grants) => ({
        ...grants,
        async find(sessionId, tokenId) {
          const grant = await grants.find(sessionId, tokenId);
          return grant && { session: grant.session };
        },
      }),
    });
    const { token } = await world.issue({ claims: { sub: 'client:spa', uid: undefined } });
    expect(await reasonOf(world, token)).toBe('other_subject');
  });

  it('has the username as its subject where that is configured', async () => {
    const world = createResourceWorld({ settings: { subject: 'username' } });
    expect(await reasonOf(world, (await world.issue({ claims: { sub: 'Ada' } })).token)).toBeUndefined();
    expect(await reasonOf(world, (await world.issue()).token)).toBe('other_subject');
  });
});

describe('a token that is bound to a key', () => {
  const url = `${API}/posts`;

  it('OAU-39 is good with a proof of that key, once', async () => {
    const world = createResourceWorld();
    const { thumbprint, prove } = await createProver();
    const { token } = await world.issue({ claims: { cnf: { jkt: thumbprint } } });
    const proof = await prove({ accessToken: token });
    const caller = { ...INFO, dpop: { proof, method: 'GET', url } };
    expect(await reasonOf(world, token, caller)).toBeUndefined();
    expect(await reasonOf(world, token, caller)).toBe('dpop_proof');
  });

  it('takes the address of the resource for that of the request: a proxy has another one', async () => {
    const world = createResourceWorld();
    const { thumbprint, prove } = await createProver();
    const { token } = await world.issue({ claims: { cnf: { jkt: thumbprint } } });
    const at = async (seen: string, htu: string) => {
      const proof = await prove({ accessToken: token, url: htu });
      return reasonOf(world, token, { ...INFO, dpop: { proof, method: 'GET', url: seen } });
    };
    expect(await at('http://10.0.0.1:3000/posts?q=1', url)).toBeUndefined();
    expect(await at('http://10.0.0.1:3000//evil.example.org/posts', `${API}//evil.example.org/posts`)).toBeUndefined();
    expect(await at('http://10.0.0.1:3000//evil.example.org/posts', 'https://evil.example.org/posts')).toBe(
      'dpop_proof',
    );
    expect(await at('http://10.0.0.1:3000/posts', 'http://10.0.0.1:3000/posts')).toBe('dpop_proof');
    expect(await at('/posts', url)).toBe('confirmation');
  });

  it('is checked at the issuer where the resource has no address', async () => {
    const resource = 'urn:example:api';
    const world = createResourceWorld({ settings: { resource, resources: [resource] } });
    const { thumbprint, prove } = await createProver();
    const changes = { aud: resource, grant: { audience: [resource] }, claims: { cnf: { jkt: thumbprint } } };
    const { token } = await world.issue(changes);
    const proof = await prove({ accessToken: token, url: `${ISSUER}/posts` });
    const dpop = { proof, method: 'GET', url: 'http://10.0.0.1/posts' };
    expect(await reasonOf(world, token, { ...INFO, dpop })).toBeUndefined();
  });

  it.each([
    ['another method', { method: 'POST' }],
    ['another address', { url: `${API}/users` }],
    ['another token', { accessToken: 'other' }],
    ['no token', { accessToken: '' }],
    ['301 seconds ago', { claims: { iat: START / 1_000 - 301 } }],
    ['301 seconds ahead', { claims: { iat: START / 1_000 + 301 } }],
  ])('OAU-39 is refused with a proof for %s', async (_, changes) => {
    const world = createResourceWorld();
    const { thumbprint, prove } = await createProver();
    const { token } = await world.issue({ claims: { cnf: { jkt: thumbprint } } });
    const proof = await prove({ accessToken: token, ...changes });
    expect(await reasonOf(world, token, { ...INFO, dpop: { proof, method: 'GET', url } })).toBe('dpop_proof');
  });

  it('OAU-39 is refused with a proof of another key, and as a plain bearer token', async () => {
    const world = createResourceWorld();
    const [holder, thief] = [await createProver(), await createProver()];
    const { token } = await world.issue({ claims: { cnf: { jkt: holder.thumbprint } } });
    const proof = await thief.prove({ accessToken: token });
    expect(await reasonOf(world, token, { ...INFO, dpop: { proof, method: 'GET', url } })).toBe('confirmation');
    expect(await reasonOf(world, token)).toBe('confirmation');
    expect(await reasonOf(world, token, certificate(holder.thumbprint))).toBe('confirmation');
  });

  it('is not any token: one that is not bound is refused under the scheme DPoP', async () => {
    const world = createResourceWorld();
    const { prove } = await createProver();
    const { token } = await world.issue();
    const dpop = { proof: await prove({ accessToken: token }), method: 'GET', url };
    expect(await reasonOf(world, token, { ...INFO, dpop })).toBe('confirmation');
    const bound = await world.issue({ claims: { cnf: { 'x5t#S256': 'cert' } } });
    const both = { ...certificate('cert'), dpop: { ...dpop, proof: await prove({ accessToken: bound.token }) } };
    expect(await reasonOf(world, bound.token, both)).toBe('confirmation');
  });

  it('is refused when it is bound in two ways, though both are proved: one could have gone unchecked', async () => {
    const world = createResourceWorld();
    const { thumbprint, prove } = await createProver();
    for (const cnf of [
      { jkt: thumbprint, 'x5t#S256': 'cert' },
      { 'x5t#S256': 'cert', jkt: thumbprint },
    ]) {
      const { token } = await world.issue({ claims: { cnf } });
      const dpop = { proof: await prove({ accessToken: token }), method: 'GET', url };
      expect(await reasonOf(world, token, { ...certificate('cert'), dpop })).toBe('confirmation');
      expect(await reasonOf(world, token, certificate('cert'))).toBe('confirmation');
    }
    const { token } = await world.issue({ claims: { cnf: { 'x5t#S256': '' } } });
    expect(await reasonOf(world, token, certificate(''))).toBe('confirmation');
  });

  it('OAU-39 by its certificate is good on the connection that proves that certificate', async () => {
    const world = createResourceWorld();
    const { token } = await world.issue({ claims: { cnf: { 'x5t#S256': 'cert' } } });
    expect(await reasonOf(world, token, certificate('cert'))).toBeUndefined();
    expect(await reasonOf(world, token, certificate('other'))).toBe('confirmation');
    expect(await reasonOf(world, token)).toBe('confirmation');
  });
});

describe('a token is recognised', () => {
  it('by its signature and its type, whatever else is wrong with it', async () => {
    const world = createResourceWorld();
    const { token, sid } = await world.issue({ aud: REPORTS });
    expect(world.recognises(token)).toBe(true);
    await world.grants.end({ id: sid, accountId: 'id-ada' }, 'revoked');
    world.time.now += 86_400_000;
    expect(world.recognises(token)).toBe(true);
    expect(world.recognises((await world.issue({ typ: 'application/AT+JWT' })).token)).toBe(true);
    expect(world.recognises((await world.issue({ typ: 'JWT' })).token)).toBe(false);
    expect(world.recognises((await world.issue({ key: stranger })).token)).toBe(false);
    expect(world.recognises(`${token}x`)).toBe(false);
    expect(world.recognises(undefined as unknown as string)).toBe(false);
    expect(world.audit.filter(({ type }) => type === 'token.rejected')).toEqual([]);
  });

  it('only while the ring has its key, also by a second key of another algorithm', async () => {
    const ring = createKeyring({
      keys: [
        { key: privateKey(signingKey, { kid: 'k1' }), state: 'active' },
        { key: privateKey(stranger, { kid: 'k2' }), state: 'next' },
      ],
    });
    const world = createResourceWorld({ settings: { keys: ring } });
    const { token } = await world.issue();
    expect(world.recognises(token)).toBe(true);
    ring.promote('k2');
    expect(world.recognises(token)).toBe(true);
    ring.remove('k1');
    expect(world.recognises(token)).toBe(false);
    expect(await reasonOf(world, token)).toBe('unknown_key');
  });

  it('not when a first-party secret signed it', async () => {
    const world = createResourceWorld();
    const first = createTokenIssuer({ key: secretKey(SECRET, { kid: 'k1' }), issuer: ISSUER, typ: 'at+jwt' });
    expect(world.recognises(first.issue({ sub: 'Ada' }))).toBe(false);
  });
});
