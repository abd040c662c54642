import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bearer, challengeOf, type Service, startService } from './harness.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const gated: [string, string][] = [
  ['GET', '/me'],
  ['POST', '/refresh'],
  ['POST', '/api/ml/predict'],
  ['GET', '/api/posts'],
  ['POST', '/api/posts'],
  ['DELETE', '/api/posts/no-such-post'],
  ['DELETE', '/api/users/no-such-user'],
  ['PATCH', '/api/users/no-such-user'],
  ['GET', '/api/documents/no-such-document'],
];

/** `/refresh` belongs to the logins of the service and is no resource of the authorization server. */
const challengeAt = (path: string, answer: { headers: Headers }) =>
  path === '/refresh' ? answer.headers.get('www-authenticate') : challengeOf(answer);

describe('401', () => {
  it.each(gated)('%s %s without a token: {error}, WWW-Authenticate: Bearer and no error code', async (method, path) => {
    const answer = await service.fetch(path, { method });
    expect(answer.status).toBe(401);
    expect(answer.body).toEqual({ error: 'Not authenticated' });
    expect(challengeAt(path, answer)).toBe('Bearer');
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(answer.headers.get('cache-control')).toBe('no-store');
  });

  it.each([...gated, ['GET', '/users/me'], ['GET', '/ml/predict']])(
    '%s %s with a bad token: error="invalid_token" in the header, the same body',
    async (method, path) => {
      const answer = await service.fetch(path, { method, headers: bearer('not.a.token') });
      expect(answer.status).toBe(401);
      expect(challengeAt(path, answer)).toBe('Bearer error="invalid_token"');
      expect(Object.values(answer.body)).toEqual(['Not authenticated']);
    },
  );

  it('a token in the query or in the body counts for nothing', async () => {
    const token = await service.token('admin');
    expect((await service.fetch(`/me?access_token=${token}`)).status).toBe(401);
    expect((await service.postJson('/refresh', { access_token: token })).status).toBe(401);
  });
});

describe('403', () => {
  it('carries Forbidden, the required permission, and error="insufficient_scope"', async () => {
    const answer = await service.fetch('/api/posts/1', {
      method: 'DELETE',
      headers: bearer(await service.token('viewer')),
    });
    expect(answer.status).toBe(403);
    expect(answer.body).toEqual({ error: 'Forbidden', message: 'Requires permission: delete' });
    expect(challengeOf(answer)).toBe('Bearer error="insufficient_scope"');
  });

  it('of a policy names the action and never the rule', async () => {
    const answer = await service.fetch('/api/documents/plan', { headers: bearer(await service.token('viewer')) });
    expect(answer.status).toBe(403);
    expect(answer.body).toEqual({ error: 'Forbidden', message: expect.stringContaining('read') });
    expect(answer.text).not.toMatch(/department|owner|sensitiv|rule/);
  });

  it('comes before a 404: a permission gate does not tell which ids exist', async () => {
    const viewer = bearer(await service.token('viewer'));
    expect((await service.fetch('/api/posts/no-such-post', { method: 'DELETE', headers: viewer })).status).toBe(403);
    expect((await service.fetch('/api/users/no-such-user', { method: 'DELETE', headers: viewer })).status).toBe(403);
  });
});

describe('other errors', () => {
  it('404 {error} for what does not exist, after the gate has allowed', async () => {
    const admin = bearer(await service.token('admin'));
    for (const path of ['/api/posts/no-such-post', '/api/users/no-such-user']) {
      expect(await service.fetch(path, { method: 'DELETE', headers: admin })).toMatchObject({
        status: 404,
        body: { error: expect.any(String) },
      });
    }
    expect(await service.fetch('/no/such/route')).toMatchObject({ status: 404, body: { error: expect.any(String) } });
  });

  it('405 with Allow', async () => {
    const answer = await service.fetch('/login');
    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')).toBe('POST');
    expect((await service.fetch('/graphql', { method: 'PUT' })).headers.get('allow')).toBe('GET, POST');
  });

  it.each([
    ['/login', 16],
    ['/register', 16],
    ['/api/ml/predict', 64],
    ['/graphql', 100],
  ])('413 for a body of %s over %i KiB', async (path, kib) => {
    const token = await service.token('viewer');
    const over = await service.postJson(
      path,
      { username: 'x', input: 'x'.repeat(kib * 1_024), query: '{__typename}' },
      token,
    );
    expect(over.status).toBe(413);
    expect(over.body).toEqual({ error: expect.any(String) });
  });

  it.each([
    ['/login', 'application/x-www-form-urlencoded'],
    ['/login', 'text/plain'],
    ['/register', 'application/json; charset=utf-16'],
    ['/token', 'application/json'],
    ['/api/ml/predict', 'text/plain'],
    ['/graphql', 'text/plain'],
  ])('415 for %s as %s', async (path, type) => {
    const headers = { 'content-type': type, ...bearer(await service.token('viewer')) };
    expect((await service.fetch(path, { method: 'POST', headers, body: '{"query":"{__typename}"}' })).status).toBe(415);
  });

  it.each(['/login', '/register', '/api/ml/predict', '/graphql'])('400 for malformed JSON at %s', async (path) => {
    const headers = { 'content-type': 'application/json', ...bearer(await service.token('viewer')) };
    expect((await service.fetch(path, { method: 'POST', headers, body: '{"a":' })).status).toBe(400);
  });

  it('no answer carries a stack, SQL, a hash or the server version', async () => {
    const answers = await Promise.all([
      service.fetch('/nowhere'),
      service.fetch('/me'),
      service.fetch("/api/posts/'%20OR%201=1--", { method: 'DELETE', headers: bearer(await service.token('admin')) }),
      service.postJson('/login', { username: "' OR 1=1--", password: 'x'.repeat(20) }),
      service.graphql('{ nonsense }'),
      service.graphql('{ user(id: {}) { id } }'),
    ]);
    for (const { text, headers } of answers) {
      expect(text).not.toMatch(/\bat .+:\d+:\d+|SELECT|node_modules|\$2[aby]\$/);
      expect(headers.get('x-powered-by')).toBeNull();
      expect(headers.get('server')).toBeNull();
      expect(headers.get('x-content-type-options')).toBe('nosniff');
    }
  });
});
