import { DoorwardError } from 'doorward';
import { jwtVerify } from 'jose';
import { describe, expect, it } from 'vitest';
import { isCodeChallenge, verifierMatches } from '../../src/oauth/pkce.ts';
import {
  API,
  CALLBACK,
  CHALLENGE,
  claimsOf,
  createTokenWorld,
  ISSUER,
  publicSigningKey,
  REPORTS,
  START,
  sha256,
  VERIFIER,
} from './support/token-world.ts';

const WRONG = 'x'.repeat(43);
const INVALID_GRANT = { status: 400, error: 'invalid_grant' };

const short = ({ status, body }: { status: number; body: Readonly<Record<string, unknown>> }) => ({
  status,
  ...(body.error !== undefined && { error: body.error }),
});

const reasons = (audit: readonly { type: string; reason?: unknown }[]): unknown[] =>
  audit.filter(({ type }) => type === 'code.rejected').map(({ reason }) => reason);

describe('redeeming a code', () => {
  it('answers as RFC 6749 section 5.1 asks', async () => {
    const { putCode, redeem } = createTokenWorld();
    const { status, headers, body } = await redeem(await putCode());
    expect(status).toBe(200);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('pragma')).toBe('no-cache');
    expect(headers.get('content-type')).toMatch(/^application\/json/);
    expect(Object.keys(body).sort()).toEqual(
      ['access_token', 'expires_in', 'id_token', 'refresh_token', 'scope', 'token_type'].sort(),
    );
    expect(body).toMatchObject({ token_type: 'Bearer', expires_in: 3_600, scope: 'openid profile create' });
  });

  it('gives an access token of RFC 9068', async () => {
    const { putCode, redeem, isLive } = createTokenWorld();
    const { body } = await redeem(await putCode());
    const { payload, protectedHeader } = await jwtVerify(String(body.access_token), publicSigningKey, {
      currentDate: new Date(START),
    });
    expect(protectedHeader).toEqual({ alg: 'RS256', typ: 'at+jwt', kid: 'k1' });
    expect(payload).toEqual({
      ...{ iss: ISSUER, sub: 'id-ada', uid: 'id-ada', aud: [API, REPORTS], client_id: 'spa' },
      ...{ iat: START / 1_000, exp: START / 1_000 + 3_600, jti: expect.any(String), sid: expect.any(String) },
      ...{ scope: 'openid profile create', auth_time: START / 1_000 - 60, acr: 'aal2', amr: ['pwd', 'otp'] },
    });
    expect(await isLive(body.access_token)).toBe(true);
  });

  it('gives an id token for the client alone, with the nonce that was sent (OAU-36)', async () => {
    const { putCode, redeem } = createTokenWorld();
    const { body } = await redeem(await putCode({ nonce: 'n-0S6_WzA2Mj' }));
    const { payload, protectedHeader } = await jwtVerify(String(body.id_token), publicSigningKey, {
      ...{ currentDate: new Date(START), audience: 'spa', issuer: ISSUER, algorithms: ['RS256'] },
    });
    expect(protectedHeader.typ).toBe('JWT');
    expect(payload).toMatchObject({
      ...{ aud: 'spa', nonce: 'n-0S6_WzA2Mj', sub: 'id-ada', iat: START / 1_000, exp: START / 1_000 + 3_600 },
      ...{ auth_time: START / 1_000 - 60, acr: 'aal2', amr: ['pwd', 'otp'], sid: claimsOf(body.access_token).sid },
    });
    const half = Buffer.from(sha256(String(body.access_token)), 'base64url').subarray(0, 16);
    expect(payload.at_hash).toBe(half.toString('base64url'));
    expect(payload).not.toHaveProperty('email');
  });

  it('puts no nonce where none was sent, and no id token where openid was not granted', async () => {
    const { putCode, redeem } = createTokenWorld();
    expect(claimsOf((await redeem(await putCode())).body.id_token)).not.toHaveProperty('nonce');
    const { body } = await redeem(await putCode({ scopes: ['create'] }));
    expect(body).not.toHaveProperty('id_token');
    expect(body.scope).toBe('create');
  });

  it('gives a refresh token to clients that may use one', async () => {
    const { putCode, redeem } = createTokenWorld({
      clients: [{ id: 'once', grantTypes: ['authorization_code'] }],
    });
    const { status, body } = await redeem(await putCode({ clientId: 'once' }), { client_id: 'once' });
    expect(status).toBe(200);
    expect(body).not.toHaveProperty('refresh_token');
  });

  it('narrows the access token to the resource that is named, and the grant not (RFC 8707)', async () => {
    const { putCode, redeem, refresh } = createTokenWorld();
    const { body } = await redeem(await putCode(), { resource: REPORTS });
    expect(claimsOf(body.access_token).aud).toBe(REPORTS);
    expect(claimsOf((await refresh(body.refresh_token)).body.access_token).aud).toEqual([API, REPORTS]);
  });

  it('refuses a resource that was not granted, and leaves the code', async () => {
    const { putCode, redeem } = createTokenWorld();
    const code = await putCode({ audience: [API] });
    expect(short(await redeem(code, { resource: REPORTS }))).toEqual({ status: 400, error: 'invalid_target' });
    expect(short(await redeem(code))).toEqual({ status: 200 });
  });

  it('wants the client, the redirect URI and the code as they were (OAU-15, OAU-16)', async () => {
    const clients = [{ id: 'other' }, { id: 'server', authMethod: 'client_secret_basic' as const }];
    const { putCode, redeem, audit } = createTokenWorld({ clients });
    const code = await putCode();
    expect(short(await redeem(code, { client_id: 'other' }))).toEqual(INVALID_GRANT);
    expect(short(await redeem(code, { client_id: 'server' }))).toEqual(INVALID_GRANT);
    expect(short(await redeem(code, { redirect_uri: `${CALLBACK}/` }))).toEqual(INVALID_GRANT);
    expect(short(await redeem(code, { redirect_uri: '' }))).toEqual({ status: 400, error: 'invalid_request' });
    expect(short(await redeem(`${code}x`))).toEqual(INVALID_GRANT);
    expect(short(await redeem('\u0000'))).toEqual(INVALID_GRANT);
    expect(short(await redeem(''))).toEqual({ status: 400, error: 'invalid_request' });
    expect(reasons(audit)).toEqual([
      ...['other_client', 'other_client', 'redirect_uri', 'unknown_code', 'unknown_code'],
    ]);
    expect(short(await redeem(code))).toEqual({ status: 200 });
  });

  it('refuses a code from its 60th second on', async () => {
    const { putCode, redeem, time, audit } = createTokenWorld();
    const code = await putCode();
    time.now = START + 60_000;
    expect(short(await redeem(code))).toEqual(INVALID_GRANT);
    time.now = START + 61_000;
    expect(short(await redeem(code))).toEqual(INVALID_GRANT);
    expect(reasons(audit)).toEqual(['expired', 'expired']);
    time.now = START + 59_999;
    expect(short(await redeem(code))).toEqual({ status: 200 });
  });

  it('says the same of every code that it refuses', async () => {
    const { putCode, redeem } = createTokenWorld({ clients: [{ id: 'other' }] });
    const code = await putCode();
    const answers = [
      await redeem('unknown'),
      await redeem(code, { client_id: 'other' }),
      await redeem(code, { code_verifier: WRONG }),
    ];
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
  });

  it('lives through four wrong verifiers and no fifth (OAU-11)', async () => {
    const { putCode, redeem, audit } = createTokenWorld();
    const lucky = await putCode();
    for (const code_verifier of [WRONG, '', VERIFIER.slice(1), `${VERIFIER}=`]) {
      expect(short(await redeem(lucky, { code_verifier }))).toEqual(INVALID_GRANT);
    }
    expect(short(await redeem(lucky))).toEqual({ status: 200 });
    const dead = await putCode();
    for (let i = 0; i < 5; i += 1) expect(short(await redeem(dead, { code_verifier: WRONG }))).toEqual(INVALID_GRANT);
    expect(short(await redeem(dead))).toEqual(INVALID_GRANT);
    expect(reasons(audit).slice(-2)).toEqual(['wrong_verifier', 'too_many_verifiers']);
  });

  it('lets no number of parallel guesses beyond the limit through', async () => {
    const { putCode, redeem } = createTokenWorld();
    const code = await putCode();
    await Promise.all(Array.from({ length: 50 }, () => redeem(code, { code_verifier: WRONG })));
    expect(short(await redeem(code))).toEqual(INVALID_GRANT);
  });

  it('starts nothing for an account that is gone or disabled', async () => {
    const { putCode, redeem, accounts, audit } = createTokenWorld();
    const code = await putCode();
    const other = await putCode();
    await accounts.update('id-ada', { disabled: true });
    expect(short(await redeem(code))).toEqual(INVALID_GRANT);
    await accounts.remove('id-ada');
    expect(short(await redeem(other))).toEqual(INVALID_GRANT);
    expect(reasons(audit)).toEqual(['account', 'account']);
  });

  it('refuses what the client may no longer have', async () => {
    const { putCode, redeem, audit } = createTokenWorld({ clients: [{ scopes: ['create'] }] });
    expect(short(await redeem(await putCode()))).toEqual(INVALID_GRANT);
    expect(reasons(audit)).toEqual(['scope']);
  });

  it('gives nothing when the consent was taken back before the code was redeemed', async () => {
    const started: string[] = [];
    const ended: string[] = [];
    const { putCode, redeem, audit } = createTokenWorld({
      settings: { consents: { find: async () => undefined } as never },
      grants: (grants) => ({
        ...grants,
        start: async (grant, caller) => {
          started.push(grant.sessionId);
          return grants.start(grant, caller);
        },
        end: async (session, reason, caller) => {
          ended.push(session.id);
          return grants.end(session, reason, caller);
        },
      }),
    });
    expect(short(await redeem(await putCode()))).toEqual(INVALID_GRANT);
    expect(started).toHaveLength(1);
    expect(ended).toEqual(started);
    expect(reasons(audit)).toEqual(['consent']);
  });

  it('asks for no consent where the registration implies it', async () => {
    const { putCode, redeem } = createTokenWorld({
      clients: [{ consent: 'implied' }],
      settings: { consents: { find: async () => undefined } as never },
    });
    expect(short(await redeem(await putCode()))).toEqual({ status: 200 });
  });
});

