import { generateKeyPairSync } from 'node:crypto';
import { DoorwardError } from 'doorward';
import { describe, expect, it } from 'vitest';
import {
  API,
  clientOf,
  createProver,
  createResourceWorld,
  formRequest,
  INFO,
  ISSUER,
  REPORTS,
  type ResourceWorld,
  START,
  type TokenChanges,
} from './support/resource-world.ts';

const INTROSPECT = `${ISSUER}/oauth/introspect`;
const INACTIVE = { active: false };

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Record<string, unknown>;
}

/** Asks over HTTP as a client does. */
async function ask(
  world: ResourceWorld,
  client: string | undefined,
  form: Readonly<Record<string, string>> | string,
  contentType?: string,
): Promise<Answer> {
  const options = { ...(client !== undefined && { client }), ...(contentType !== undefined && { contentType }) };
  const response = await world.introspectionEndpoint(formRequest(INTROSPECT, form, options), INFO);
  return { status: response.status, headers: response.headers, body: await response.json() };
}

describe('introspection of an access token', () => {
  it('OAU-35 tells what RFC 7662 names and nothing of roles and addresses', async () => {
    const world = createResourceWorld();
    const { token } = await world.issue({
      scope: 'openid create',
      claims: { roles: ['admin'], email: 'x@example.org' },
    });
    const { status, headers, body } = await ask(world, 'api', { token });
    expect(status).toBe(200);
    expect(headers.get('content-type')).toMatch(/^application\/json/);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('pragma')).toBe('no-cache');
    expect(body).toEqual({
      active: true,
      iss: ISSUER,
      sub: 'id-ada',
      aud: API,
      scope: 'openid create',
      client_id: 'spa',
      username: 'Ada',
      uid: 'id-ada',
      token_type: 'Bearer',
      exp: START / 1_000 + 3_600,
      iat: START / 1_000,
      jti: expect.stringMatching(/^[\w-]{22}$/),
      auth_time: START / 1_000,
      acr: 'aal1',
      amr: ['pwd'],
    });
  });

  it('tells of the key that it is bound to', async () => {
    const world = createResourceWorld();
    const { thumbprint } = await createProver();
    const bound = async (cnf: object) => (await world.issue({ claims: { cnf } })).token;
    const dpop = await world.introspect(await bound({ jkt: thumbprint }));
    expect(dpop).toMatchObject({ token_type: 'DPoP', cnf: { jkt: thumbprint } });
    const tls = await world.introspect(await bound({ 'x5t#S256': 'cert' }));
    expect(tls).toMatchObject({ token_type: 'Bearer', cnf: { 'x5t#S256': 'cert' } });
  });

  it('of a client that acts for itself tells of no login', async () => {
    const world = createResourceWorld();
    const { token } = await world.issue({ clientId: 'batch', scope: 'create' });
    const { body } = await ask(world, 'batch', { token });
    expect(body).toMatchObject({ active: true, sub: 'client:batch', client_id: 'batch', scope: 'create' });
    for (const name of ['username', 'auth_time', 'acr', 'amr']) expect(body).not.toHaveProperty(name);
  });

  it('tells the client itself the username only with the scope profile', async () => {
    const world = createResourceWorld();
    const of = async (scope: string) =>
      world.introspect((await world.issue({ scope })).token, { clientId: clientOf().id });
    expect(await of('openid')).not.toHaveProperty('username');
    expect(await of('openid profile')).toMatchObject({ username: 'Ada' });
  });

  it('answers in process as over HTTP', async () => {
    const world = createResourceWorld();
    const { token } = await world.issue();
    const over = (await ask(world, 'api', { token })).body;
    expect(await world.introspect(token)).toEqual(over);
    expect(await world.introspect(token, { clientId: 'api' })).toEqual(over);
  });

  const dead: readonly (readonly [string, TokenChanges])[] = [
    ['an id token', { typ: 'JWT' }],
    ['a token of another issuer', { issuer: 'https://evil.example.org' }],
    ['a token of another key', { key: generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey }],
    ['a token of no session', { claims: { sid: 'none' } }],
    ['a token of another client', { claims: { client_id: 'web' } }],
  ];
  it.each(dead)('OAU-32 tells nothing of %s, whatever the hint', async (_, changes) => {
    const world = createResourceWorld();
    const { token } = await world.issue(changes);
    for (const hint of [{}, { token_type_hint: 'access_token' }, { token_type_hint: 'refresh_token' }]) {
      expect((await ask(world, 'api', { token, ...hint })).body).toEqual(INACTIVE);
    }
    expect(await world.introspect(token)).toEqual(INACTIVE);
  });

  it.each(['', 'x', 'a.b.c', 'x'.repeat(43), 'x'.repeat(9_000)])(
    'OAU-32 tells nothing of the text %j',
    async (text) => {
      expect(await createResourceWorld().introspect(text)).toEqual(INACTIVE);
    },
  );

  it('OAU-32 tells nothing of a token that was revoked or has ended', async () => {
    const world = createResourceWorld();
    const [revoked, ended, expired] = [await world.issue(), await world.issue(), await world.issue()];
    await world.revoke(revoked.token);
    await world.revoke(ended.refreshToken);
    expect(await world.introspect(revoked.token)).toEqual(INACTIVE);
    expect(await world.introspect(ended.token)).toEqual(INACTIVE);
    expect(await world.introspect(expired.token)).toMatchObject({ active: true });
    world.time.now += 3_600_000;
    expect(await world.introspect(expired.token)).toEqual(INACTIVE);
  });

  it('publishes nothing: somebody asks, nobody was refused', async () => {
    const world = createResourceWorld();
    await ask(world, 'api', { token: 'a.b.c' });
    expect(world.audit).toEqual([]);
  });
});

