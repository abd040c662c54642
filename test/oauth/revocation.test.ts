import { DoorwardError } from 'doorward';
import { describe, expect, it } from 'vitest';
import { createResourceWorld, formRequest, INFO, ISSUER, type ResourceWorld } from './support/resource-world.ts';

const REVOKE = `${ISSUER}/oauth/revoke`;

async function ask(
  world: ResourceWorld,
  client: string | undefined,
  form: Readonly<Record<string, string>> | string,
  contentType?: string,
): Promise<Response> {
  const options = { ...(client !== undefined && { client }), ...(contentType !== undefined && { contentType }) };
  return world.revocationEndpoint(formRequest(REVOKE, form, options), INFO);
}

/** The one answer there is for a client that asks properly. */
async function expectDone(response: Response): Promise<void> {
  expect(response.status).toBe(200);
  expect(await response.text()).toBe('');
  expect(response.headers.get('content-length')).toBe('0');
  expect(response.headers.get('cache-control')).toBe('no-store');
  expect(response.headers.get('pragma')).toBe('no-cache');
}

async function isLive(world: ResourceWorld, token: string): Promise<boolean> {
  return (await world.findAccessToken(token)).ok;
}

describe('the revocation of an access token', () => {
  it.each([{}, { token_type_hint: 'access_token' }, { token_type_hint: 'refresh_token' }, { token_type_hint: 'x' }])(
    'ends that token alone, with the hint %j',
    async (hint) => {
      const world = createResourceWorld();
      const { token, refreshToken } = await world.issue();
      const other = await world.issue();
      await expectDone(await ask(world, undefined, { client_id: 'spa', token, ...hint }));
      expect(await isLive(world, token)).toBe(false);
      expect(await isLive(world, other.token)).toBe(true);
      expect(await world.introspect(refreshToken)).toMatchObject({ active: true });
    },
  );

  it('is open to a client that acts for itself', async () => {
    const world = createResourceWorld();
    const { token } = await world.issue({ clientId: 'batch', scope: 'create' });
    await expectDone(await ask(world, 'batch', { token }));
    expect(await isLive(world, token)).toBe(false);
  });
});

describe('the revocation of a refresh token', () => {
  it.each([{}, { token_type_hint: 'access_token' }, { token_type_hint: 'refresh_token' }, { token_type_hint: 'x' }])(
    'ends its whole session, with the hint %j',
    async (hint) => {
      const world = createResourceWorld();
      const { token, refreshToken } = await world.issue();
      const other = await world.issue();
      await expectDone(await ask(world, undefined, { client_id: 'spa', token: refreshToken, ...hint }));
      expect(await isLive(world, token)).toBe(false);
      expect(await isLive(world, other.token)).toBe(true);
    },
  );

  it('ends its session also when it was used already', async () => {
    const world = createResourceWorld();
    const { token, refreshToken } = await world.issue();
    const next = await world.grants.rotate(refreshToken, { clientId: 'spa' });
    await expectDone(await ask(world, undefined, { client_id: 'spa', token: refreshToken }));
    expect(await isLive(world, token)).toBe(false);
    expect(await world.introspect(next.refreshToken)).toEqual({ active: false });
  });
});

