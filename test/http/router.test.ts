import { DoorwardError } from 'doorward';
import { createRouter, json, type RouteHandler, type Routes } from 'doorward/http';
import { describe, expect, it } from 'vitest';
import { INFO } from './support.ts';

const show: RouteHandler = (_request, _info, { name, params }) => json(200, { name, params });

function router(routes: Routes) {
  const handler = createRouter(routes);
  return async (method: string, path: string) => {
    const response = await handler(new Request(`http://localhost${path}`, { method }), INFO);
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: text === '' ? undefined : JSON.parse(text),
    };
  };
}

describe('createRouter', () => {
  const call = router({
    'GET /': show,
    'GET /api/posts': show,
    'POST /api/posts': show,
    'DELETE /api/posts/{id}': show,
    'GET /users/me': show,
    'GET /users/{id}': show,
    'GET /users/{id}/posts/{post}': show,
    'GET /users/me/settings': show,
  });

  it('finds a route by method and path and hands over its name and parameters', async () => {
    expect((await call('DELETE', '/api/posts/42')).body).toEqual({
      name: 'DELETE /api/posts/{id}',
      params: { id: '42' },
    });
    expect((await call('GET', '/users/7/posts/9')).body.params).toEqual({ id: '7', post: '9' });
    expect((await call('GET', '/?q=1')).body.name).toBe('GET /');
  });

  it('prefers a literal to a parameter, and still finds a longer route behind the parameter', async () => {
    expect((await call('GET', '/users/me')).body.name).toBe('GET /users/me');
    expect((await call('GET', '/users/you')).body.name).toBe('GET /users/{id}');
    expect((await call('GET', '/users/me/posts/1')).body.name).toBe('GET /users/{id}/posts/{post}');
  });

  it.each([
    '/nowhere',
    '/api',
    '/api/posts/',
    '/api/posts//',
    '/api/posts/1/',
    '/API/posts',
    '/api/p%6Fsts',
    '/users/',
  ])('%s is 404 {error}', async (path) => {
    expect(await call('GET', path)).toMatchObject({ status: 404, body: { error: 'Not found' } });
  });

  it('a method that the path does not have is 405 with Allow', async () => {
    const answer = await call('PUT', '/api/posts');
    expect(answer).toMatchObject({ status: 405, body: { error: 'Method not allowed' } });
    expect(answer.headers.get('allow')).toBe('GET, POST');
  });

  it('OPTIONS and invented methods are 405 too', async () => {
    expect((await call('OPTIONS', '/api/posts')).status).toBe(405);
    expect((await call('X-TRACE', '/api/posts')).status).toBe(405);
    expect((await call('__proto__', '/api/posts')).status).toBe(405);
  });

  it('HEAD is answered by GET, without the body', async () => {
    const [head, get] = [await call('HEAD', '/api/posts'), await call('GET', '/api/posts')];
    expect(head.status).toBe(200);
    expect(head.text).toBe('');
    expect(Object.fromEntries(head.headers)).toEqual(Object.fromEntries(get.headers));
    expect((await call('HEAD', '/api/posts/1')).status).toBe(405);
  });

  it.each(['%zz', '%', '%E0%A4%A', '%FF', '%C0%AF', '%ED%A0%80'])(
    'HTTP-10 a parameter of %s is 400 and never 5xx',
    async (id) => {
      expect(await call('DELETE', `/api/posts/${id}`)).toMatchObject({
        status: 400,
        body: { error: expect.any(String) },
      });
    },
  );

  it.each([
    '..%2Fadmin',
    'a%2Fb',
    'a%5Cb',
    '%00',
    'x%0d%0aX-Injected:%20y',
    'a%7f',
    `${'a'.repeat(1_365)}`,
    `${'a'.repeat(10_240)}`,
  ])('HTTP-10 HTTP-22 no resource has the id %s', async (id) => {
    const answer = await call('DELETE', `/api/posts/${id}`);
    expect(answer.status).toBe(404);
    expect(answer.headers.has('x-injected')).toBe(false);
  });

  it('decodes a parameter once', async () => {
    expect((await call('GET', '/users/a%20b')).body.params).toEqual({ id: 'a b' });
    expect((await call('GET', '/users/%252e%252e')).body.params).toEqual({ id: '%2e%2e' });
    expect((await call('GET', `/users/${'a'.repeat(1_364)}`)).status).toBe(200);
  });

  it('dot segments are resolved before routing, encoded ones too', async () => {
    expect((await call('GET', '/users/x/%2e%2e/me')).body.name).toBe('GET /users/me');
  });

  it('parameters have no prototype', async () => {
    const seen: unknown[] = [];
    const handler = createRouter({
      'GET /{__proto__}': (_request, _info, { params }) => {
        seen.push(Object.getPrototypeOf(params), Object.keys(params));
        return json(200, {});
      },
    });
    await handler(new Request('http://localhost/x'), INFO);
    expect(seen).toEqual([null, ['__proto__']]);
  });

  it('turns what a handler throws into an answer, and tells onError of server errors only', async () => {
    const seen: unknown[] = [];
    const boom = new Error('secret detail');
    const handler = createRouter(
      {
        'GET /a': () => {
          throw boom;
        },
        'GET /b': async () => Promise.reject(new DoorwardError('HTTP_NOT_FOUND')),
        'GET /c': async () => Promise.reject(boom),
      },
      { onError: (error, info) => seen.push([error, info]) },
    );
    const statuses = [];
    for (const path of ['/a', '/b', '/c']) {
      const response = await handler(new Request(`http://localhost${path}`), INFO);
      statuses.push(response.status);
      expect(await response.text()).not.toContain('secret');
    }
    expect(statuses).toEqual([500, 404, 500]);
    expect(seen).toEqual([
      [boom, INFO],
      [boom, INFO],
    ]);
  });

  it.each([
    'GET',
    'GET posts',
    'get /posts',
    'GET  /posts',
    'GET /a b',
    'GET /{id',
    'GET /{}',
    'GET /{a}{b}',
    'GET /{id}/{id}',
    'GET /a%20b',
    'GET /a?b',
    '/posts',
  ])('refuses the route %j when it is built', (name) => {
    expect(() => createRouter({ [name]: show })).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
  });

  it('refuses the same route under two parameter names, and a route without a handler', () => {
    expect(() => createRouter({ 'GET /{a}': show, 'GET /{b}': show })).toThrow('defined twice');
    expect(() => createRouter({ 'GET /a': undefined as never })).toThrow('handler');
  });
});
