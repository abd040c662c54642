import { OAuth2Server } from 'oauth2-mock-server';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bearer, challengeOf, type Service, startService } from './harness.ts';

const AUDIENCE = 'https://api.example.org';
const issuer = new OAuth2Server();
let service: Service;

beforeAll(async () => {
  await issuer.issuer.keys.generate('RS256');
  await issuer.start(0, '127.0.0.1');
  service = await startService({ AUTH_ISSUER: String(issuer.issuer.url), AUTH_AUDIENCE: AUDIENCE });
});
afterAll(async () => {
  await service.close();
  await issuer.stop();
});

/** An access token as the other issuer makes it. */
function tokenOf(subject: string, claims: Record<string, unknown> = {}): Promise<string> {
  return issuer.issuer.buildToken({
    scopesOrTransform: (_header, payload) => {
      Object.assign(payload, { sub: subject, aud: AUDIENCE, scope: 'read', jti: `${subject}-1`, ...claims });
    },
  });
}
const get = (path: string, token: string) => service.fetch(path, { headers: bearer(token) });
const createPost = (token: string) =>
  service.fetch('/api/posts', {
    method: 'POST',
    headers: { ...bearer(token), 'content-type': 'application/json' },
    body: '{}',
  });

it('takes the tokens of the other issuer, everyone as an account of their own', async () => {
  const first = await get('/me', await tokenOf('johndoe'));
  expect(first.status).toBe(200);
  expect(first.body.roles).toEqual(['viewer']);
  const again = await get('/me', await tokenOf('johndoe'));
  expect(again.body.id).toBe(first.body.id);
  expect((await get('/me', await tokenOf('janedoe'))).body.id).not.toBe(first.body.id);
  expect((await get('/api/posts', await tokenOf('johndoe'))).status).toBe(200);
});

it('keeps its own logins beside them', async () => {
  expect((await get('/me', await service.token('viewer'))).body.username).toBe('viewer');
});

it('never takes a subject of the other issuer for an account of its own', async () => {
  for (const subject of ['admin', '00000000-0000-4000-8000-000000000001']) {
    const { body } = await get('/me', await tokenOf(subject));
    expect(body.username).not.toBe('admin');
    expect(body.roles).toEqual(['viewer']);
  }
});

it('gives roles to such an account by its own rules, and narrows by the scopes of the token', async () => {
  const { body } = await get('/me', await tokenOf('writer'));
  const promoted = await service.fetch(`/api/users/${body.id}`, {
    method: 'PATCH',
    headers: { ...bearer(await service.token('admin')), 'content-type': 'application/json' },
    body: JSON.stringify({ roles: ['editor'] }),
  });
  expect(promoted.status).toBe(200);
  expect((await createPost(await tokenOf('writer'))).status).toBe(403);
  expect((await createPost(await tokenOf('writer', { scope: 'read create' }))).status).toBe(200);
  expect((await createPost(await tokenOf('writer', { scope: undefined }))).status).toBe(403);
});

it('takes many first requests of one subject at once', async () => {
  const token = await tokenOf('in-a-hurry');
  const answers = await Promise.all(Array.from({ length: 10 }, () => get('/me', token)));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
});

it.each([
  ['another audience', { aud: 'https://other.example.org' }],
  ['no audience', { aud: undefined }],
  ['another issuer', { iss: 'http://evil.example.org' }],
  ['no subject', { sub: undefined }],
  ['an end that has passed', { exp: 1_000 }],
])('refuses a token with %s', async (_name, claims) => {
  const { status, headers } = await get('/me', await tokenOf('johndoe', claims));
  expect(status).toBe(401);
  expect(challengeOf({ headers })).toBe('Bearer error="invalid_token"');
});

it('refuses a disabled account of the other issuer', async () => {
  const token = await tokenOf('leaver');
  const { body } = await get('/me', token);
  const disable = (disabled: boolean) =>
    service.token('admin').then((admin) =>
      service.fetch(`/api/users/${body.id}`, {
        method: 'PATCH',
        headers: { ...bearer(admin), 'content-type': 'application/json' },
        body: JSON.stringify({ disabled }),
      }),
    );
  expect((await disable(true)).status).toBe(200);
  expect((await get('/me', token)).status).toBe(401);
  await disable(false);
  expect((await get('/me', token)).status).toBe(200);
});

it('answers 503, and goes on with its own tokens, when the issuer cannot be reached', async () => {
  const lonely = await startService({ AUTH_ISSUER: 'http://127.0.0.1:9', AUTH_AUDIENCE: AUDIENCE });
  try {
    expect((await lonely.fetch('/me', { headers: bearer(await tokenOf('johndoe')) })).status).toBe(503);
    expect((await lonely.fetch('/me', { headers: bearer(await lonely.token('viewer')) })).status).toBe(200);
  } finally {
    await lonely.close();
  }
});