describe('whoever revokes', () => {
  it("cannot touch another client's tokens, nor find out that there are any", async () => {
    const world = createResourceWorld();
    const { token, refreshToken } = await world.issue({ clientId: 'web' });
    for (const text of [token, refreshToken]) {
      await expectDone(await ask(world, undefined, { client_id: 'spa', token: text }));
      await expectDone(await ask(world, 'batch', { token: text }));
      await expectDone(await ask(world, 'api', { token: text }));
    }
    expect(await isLive(world, token)).toBe(true);
    expect(await world.introspect(refreshToken)).toMatchObject({ active: true });
  });

  it.each(['nothing', 'a.b.c', 'x'.repeat(43), 'x'.repeat(9_000)])(
    'gets the same answer for the text %j',
    async (text) => {
      await expectDone(await ask(createResourceWorld(), 'web', { token: text }));
    },
  );

  it('gets the same answer for a token that has ended or was revoked', async () => {
    const world = createResourceWorld();
    const { token } = await world.issue();
    for (let count = 0; count < 2; count += 1) {
      await expectDone(await ask(world, undefined, { client_id: 'spa', token }));
    }
    world.time.now += 3_600_000;
    await expectDone(await ask(world, undefined, { client_id: 'spa', token }));
  });

  it.each([
    ['nobody', undefined, {}],
    ['an unknown client', undefined, { client_id: 'nobody' }],
    ['a confidential client without its secret', undefined, { client_id: 'web' }],
  ])('has to be a client: %s gets 401 and ends nothing', async (_, client, fields) => {
    const world = createResourceWorld();
    const { token } = await world.issue({ clientId: 'web' });
    const response = await ask(world, client, { token, ...fields });
    expect(response.status).toBe(401);
    expect(await response.json()).toMatchObject({ error: 'invalid_client' });
    expect(await isLive(world, token)).toBe(true);
  });

  it.each([
    ['no token', '', undefined],
    ['two tokens', 'token=a&token=b', undefined],
    ['JSON', '{"token":"x"}', 'application/json'],
  ])('gets invalid_request for %s', async (_, form, contentType) => {
    const response = await ask(createResourceWorld(), 'web', form, contentType);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: 'invalid_request' });
  });

  it('cannot hide a token in the query', async () => {
    const world = createResourceWorld();
    const { token } = await world.issue({ clientId: 'web' });
    const response = await world.revocationEndpoint(
      formRequest(`${REVOKE}?token=${token}`, '', { client: 'web' }),
      INFO,
    );
    expect(response.status).toBe(400);
    expect(await isLive(world, token)).toBe(true);
  });

  it.each(['findByRefreshToken', 'end', 'revokeToken'] as const)(
    'is told 503 when %s fails, never that it was done',
    async (method) => {
      const down = () => Promise.reject(new DoorwardError('SERVICE_UNAVAILABLE'));
      const world = createResourceWorld({ grants: (grants) => ({ ...grants, [method]: down }) });
      const { token, refreshToken } = await world.issue({ clientId: 'web' });
      const response = await ask(world, 'web', { token: method === 'revokeToken' ? token : refreshToken });
      expect(response.status).toBe(503);
      expect(await response.json()).toMatchObject({ error: 'temporarily_unavailable' });
    },
  );
});

describe('revocation in process', () => {
  it('does not end a login of the server itself, whatever the store says', async () => {
    const world = createResourceWorld({
      grants: (grants) => ({
        ...grants,
        async findByRefreshToken(token) {
          const found = await grants.findByRefreshToken(token);
          const { clientId: _, ...session } = found?.session ?? {};
          return found && { session: session as typeof found.session };
        },
      }),
    });
    const { token, refreshToken } = await world.issue();
    expect(await world.revoke(refreshToken)).toBe(false);
    expect(await world.introspect(refreshToken)).toEqual({ active: false });
    expect(await isLive(world, token)).toBe(true);
  });

  it('needs no client, holds to one that is named, and says whether there was a token', async () => {
    const world = createResourceWorld();
    const { token, refreshToken } = await world.issue();
    expect(await world.revoke(token, { clientId: 'web' })).toBe(false);
    expect(await world.revoke(refreshToken, { clientId: 'web' })).toBe(false);
    expect(await isLive(world, token)).toBe(true);
    expect(await world.revoke(token)).toBe(true);
    expect(await world.revoke(token)).toBe(false);
    expect(await world.revoke(refreshToken, { clientId: 'spa' })).toBe(true);
    expect(await world.revoke(refreshToken)).toBe(false);
    expect(await world.revoke(undefined)).toBe(false);
  });
});