describe('a code that comes again', () => {
  it('ends what it gave (OAU-22)', async () => {
    const { putCode, redeem, refresh, isLive, audit } = createTokenWorld();
    const code = await putCode();
    const { body } = await redeem(code);
    expect(await isLive(body.access_token)).toBe(true);
    expect(short(await redeem(code))).toEqual(INVALID_GRANT);
    expect(await isLive(body.access_token)).toBe(false);
    expect(short(await refresh(body.refresh_token))).toEqual(INVALID_GRANT);
    const { sid } = claimsOf(body.access_token);
    expect(audit.filter(({ type }) => type === 'code.replayed')).toEqual([
      {
        type: 'code.replayed',
        ...{ accountId: 'id-ada', clientId: 'spa', sessionId: sid, ip: '192.0.2.1', requestId: 'r1' },
      },
    ]);
  });

  it.each([
    ['by another client', { client_id: 'other' }],
    ['with a wrong verifier', { code_verifier: WRONG }],
    ['without a redirect URI', { redirect_uri: '' }],
  ])('ends it %s too (OAU-23)', async (_name, form: Record<string, string>) => {
    const { putCode, redeem, isLive } = createTokenWorld({ clients: [{ id: 'other' }] });
    const code = await putCode();
    const { body } = await redeem(code);
    expect(short(await redeem(code, form))).toEqual(INVALID_GRANT);
    expect(await isLive(body.access_token)).toBe(false);
  });

  it('ends it after the code has expired too', async () => {
    const { putCode, redeem, isLive, time } = createTokenWorld();
    const code = await putCode();
    const { body } = await redeem(code);
    time.now += 600_000;
    expect(short(await redeem(code))).toEqual(INVALID_GRANT);
    expect(await isLive(body.access_token)).toBe(false);
  });

  it('ends nothing else of the account', async () => {
    const { putCode, redeem, isLive } = createTokenWorld();
    const other = await redeem(await putCode());
    const code = await putCode();
    await redeem(code);
    await redeem(code);
    expect(await isLive(other.body.access_token)).toBe(true);
  });

  it('ends the session even where no mark can be left (OAU-24)', async () => {
    let isDown = false;
    const { putCode, redeem, isLive } = createTokenWorld({
      codes: (codes) => ({
        ...codes,
        take: async (...args) => (isDown ? Promise.reject(new Error('down')) : codes.take(...args)),
      }),
    });
    const code = await putCode();
    const { body } = await redeem(code);
    isDown = true;
    expect((await redeem(code)).status).toBe(500);
    expect(await isLive(body.access_token)).toBe(false);
  });

  it('leaves a session dead that starts while the replay is under way', async () => {
    let replay: (() => Promise<unknown>) | undefined;
    const { putCode, redeem, isLive, refresh } = createTokenWorld({
      grants: (grants) => ({
        ...grants,
        async start(grant, caller) {
          await replay?.();
          return grants.start(grant, caller);
        },
      }),
    });
    const code = await putCode();
    replay = () => redeem(code);
    const { status, body } = await redeem(code);
    expect(status).toBe(200);
    expect(await isLive(body.access_token)).toBe(false);
    expect(short(await refresh(body.refresh_token))).toEqual(INVALID_GRANT);
  });

  it('is redeemed once by 1,000 parallel requests (X1)', async () => {
    const late = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 2 + Math.random() * 8));
    const slow =
      <A extends unknown[], R>(call: (...args: A) => Promise<R>) =>
      async (...args: A): Promise<R> => {
        await late();
        const result = await call(...args);
        await late();
        return result;
      };
    const { putCode, redeem, refresh, isLive } = createTokenWorld({
      codes: (codes) => ({
        put: codes.put,
        ...{ find: slow(codes.find), take: slow(codes.take), fail: slow(codes.fail) },
      }),
      grants: (grants) => ({ ...grants, start: slow(grants.start), end: slow(grants.end) }),
    });
    const code = await putCode();
    const answers = await Promise.all(Array.from({ length: 1_000 }, () => redeem(code)));
    const won = answers.filter(({ status }) => status === 200);
    expect(won).toHaveLength(1);
    expect(answers.filter(({ body }) => body.error === 'invalid_grant')).toHaveLength(999);
    expect(await isLive(won[0]?.body.access_token)).toBe(false);
    expect(short(await refresh(won[0]?.body.refresh_token))).toEqual(INVALID_GRANT);
  });
});

