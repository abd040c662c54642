import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bearer, challengeOf, DEMO_PASSWORD, ids, type Service, startService } from './harness.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const raw = (body: string, headers: Record<string, string> = {}) =>
  service.fetch('/graphql', { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body });

describe('GraphQL requests', () => {
  it.each([
    ['NONSENSE', 'NONSENSE'],
    ['half a body', '{"query":'],
    ['a list', '[]'],
    ['a list of operations', '[{"query":"{__typename}"},{"query":"{__typename}"}]'],
    ['a text', '"{__typename}"'],
    ['null', 'null'],
    ['no query', '{"qeury":"{__typename}"}'],
    ['a number as query', '{"query":1}'],
    ['a list as variables', '{"query":"{__typename}","variables":[7]}'],
    ['a text as variables', '{"query":"{__typename}","variables":"7"}'],
    ['a number as operationName', '{"query":"{__typename}","operationName":5}'],
    ['a text as extensions', '{"query":"{__typename}","extensions":"x"}'],
  ])('GQL-02 GQL-10 %s is 400 with errors, without data and without a stack', async (_, body) => {
    const answer = await raw(body);
    expect(answer.status).toBe(400);
    expect(answer.body).toHaveProperty('errors');
    expect(answer.body).not.toHaveProperty('data');
    expect(answer.text).not.toMatch(/\bat .+:\d+/);
    for (const error of answer.body.errors) expect(error.extensions.code).toBe('BAD_USER_INPUT');
  });

  it('GQL-01 GQL-03 a query is answered, whatever other keys stand beside it', async () => {
    const answer = await raw('{"query":"{__typename}","__proto__":{"x":1},"unknown":true}');
    expect(answer).toMatchObject({ status: 200, body: { data: { __typename: 'Query' } } });
  });

  it.each([
    ['text/html', 406, null],
    ['application/graphql-response+json', 200, 'application/graphql-response+json; charset=utf-8'],
    ['application/json', 200, 'application/json; charset=utf-8'],
    ['*/*', 200, 'application/json; charset=utf-8'],
  ])('GQL-04 Accept: %s is answered with %i', async (accept, status, type) => {
    const answer = await raw('{"query":"{__typename}"}', { accept });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([status, type]);
  });

  it('GQL-06 nothing is known by a cookie', async () => {
    const token = await service.token('admin');
    const answer = await raw('{"query":"{users{id}}"}', {
      cookie: `token=${token}; access_token=${token}; authorization=Bearer ${token}`,
    });
    expect(answer.body.errors[0].extensions.code).toBe('UNAUTHENTICATED');
    expect(answer.headers.get('set-cookie')).toBeNull();
  });

  it('GQL-08 in production unknown fields, arguments and values get no suggestion', async () => {
    const production = await startService({ NODE_ENV: 'production' });
    for (const query of [
      '{ usrs { id } }',
      '{ users(limt: 1) { id } }',
      '{ users { nam } }',
      'query($x: CreatePostInpt) { __typename }',
    ]) {
      const { text } = await production.graphql(query);
      expect(text).not.toMatch(/did you mean/i);
    }
    await production.close();
  });

  it('GQL-13 a DateTime goes out only, and no argument takes one', async () => {
    const { body } = await service.graphql(
      '{ __schema { types { name fields { args { type { name ofType { name } } } } inputFields { type { name ofType { name } } } } } }',
    );
    expect(JSON.stringify(body.data)).not.toMatch(/"(args|inputFields)":\[[^\]]*DateTime/);
  });

  it('LOG-21 there is no login among the mutations, so no alias multiplies guesses', async () => {
    const { body } = await service.graphql('{ __schema { mutationType { fields { name } } } }');
    expect(body.data.__schema.mutationType.fields.map((field: { name: string }) => field.name)).toEqual([
      'createUser',
      'createPost',
      'publishPost',
    ]);
  });
});