describe('introspection of a refresh token', () => {
  it.each(['refresh_token', 'access_token', 'nonsense'])('OAU-32 finds it with the hint %s', async (hint) => {
    const world = createResourceWorld();
    const { refreshToken } = await world.issue({ clientId: 'web' });
    const { body } = await ask(world, 'web', { token: refreshToken, token_type_hint: hint });
    expect(body).toEqual({
      active: true,
      iss: ISSUER,
      sub: 'id-ada',
      aud: [API, REPORTS],
      scope: 'openid create',
      client_id: 'web',
      exp: START / 1_000 + 2_592_000,
      auth_time: START / 1_000,
      acr: 'aal1',
      amr: ['pwd'],
    });
  });

  it('tells of the keys that it is bound to', async () => {
    const world = createResourceWorld();
    const grant = { dpopThumbprint: 'key', certificateThumbprint: 'cert' };
    const { refreshToken } = await world.issue({ grant });
    expect(await world.introspect(refreshToken)).toMatchObject({ cnf: { jkt: 'key', 'x5t#S256': 'cert' } });
  });

  it('is for its own client: a resource server has no business with it', async () => {
    const world = createResourceWorld();
    const { refreshToken } = await world.issue({ clientId: 'web' });
    expect((await ask(world, 'api', { token: refreshToken })).body).toEqual(INACTIVE);
  });

  it('tells nothing when its session has ended or its client is no longer registered', async () => {
    const world = createResourceWorld();
    const [one, other] = [await world.issue({ clientId: 'web' }), await world.issue({ clientId: 'web' })];
    await world.revoke(one.refreshToken);
    expect(await world.introspect(one.refreshToken)).toEqual(INACTIVE);
    world.clients.delete('web');
    expect(await world.introspect(other.refreshToken)).toEqual(INACTIVE);
  });
});