describe('a store that fails while a code is redeemed', () => {
  const METHODS = ['codes.find', 'codes.take', 'grants.start', 'consents.find', 'codes.find again'] as const;

  it.each(METHODS)('gives nothing when %s fails (STO-01, STO-02)', async (failing) => {
    const { ServiceDown, isDown } = fault(failing);
    const sessions: string[] = [];
    const { putCode, redeem, settings } = createTokenWorld({
      codes: (codes) => ({
        ...codes,
        find: isDown.find(codes.find),
        take: isDown.on('codes.take', codes.take),
      }),
      settings: {
        consents: {
          find: isDown.on('consents.find', async () => ({ scopes: ['openid', 'profile', 'create'] })),
        } as never,
      },
      grants: (grants) => ({
        ...grants,
        start: isDown.on('grants.start', async (grant, caller) => {
          sessions.push(grant.sessionId);
          return grants.start(grant, caller);
        }),
      }),
    });
    const code = await putCode();
    const answer = await redeem(code);
    expect(short(answer)).toEqual({ status: 503, error: 'temporarily_unavailable' });
    expect(JSON.stringify(answer.body)).not.toContain('token":');
    expect(ServiceDown.count).toBe(1);
    for (const id of sessions) expect(await settings.accounts.grants.find(id, 'any')).toBe(undefined);
    const isConsumed = !['codes.find', 'codes.take'].includes(failing);
    expect(short(await redeem(code))).toEqual(isConsumed ? INVALID_GRANT : { status: 200 });
  });

  it('counts a wrong verifier or answers 503, never lets it pass', async () => {
    const { isDown } = fault('codes.fail');
    const { putCode, redeem } = createTokenWorld({
      codes: (codes) => ({ ...codes, fail: isDown.on('codes.fail', codes.fail) }),
    });
    expect(short(await redeem(await putCode(), { code_verifier: WRONG }))).toEqual({
      ...{ status: 503, error: 'temporarily_unavailable' },
    });
  });
});