describe('ids', () => {
  it.each([
    '1e0',
    '%201',
    '01',
    '1,2',
    '%5B%221%22%5D',
    ids.draftOfEditor.toUpperCase().replace('1', '１'),
    '..%2f..',
    '%00',
    '__proto__',
    'constructor',
  ])('AZ-15 %s is nobody’s post, document or account', async (id) => {
    const admin = { headers: bearer(await service.token('admin')) };
    for (const path of [`/api/posts/${id}`, `/api/users/${id}`]) {
      expect((await service.fetch(path, { ...admin, method: 'DELETE' })).status, path).toBe(404);
    }
    expect((await service.fetch(`/api/documents/${id}`, admin)).status).toBe(404);
  });

  it('AZ-15 another’s draft is not reached by other spellings of its id', async () => {
    const viewer = await service.token('viewer');
    for (const id of [
      ids.draftOfEditor,
      ids.draftOfEditor.toUpperCase(),
      ` ${ids.draftOfEditor}`,
      `${ids.draftOfEditor}%`,
      `{${ids.draftOfEditor}}`,
    ]) {
      const { body } = await service.graphql('query($id: ID!) { post(id: $id) { title } }', viewer, { id });
      expect(body).toEqual({ data: { post: null } });
    }
  });

  it('AZ-17 ownership is read from the row of the moment', async () => {
    const { token, id } = await service.newcomer();
    const admin = await service.token('admin');
    const created = await service.graphql(
      'mutation($a: ID!) { createPost(title: "Own", content: "", authorId: $a) { id } }',
      admin,
      { a: id },
    );
    const post = created.body.data.createPost.id;
    await service.fetch(`/api/posts/${post}`, { method: 'DELETE', headers: bearer(admin) });
    const { body } = await service.graphql('mutation($id: ID!) { publishPost(id: $id) { id } }', token, { id: post });
    expect(body.errors[0].extensions.code).toBe('FORBIDDEN');
  });
});

describe('browsers', () => {
  it('HTTP-20 no origin is reflected, and no preflight is granted', async () => {
    for (const init of [
      { method: 'OPTIONS', headers: { origin: 'https://evil.example', 'access-control-request-method': 'POST' } },
      { method: 'GET', headers: { origin: 'https://evil.example', ...bearer(await service.token('viewer')) } },
    ]) {
      const { headers } = await service.fetch('/me', init);
      expect([...headers.keys()].filter((name) => name.startsWith('access-control-'))).toEqual([]);
    }
  });
});

describe('what a client learns', () => {
  it('AUD-09 every refused token gets the same answer', async () => {
    const good = await service.token('viewer');
    const [header = '', payload = '', signature = ''] = good.split('.');
    const other = (text: string) => Buffer.from(text).toString('base64url');
    const { token: removed, id } = await service.newcomer();
    await service.fetch(`/api/users/${id}`, { method: 'DELETE', headers: bearer(await service.token('admin')) });
    const tokens = [
      'x',
      `${header}.${payload}.`,
      `${other('{"alg":"none","typ":"JWT"}')}.${payload}.`,
      `${header}.${other('{"sub":"admin","exp":9999999999}')}.${signature}`,
      `${header}.${payload}.${signature.slice(0, -2)}AA`,
      removed,
    ];
    const answers = await Promise.all(tokens.map((token) => service.fetch('/me', { headers: bearer(token) })));
    const seen = new Set(answers.map((answer) => `${answer.status} ${answer.text} ${challengeOf(answer)}`));
    expect([...seen]).toEqual(['401 {"error":"Not authenticated"} Bearer error="invalid_token"']);
  });

  it('LOG-02 LOG-03 registering, logging in and looking at oneself never shows a hash', async () => {
    const person = { username: 'hash-hunter', email: 'h@example.org', password: 'a good passphrase' };
    const registered = await service.postJson('/register', person);
    const login = await service.postJson('/login', person);
    const me = await service.fetch('/me', { headers: bearer(login.body.access_token) });
    const wrong = await service.postJson('/login', { ...person, password: DEMO_PASSWORD });
    for (const { text } of [registered, login, me, wrong])
      expect(text).not.toMatch(/\$2[aby]?\$|hash(?!-hunter)|passphrase/i);
  });
});
