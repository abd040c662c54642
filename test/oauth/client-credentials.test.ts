import type { Client } from 'doorward/oauth';
import { describe, expect, it } from 'vitest';
import {
  API,
  addAccount,
  claimsOf,
  createTokenWorld,
  REPORTS,
  START,
  type TokenAnswer,
} from './support/token-world.ts';

const SERVICE: Partial<Client> = {
  id: 'billing',
  authMethod: 'client_secret_basic',
  grantTypes: ['client_credentials'],
  scopes: ['openid', 'profile', 'email', 'offline_access', 'create', 'delete'],
  redirectUris: [],
};
const FORM = { grant_type: 'client_credentials', client_id: 'billing' };

const short = ({ status, body }: TokenAnswer) => ({ status, ...(body.error !== undefined && { error: body.error }) });

describe('a client that acts for itself', () => {
  it('gets an access token and nothing else', async () => {
    const { post, isLive } = createTokenWorld({ clients: [SERVICE] });
    const { status, body } = await post(FORM);
    expect(status).toBe(200);
    expect(body).toEqual({
      ...{ access_token: expect.any(String), token_type: 'Bearer', expires_in: 3_600, scope: 'create delete' },
    });
    expect(claimsOf(body.access_token)).toEqual({
      ...{ iss: 'https://login.example.org', sub: 'client:billing', client_id: 'billing', aud: API },
      ...{ iat: START / 1_000, exp: START / 1_000 + 3_600, jti: expect.any(String), sid: expect.any(String) },
      scope: 'create delete',
    });
    expect(await isLive(body.access_token)).toBe(true);
  });

  it.each([
    'openid',
    'profile',
    'email',
    'offline_access',
    'create openid',
    'manage_users',
    'create  delete',
    ' create',
  ])('is refused the scope %j', async (scope) => {
    const { post } = createTokenWorld({ clients: [SERVICE] });
    expect(short(await post({ ...FORM, scope }))).toEqual({ status: 400, error: 'invalid_scope' });
  });

  it('gets so many tokens in a minute and no more, also in parallel, and is told when to come again', async () => {
    const { post } = createTokenWorld({ clients: [SERVICE] });
    const answers = await Promise.all(Array.from({ length: 650 }, () => post(FORM)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(600);
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(50);
    expect(refused[0]?.body.error).toBe('temporarily_unavailable');
  });

  it('gets fewer scopes and another audience when it asks', async () => {
    const { post } = createTokenWorld({ clients: [SERVICE] });
    const { body } = await post({ ...FORM, scope: 'delete', resource: REPORTS });
    expect(claimsOf(body.access_token)).toMatchObject({ scope: 'delete', aud: REPORTS });
  });

  it('is refused an audience that it is not registered for', async () => {
    const { post } = createTokenWorld({ clients: [{ ...SERVICE, resources: [API] }] });
    for (const resource of [REPORTS, `${API}/`, `${API}#x`, 'api', '*']) {
      expect(short(await post({ ...FORM, resource }))).toEqual({ status: 400, error: 'invalid_target' });
    }
  });

  it('gets nothing that it may not ask for when it names no audience', async () => {
    const one = createTokenWorld({ clients: [{ ...SERVICE, resources: [REPORTS] }] });
    expect(claimsOf((await one.post(FORM)).body.access_token).aud).toBe(REPORTS);
    const none = createTokenWorld({ clients: [{ ...SERVICE, resources: [] }] });
    expect(short(await none.post(FORM))).toEqual({ status: 400, error: 'invalid_target' });
    const many = createTokenWorld({
      clients: [{ ...SERVICE, resources: [REPORTS, 'https://c.example.org'] }],
    });
    expect(short(await many.post(FORM))).toEqual({ status: 400, error: 'invalid_target' });
  });

  it('has to be registered for it (OAU-25)', async () => {
    const { post } = createTokenWorld({ clients: [{ ...SERVICE, grantTypes: ['authorization_code'] }] });
    expect(short(await post(FORM))).toEqual({ status: 400, error: 'unauthorized_client' });
  });

  it('may get tokens of one second', async () => {
    const { post } = createTokenWorld({ clients: [SERVICE], settings: { accessTokenSeconds: 1 } });
    expect((await post(FORM)).body.expires_in).toBe(1);
  });

  it('is nobody who logged in, whatever an account is called (OAU-37)', async () => {
    const { post, accounts } = createTokenWorld({ clients: [SERVICE] });
    await addAccount(accounts, 'billing', 'billing');
    const claims = claimsOf((await post(FORM)).body.access_token);
    expect(claims.sub).toBe('client:billing');
    for (const name of ['uid', 'auth_time', 'amr', 'acr']) expect(claims).not.toHaveProperty(name);
  });

  it('gets tokens that are bound to its key or its certificate', async () => {
    const { post } = createTokenWorld({
      clients: [SERVICE, { ...SERVICE, id: 'mtls', bindsToCertificate: true }],
    });
    const proved = await post(FORM, { dpop: 'key-1' });
    expect(proved.body.token_type).toBe('DPoP');
    expect(claimsOf(proved.body.access_token).cnf).toEqual({ jkt: 'key-1' });
    const bound = await post({ ...FORM, client_id: 'mtls' }, { certificate: 'cert-1' });
    expect(claimsOf(bound.body.access_token).cnf).toEqual({ 'x5t#S256': 'cert-1' });
    expect(short(await post({ ...FORM, client_id: 'mtls' }))).toEqual({ status: 401, error: 'invalid_client' });
    expect(short(await post({ ...FORM, client_id: 'mtls' }, { certificate: 'cert-1', dpop: 'key-1' }))).toEqual({
      ...{ status: 400, error: 'invalid_request' },
    });
  });
});