describe('keys that tokens are bound to', () => {
  it('binds the access token to the key of the proof, and the refresh token of a public client', async () => {
    const { putCode, redeem, refresh } = createTokenWorld();
    const { body } = await redeem(await putCode(), {}, { dpop: 'key-1' });
    expect(body.token_type).toBe('DPoP');
    expect(claimsOf(body.access_token).cnf).toEqual({ jkt: 'key-1' });
    expect(short(await refresh(body.refresh_token))).toEqual(INVALID_GRANT);
    expect(short(await refresh(body.refresh_token, {}, { dpop: 'key-2' }))).toEqual(INVALID_GRANT);
    const next = await refresh(body.refresh_token, {}, { dpop: 'key-1' });
    expect(short(next)).toEqual({ status: 200 });
    expect(claimsOf(next.body.access_token).cnf).toEqual({ jkt: 'key-1' });
  });

  it('wants the key that the code is bound to (RFC 9449 section 10)', async () => {
    const { putCode, redeem, audit } = createTokenWorld();
    const code = await putCode({ dpopThumbprint: 'key-1' });
    expect(short(await redeem(code))).toEqual(INVALID_GRANT);
    expect(short(await redeem(code, {}, { dpop: 'key-2' }))).toEqual(INVALID_GRANT);
    expect(reasons(audit)).toEqual(['dpop_key', 'dpop_key']);
    expect(short(await redeem(code, {}, { dpop: 'key-1' }))).toEqual({ status: 200 });
  });

  it('binds the tokens of a client with a certificate to it (RFC 8705 section 3)', async () => {
    const { putCode, redeem, refresh } = createTokenWorld({ clients: [{ bindsToCertificate: true }] });
    const code = await putCode();
    expect(short(await redeem(code))).toEqual({ status: 401, error: 'invalid_client' });
    const { body } = await redeem(code, {}, { certificate: 'cert-1' });
    expect(claimsOf(body.access_token).cnf).toEqual({ 'x5t#S256': 'cert-1' });
    const next = await refresh(body.refresh_token, {}, { certificate: 'cert-1' });
    expect(claimsOf(next.body.access_token).cnf).toEqual({ 'x5t#S256': 'cert-1' });
  });
});

