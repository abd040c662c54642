import { describe, expect, it } from 'vitest';
import { API, claimsOf, createTokenWorld, REPORTS, START, type TokenAnswer } from './support/token-world.ts';

const short = ({ status, body }: TokenAnswer) => ({ status, ...(body.error !== undefined && { error: body.error }) });

describe('refreshing', () => {
  it('answers with all that was granted, and the next refresh token', async () => {
    const { putCode, redeem, refresh, time } = createTokenWorld();
    const first = await redeem(await putCode({ nonce: 'n' }));
    time.now += 1_000_000;
    const { status, headers, body } = await refresh(first.body.refresh_token);
    expect(status).toBe(200);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(body).toMatchObject({ token_type: 'Bearer', expires_in: 3_600, scope: 'openid profile create' });
    expect(body.refresh_token).not.toBe(first.body.refresh_token);
    expect(claimsOf(body.access_token)).toMatchObject({
      aud: [API, REPORTS],
      auth_time: START / 1_000 - 60,
      acr: 'aal2',
    });
  });

  it('keeps who logged in and when in the id token, and has no nonce (OpenID Connect Core section 12.2)', async () => {
    const { putCode, redeem, refresh, time } = createTokenWorld();
    const first = await redeem(await putCode({ nonce: 'n' }));
    time.now += 1_000_000;
    const before = claimsOf(first.body.id_token);
    const after = claimsOf((await refresh(first.body.refresh_token)).body.id_token);
    for (const name of ['iss', 'sub', 'aud', 'auth_time', 'acr', 'amr', 'sid'])
      expect(after[name]).toEqual(before[name]);
    expect(after).not.toHaveProperty('nonce');
    expect(after.iat).toBe(time.now / 1_000);
  });

  it('narrows the access token and leaves the refresh token as it is (REF-10)', async () => {
    const { putCode, redeem, refresh } = createTokenWorld();
    const first = await redeem(await putCode());
    const narrow = await refresh(first.body.refresh_token, { scope: 'create', resource: API });
    expect(narrow.body).toMatchObject({ scope: 'create' });
    expect(narrow.body).not.toHaveProperty('id_token');
    expect(claimsOf(narrow.body.access_token)).toMatchObject({ scope: 'create', aud: API });
    const whole = await refresh(narrow.body.refresh_token);
    expect(whole.body.scope).toBe('openid profile create');
    expect(claimsOf(whole.body.access_token).aud).toEqual([API, REPORTS]);
  });

  it.each([
    ['a scope that was not granted', { scope: 'create delete' }, 'invalid_scope'],
    ['a scope that is malformed', { scope: 'create  openid' }, 'invalid_scope'],
    ['a resource that was not granted', { resource: 'https://other.example.org' }, 'invalid_target'],
  ])('refuses %s before the token is used up (REF-11)', async (_name, form: Record<string, string>, error) => {
    const { putCode, redeem, refresh } = createTokenWorld({
      clients: [{ scopes: ['openid', 'profile', 'create', 'delete'] }],
    });
    const { body } = await redeem(await putCode());
    expect(short(await refresh(body.refresh_token, form))).toEqual({ status: 400, error });
    expect(short(await refresh(body.refresh_token))).toEqual({ status: 200 });
  });

  it('gives no scope that the registration has lost since', async () => {
    const narrowed = createTokenWorld({ clients: [{ scopes: ['profile'] }] });
    const started = await narrowed.settings.accounts.grants.start({
      ...{ sessionId: 's', accountId: 'id-ada', clientId: 'spa', scopes: ['openid', 'profile', 'create'] },
      ...{ audience: [API], authTime: START / 1_000, amr: ['pwd'], acr: 'aal1', startedAt: START, refreshToken: true },
    });
    const { body: after } = await narrowed.refresh(started?.refreshToken);
    expect(after).toMatchObject({ scope: 'profile' });
    expect(after).not.toHaveProperty('id_token');
  });

  it('refuses a token of another client, and leaves it', async () => {
    const { putCode, redeem, refresh } = createTokenWorld({ clients: [{ id: 'other' }] });
    const { body } = await redeem(await putCode());
    const refusal = { status: 400, error: 'invalid_grant' };
    expect(short(await refresh(body.refresh_token, { client_id: 'other' }))).toEqual(refusal);
    expect(short(await refresh(body.access_token))).toEqual(refusal);
    expect(short(await refresh(''))).toEqual({ status: 400, error: 'invalid_request' });
    expect(short(await refresh(body.refresh_token))).toEqual({ status: 200 });
  });

  it('needs the same key where the refresh token is bound, without using it up', async () => {
    const { putCode, redeem, refresh, audit } = createTokenWorld();
    const { body } = await redeem(await putCode(), {}, { dpop: 'key-1' });
    expect(short(await refresh(body.refresh_token, {}, { dpop: 'key-2' }))).toEqual({
      status: 400,
      error: 'invalid_grant',
    });
    expect(audit.filter(({ type }) => type === 'token.rejected')).toMatchObject([{ reason: 'confirmation' }]);
    expect(short(await refresh(body.refresh_token, {}, { dpop: 'key-1' }))).toEqual({ status: 200 });
  });

  it('lets a client that authenticates change its key (RFC 9449 section 5)', async () => {
    const { putCode, redeem, refresh } = createTokenWorld({ clients: [{ authMethod: 'client_secret_basic' }] });
    const { body } = await redeem(await putCode(), {}, { dpop: 'key-1' });
    const next = await refresh(body.refresh_token, {}, { dpop: 'key-2' });
    expect(claimsOf(next.body.access_token).cnf).toEqual({ jkt: 'key-2' });
  });

  it('leaves the tokens of a certificate bound to it, whatever key the client proves beside it', async () => {
    const { settings, refresh } = createTokenWorld();
    const grant = await settings.accounts.grants.start({
      ...{ sessionId: 'bound', accountId: 'id-ada', clientId: 'spa', scopes: ['create'], audience: [API] },
      ...{ authTime: START / 1_000, amr: ['pwd'], acr: 'aal1', startedAt: START, refreshToken: true },
      certificateThumbprint: 'cert-1',
    });
    const { body } = await refresh(grant?.refreshToken, {}, { certificate: 'cert-1', dpop: 'key-1' });
    expect(body.token_type).toBe('Bearer');
    expect(claimsOf(body.access_token).cnf).toEqual({ 'x5t#S256': 'cert-1' });
  });

  it('ends access tokens with the session', async () => {
    const { putCode, redeem, refresh, time } = createTokenWorld();
    const { body } = await redeem(await putCode());
    time.now += (2_592_000 - 100) * 1_000;
    const last = await refresh(body.refresh_token);
    expect(last.body.expires_in).toBe(100);
    const { exp, iat } = claimsOf(last.body.access_token);
    expect(Number(exp) - Number(iat)).toBe(100);
    time.now += 99_500;
    expect(short(await refresh(last.body.refresh_token))).toEqual({ status: 400, error: 'invalid_grant' });
  });
});