describe('whoever introspects', () => {
  it.each([
    ['nobody', undefined, {}],
    ['a public client', undefined, { client_id: 'spa' }],
    ['a confidential client without its secret', undefined, { client_id: 'web' }],
    ['an unknown client', 'nobody', {}],
  ])('has to be a client that can prove itself: %s gets 401', async (_, client, fields) => {
    const world = createResourceWorld();
    const { token } = await world.issue();
    const { status, headers, body } = await ask(world, client, { token, ...fields });
    expect({ status, error: body.error }).toEqual({ status: 401, error: 'invalid_client' });
    expect(headers.get('cache-control')).toBe('no-store');
    expect(world.audit.filter(({ type }) => type === 'client.rejected')).toHaveLength(1);
  });

  it('OAU-33 learns of its own tokens and of those for its audiences, of no others', async () => {
    const world = createResourceWorld();
    const forApi = await world.issue();
    const forReports = await world.issue({ aud: REPORTS });
    const forBoth = await world.issue({ aud: [REPORTS, API] });
    const ofWeb = await world.issue({ clientId: 'web', aud: REPORTS });
    const seen = async (client: string, token: string) => (await ask(world, client, { token })).body.active;
    expect(await seen('api', forApi.token)).toBe(true);
    expect(await seen('api', forBoth.token)).toBe(true);
    expect(await seen('api', forReports.token)).toBe(false);
    expect(await seen('web', ofWeb.token)).toBe(true);
    expect(await seen('web', forApi.token)).toBe(false);
    expect(await seen('batch', forApi.token)).toBe(false);
  });

  it.each([
    ['JSON', '{"token":"x"}', 'application/json'],
    ['no token', '', undefined],
    ['an empty token', 'token=', undefined],
    ['two tokens', 'token=a&token=b', undefined],
    ['no content type', 'token=a', 'text/plain'],
  ])('OAU-34 gets invalid_request for %s', async (_, form, contentType) => {
    const { status, body } = await ask(createResourceWorld(), 'api', form, contentType);
    expect({ status, error: body.error }).toEqual({ status: 400, error: 'invalid_request' });
  });

  it('OAU-34 gets invalid_request for a token in the query', async () => {
    const world = createResourceWorld();
    const { token } = await world.issue();
    const request = formRequest(`${INTROSPECT}?token=${token}`, '', { client: 'api' });
    const response = await world.introspectionEndpoint(request, INFO);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: 'invalid_request', error_description: 'token is missing' });
  });

  it('gets 413 for a body over 16 KiB', async () => {
    const { status, body } = await ask(createResourceWorld(), 'api', { token: 'x'.repeat(17_000) });
    expect({ status, error: body.error }).toEqual({ status: 413, error: 'invalid_request' });
  });

  it('DOS-16 is limited by itself, and told when to come again', async () => {
    const world = createResourceWorld({ settings: { introspectionsPerMinute: 3 } });
    const { token } = await world.issue();
    for (let count = 0; count < 3; count += 1) expect((await ask(world, 'api', { token })).status).toBe(200);
    const { status, headers, body } = await ask(world, 'api', { token });
    expect({ status, error: body.error }).toEqual({ status: 429, error: 'temporarily_unavailable' });
    expect(headers.get('retry-after')).toBe('60');
    expect((await ask(world, 'web', { token })).status).toBe(200);
    world.time.now += 60_000;
    expect((await ask(world, 'api', { token })).status).toBe(200);
  });

  it('DOS-16 cannot pass the limit in parallel', async () => {
    const world = createResourceWorld({ settings: { introspectionsPerMinute: 5 } });
    const { token } = await world.issue();
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask(world, 'api', { token })));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(5);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(15);
  });

  it.each(['find', 'findByRefreshToken'] as const)('STO gets 503 and no verdict when %s fails', async (method) => {
    const down = () => Promise.reject(new DoorwardError('SERVICE_UNAVAILABLE'));
    const world = createResourceWorld({ grants: (grants) => ({ ...grants, [method]: down }) });
    const { token } = await world.issue();
    const { status, body } = await ask(world, 'api', { token: method === 'find' ? token : 'x'.repeat(43) });
    expect({ status, body }).toEqual({
      status: 503,
      body: { error: 'temporarily_unavailable', error_description: 'The server cannot answer now' },
    });
    expect(world.errors).toHaveLength(1);
  });
});