describe('PKCE', () => {
  it('knows a challenge by its form (OAU-09)', () => {
    expect(isCodeChallenge(CHALLENGE)).toBe(true);
    const wrong = [CHALLENGE.slice(1), `${CHALLENGE}A`, `${CHALLENGE.slice(1)}=`, `${CHALLENGE.slice(2)}+/`, undefined];
    for (const text of [...wrong, `${CHALLENGE}\n`, `é${CHALLENGE.slice(1)}`])
      expect(isCodeChallenge(text)).toBe(false);
  });

  it('matches the verifier of RFC 7636 appendix B and no other', () => {
    expect(verifierMatches(VERIFIER, CHALLENGE)).toBe(true);
    expect(verifierMatches(CHALLENGE, CHALLENGE)).toBe(false);
    for (const verifier of ['', 'a'.repeat(42), 'a'.repeat(129), `${'a'.repeat(43)}+`, `${'a'.repeat(43)}\n`]) {
      expect(verifierMatches(verifier, sha256(verifier))).toBe(false);
    }
    for (const verifier of ['a'.repeat(43), 'a'.repeat(128), `${'a'.repeat(40)}._~-`]) {
      expect(verifierMatches(verifier, sha256(verifier))).toBe(true);
    }
  });
});

/** Makes one call fail, once, as a store does that is not there. */
function fault(failing: string) {
  const ServiceDown = { count: 0 };
  let finds = 0;
  const on =
    <A extends unknown[], R>(name: string, call: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      if (name !== failing || ServiceDown.count > 0) return call(...args);
      ServiceDown.count += 1;
      throw new DoorwardError('SERVICE_UNAVAILABLE');
    };
  const find = <A extends unknown[], R>(call: (...args: A) => Promise<R>) => {
    const first = on('codes.find', call);
    const again = on('codes.find again', call);
    return async (...args: A): Promise<R> => {
      finds += 1;
      return finds === 1 ? first(...args) : again(...args);
    };
  };
  return { ServiceDown, isDown: { on, find } };
}
