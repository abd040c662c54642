import { getIntrospectionQuery } from 'graphql';
import { createClient } from 'graphql-ws';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { DEMO_PASSWORD, type Service, startService } from './harness.ts';

function chain(depth: number): string {
  const fields = [
    'users(limit: 1)',
    ...Array.from({ length: depth - 2 }, (_, index) => (index % 2 === 0 ? 'posts' : 'author')),
  ];
  return `{ ${fields.map((field) => `${field} { `).join('')}id${' }'.repeat(fields.length)} }`;
}
const repeated = (count: number, one: (index: number) => string) =>
  `{ ${Array.from({ length: count }, (_, index) => one(index)).join(' ')} }`;

const USER_FIELDS = ['id', 'name', 'email', 'createdAt', '__typename'];
const POST_FIELDS = ['id', 'title', 'content', 'published', '__typename'];

/** A document of so many fields, in 28 branches that are not deep, without two of a name side by side. */
function wide(count: number): string {
  const block = (size: number): string => {
    if (size <= 5) return USER_FIELDS.slice(0, size).join(' ');
    const posts =
      size <= 10 ? POST_FIELDS.slice(0, size - 5) : [...POST_FIELDS.slice(0, 4), `author { ${block(size - 10)} }`];
    return `${USER_FIELDS.slice(0, 4).join(' ')} posts { ${posts.join(' ')} }`;
  };
  const sizes = Array.from({ length: 28 }, (_, index) => Math.floor((count - 28 + index) / 28));
  return `{ ${sizes.map((size, index) => `u${index}: user(id: "x") { ${block(size)} }`).join(' ')} }`;
}

const edges: [string, string, string][] = [
  ['depth 12', chain(12), chain(13)],
  ['30 aliases', repeated(30, (n) => `a${n}: __typename`), repeated(31, (n) => `a${n}: __typename`)],
  ['1,000 fields', wide(1_000), wide(1_001)],
  [
    '50 directives',
    repeated(50, () => '__typename @skip(if: false)'),
    repeated(51, () => '__typename @skip(if: false)'),
  ],
  [
    '1,000 fields after fragments are expanded',
    `{ ...F ...F ...F } fragment F on Query ${repeated(300, () => '__typename')}`,
    `{ ...F ...F ...F ...F } fragment F on Query ${repeated(300, () => '__typename')}`,
  ],
  ['5,000 tokens', `{ __typename${' '.repeat(10)}} ${'#'.repeat(9_000)}`, repeated(5_000, () => '__typename')],
];

describe('limits of GraphQL documents', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.close());

  it.each(edges)(
    'DOS-07 up to %s a document is answered, over it refused with 400 under either media type',
    async (_, within, over) => {
      const token = await service.token('viewer');
      const answered = await service.graphql(within, token);
      expect([answered.status, answered.body.errors]).toEqual([200, undefined]);
      for (const accept of ['application/json', 'application/graphql-response+json']) {
        const answer = await service.fetch('/graphql', {
          method: 'POST',
          headers: { 'content-type': 'application/json', accept, authorization: `Bearer ${token}` },
          body: JSON.stringify({ query: over }),
        });
        expect(answer.status, accept).toBe(400);
        expect(answer.body).toEqual({
          errors: [{ message: expect.any(String), extensions: { code: 'BAD_USER_INPUT' } }],
        });
      }
    },
  );

  it.each(edges)('%s holds over WebSocket too', async (_, within, over) => {
    const client = createClient({
      url: `${service.url.replace('http', 'ws')}/graphql`,
      webSocketImpl: WebSocket,
      retryAttempts: 0,
      connectionParams: { authorization: `Bearer ${await service.token('viewer')}` },
    });
    const run = (query: string) =>
      new Promise<unknown>((resolve) => {
        let data: unknown;
        client.subscribe(
          { query },
          {
            next: (result) => {
              data = result.data;
            },
            error: (error) => resolve({ error }),
            complete: () => resolve(data),
          },
        );
      });
    expect(await run(within)).toBeTypeOf('object');
    expect(await run(within)).not.toHaveProperty('error');
    expect(await run(over)).toHaveProperty('error');
    await client.dispose();
  });

  it('a fragment cycle is refused with 400', async () => {
    const answer = await service.graphql('{ ...A } fragment A on Query { ...B } fragment B on Query { ...A }');
    expect(answer.status).toBe(400);
  });

  it('DOS-10 a fragment fan-out is refused quickly', async () => {
    const levels = Array.from({ length: 25 }, (_, n) => `fragment F${n} on Query { ...F${n + 1} ...F${n + 1} }`).join(
      ' ',
    );
    const answer = await service.graphql(`{ ...F0 } ${levels} fragment F25 on Query { __typename }`);
    expect(answer.status).toBe(400);
  });

  it.each([
    ['selections', '{ a '.repeat(2_400)],
    ['lists', `{ users(limit: ${'['.repeat(4_000)}`],
  ])('a document of thousands of nested %s is a 400, never a crash', async (_, query) => {
    expect((await service.graphql(query)).status).toBeLessThan(500);
    expect((await service.graphql('{ __typename }')).status).toBe(200);
  });

  it('the standard introspection query passes', async () => {
    expect((await service.graphql(getIntrospectionQuery())).body.data.__schema.queryType.name).toBe('Query');
  });
});

describe('GRAPHQL_INTROSPECTION=off', () => {
  it('GQL-07 refuses every form of introspection and keeps __typename', async () => {
    const service = await startService({ GRAPHQL_INTROSPECTION: 'off' });
    for (const query of [
      getIntrospectionQuery(),
      '{ __type(name: "User") { name } }',
      '{ ...F } fragment F on Query { __schema { types { name } } }',
      '{ x: __schema { types { name } } }',
    ]) {
      expect((await service.graphql(query)).status).toBe(400);
    }
    expect((await service.graphql('{ __typename }')).body).toEqual({ data: { __typename: 'Query' } });
    await service.close();
  });
});

describe('login limits', () => {
  it('LOG-18 the 11th failure in 15 minutes is 429 with Retry-After, for known and unknown names alike', async () => {
    const service = await startService({ TRUSTED_PROXIES: '127.0.0.1' });
    const login = (username: string, password: string, n: number) =>
      service.fetch('/login', {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-forwarded-for': `192.0.2.${n}` },
        body: JSON.stringify({ username, password }),
      });
    const refused = [];
    for (const username of ['viewer', 'no-such-user']) {
      for (let n = 1; n <= 10; n += 1) expect((await login(username, 'a wrong password', n)).status).toBe(401);
      refused.push(await login(username, DEMO_PASSWORD, 11));
    }
    const [known, unknown] = refused;
    expect(known?.status).toBe(429);
    expect(Number(known?.headers.get('retry-after'))).toBeGreaterThan(0);
    expect([unknown?.status, unknown?.text]).toEqual([known?.status, known?.text]);
    expect((await login('editor', DEMO_PASSWORD, 12)).status).toBe(200);
    service.clock.now += 15 * 60_000 + 1_000;
    expect((await login('viewer', DEMO_PASSWORD, 13)).status).toBe(200);
    await service.close();
  });

  it('LOGIN_MAX_FAILURES sets the limit, and /token and /login share it', async () => {
    const service = await startService({ LOGIN_MAX_FAILURES: '2' });
    await service.postJson('/login', { username: 'viewer', password: 'a wrong password' });
    await service.postForm('/token', { username: 'viewer', password: 'a wrong password' });
    expect((await service.postForm('/token', { username: 'viewer', password: DEMO_PASSWORD })).status).toBe(429);
    await service.close();
  });

  it('REGISTER_MAX_PER_HOUR bounds registrations by address', async () => {
    const service = await startService({ REGISTER_MAX_PER_HOUR: '2' });
    const register = (n: number) =>
      service.postJson('/register', { username: `r${n}`, email: 'r@example.org', password: 'a good passphrase' });
    expect((await register(1)).status).toBe(201);
    expect((await register(2)).status).toBe(201);
    const third = await register(3);
    expect(third.status).toBe(429);
    expect(Number(third.headers.get('retry-after'))).toBeGreaterThan(0);
    service.clock.now += 3_600_000;
    expect((await register(4)).status).toBe(201);
    await service.close();
  });
});
