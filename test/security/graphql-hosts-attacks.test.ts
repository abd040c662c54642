import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { normalizedExecutor } from '@graphql-tools/executor';
import { makeExecutableSchema } from '@graphql-tools/schema';
import { type Authenticator, type CallerAuthenticator, environmentSource } from 'doorward';
import { type AuthContext, authDirectives, maskGraphQLError, protectSchema } from 'doorward/graphql';
import { contractRoles } from 'doorward/rbac';
import { type SseAuthOptions, sseAuth } from 'doorward/use/graphql-sse';
import { createGraphQLSockets, type GraphQLSocketsOptions } from 'doorward/use/graphql-ws';
import { mercuriusAuth } from 'doorward/use/mercurius';
import { type YogaAuthOptions, yogaAuth } from 'doorward/use/yoga';
import { fastify } from 'fastify';
import { GraphQLError, subscribe } from 'graphql';
import { createHandler } from 'graphql-sse/lib/use/http';
import { createYoga, type Plugin } from 'graphql-yoga';
import { mercurius } from 'mercurius';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { eventually } from '../eventually.ts';

const SECRET = 'postgres://app:hunter2@10.0.0.7/db';
const EVENT_STREAM = { accept: 'text/event-stream' };

interface Context {
  readonly auth: AuthContext;
}

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const world = { bumps: 0, started: 0, returned: 0, release: (): void => {} };
beforeEach(() => {
  Object.assign(world, { bumps: 0, started: 0, returned: 0, release: () => {} });
});

/** A source without events, which counts how often it is returned. */
function idle(): AsyncIterableIterator<number> {
  world.started += 1;
  let end = (_result: IteratorReturnResult<undefined>): void => {};
  return {
    next: () =>
      new Promise((resolve) => {
        end = resolve;
      }),
    async return() {
      world.returned += 1;
      const done = { done: true, value: undefined } as const;
      end(done);
      return done;
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

function failing(error: Error): () => AsyncGenerator {
  return async function* () {
    yield { failsPlain: 1, failsAsGraphQL: 1 };
    throw error;
  };
}

const typeDefs = `
  directive @defer(if: Boolean, label: String) on FRAGMENT_SPREAD | INLINE_FRAGMENT
  directive @stream(if: Boolean, label: String, initialCount: Int = 0) on FIELD
  type Part { ok: String  fails: String }
  type Query { hello: String  part: Part  list: [String]  fails: String  secret: String @auth }
  type Mutation { bump: Int @auth }
  type Subscription { failsPlain: Int  failsAsGraphQL: Int  idle: Int  late: Int @auth }
`;
const resolvers = {
  Query: {
    hello: () => 'world',
    part: () => ({}),
    async *list() {
      yield 'a';
      throw new Error(SECRET);
    },
    fails: () => {
      throw new GraphQLError(SECRET);
    },
    secret: () => 'for Ada',
  },
  Part: {
    ok: () => 'ok',
    fails: async () => {
      await new Promise(setImmediate);
      throw new Error(SECRET);
    },
  },
  Mutation: {
    bump: () => {
      world.bumps += 1;
      return world.bumps;
    },
  },
  Subscription: {
    failsPlain: { subscribe: failing(new Error(SECRET)) },
    failsAsGraphQL: { subscribe: failing(new GraphQLError(SECRET)) },
    idle: { subscribe: idle },
    late: {
      async subscribe() {
        world.started += 1;
        await new Promise<void>((resolve) => {
          world.release = resolve;
        });
        world.started -= 1;
        return idle();
      },
    },
  },
};
const schema = protectSchema<Context>(makeExecutableSchema({ typeDefs: [authDirectives(), typeDefs], resolvers }), {
  pdp: contractRoles,
});
const ada = { ok: true, principal: { id: 'ada', roles: ['viewer'], attributes: {} } } as const;
const authenticate: Authenticator = (token) => (token === 'ada-token' ? ada : { ok: false, reason: 'unknown' });
/** Whose certificate a browser has: it presents it to the server whatever page asks for it. */
const authenticateCaller: CallerAuthenticator = () => ada;

async function listen(listener?: RequestListener) {
  const server = createServer(listener);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  return { server, url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/graphql` };
}

async function startYoga(options: Partial<YogaAuthOptions> = {}, ...others: Plugin[]): Promise<string> {
  const auth = yogaAuth({ authenticate, ...options });
  const plugins = [...others, auth.plugin];
  const yoga = createYoga({ schema, plugins, maskedErrors: auth.maskedErrors, logging: false });
  closers.push(auth.close, () => yoga.dispose());
  return (await listen(yoga)).url;
}

async function startSse(options: Partial<SseAuthOptions> = {}): Promise<string> {
  const auth = sseAuth({ schema, authenticate, ...options });
  closers.push(auth.close);
  const handler = createHandler({ schema, ...auth });
  return (await listen((request, response) => void handler(request, response).catch(() => response.destroy()))).url;
}

/** The executor of Yoga, which takes `@defer` and `@stream`. */
const execute = (args: object) => normalizedExecutor(args as never) as never;

function ask(url: string, query: string, headers: Record<string, string> = {}, signal?: AbortSignal) {
  return fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer ada-token', ...headers },
    body: JSON.stringify({ query }),
    signal: signal ?? null,
  });
}

async function until(isSo: () => boolean): Promise<void> {
  await eventually(() => {
    if (!isSo()) throw new Error(`never: ${isSo}`);
  });
}

/** What a client is sent over a socket until an operation is over. */
async function overSocket(options: Partial<GraphQLSocketsOptions>, query: string): Promise<string> {
  const { server, url } = await listen();
  const environment = environmentSource();
  const sockets = createGraphQLSockets({ schema, server, authenticate, environment, ...options });
  closers.push(sockets.close);
  const socket = new WebSocket(url.replace('http', 'ws'), 'graphql-transport-ws');
  let text = '';
  socket.on('message', (data) => {
    text += data;
  });
  await once(socket, 'open');
  socket.send(JSON.stringify({ type: 'connection_init', payload: { authorization: 'Bearer ada-token' } }));
  await until(() => text.includes('connection_ack'));
  socket.send(JSON.stringify({ type: 'subscribe', id: '1', payload: { query } }));
  await until(() => /"type":"(complete|error)"/.test(text));
  socket.terminate();
  return text;
}

describe('GQL-09 the text of an error that a stream fails with stays inside', () => {
  const fields = ['failsPlain', 'failsAsGraphQL'];

  it.each(fields)('in Yoga, with its executor: %s', async (field) => {
    const text = await (await ask(await startYoga(), `subscription { ${field} }`, EVENT_STREAM)).text();
    expect(text).toContain('Internal server error');
    expect(text).not.toContain('hunter2');
  });

  it.each(fields)('in Yoga, with that of graphql: %s', async (field) => {
    const engine: Plugin = { onSubscribe: ({ setSubscribeFn }) => setSubscribeFn(subscribe) };
    const text = await (await ask(await startYoga({}, engine), `subscription { ${field} }`, EVENT_STREAM)).text();
    expect(text).toContain('Internal server error');
    expect(text).not.toContain('hunter2');
  });

  it.each(fields)('over server-sent events, with the executor of graphql-tools: %s', async (field) => {
    const url = await startSse({ subscribe: execute });
    const text = await (await ask(url, `subscription { ${field} }`, EVENT_STREAM)).text();
    expect(text).toContain('Internal server error');
    expect(text).not.toContain('hunter2');
  });

  it.each(fields)('over a socket, with the executor of graphql-tools: %s', async (field) => {
    const text = await overSocket({ subscribe: execute }, `subscription { ${field} }`);
    expect(text).toContain('Internal server error');
    expect(text).not.toContain('hunter2');
  });
});

describe('DIR-15 the errors of what @defer and @stream left for later are masked', () => {
  const documents = {
    '@defer': '{ hello part { ok ... @defer { fails } } }',
    '@stream': '{ hello list @stream(initialCount: 1) }',
  };

  it.each(Object.entries(documents))('in Yoga: %s', async (_, query) => {
    const errors: unknown[] = [];
    const url = await startYoga({ onError: (error) => errors.push(error) });
    const text = await (await ask(url, query, { accept: 'multipart/mixed' })).text();
    expect(text).toMatch(/"incremental":.*"Internal server error"/);
    expect(text).not.toContain('hunter2');
    expect(errors).toEqual([expect.objectContaining({ message: SECRET })]);
  });

  it.each(Object.entries(documents))('over server-sent events: %s', async (_, query) => {
    const text = await (await ask(await startSse({ execute }), query, EVENT_STREAM)).text();
    expect(text).toMatch(/"incremental":.*"Internal server error".*"hasNext":false/);
    expect(text).not.toContain('hunter2');
  });

  it.each(Object.entries(documents))('over a socket: %s', async (_, query) => {
    const text = await overSocket({ execute }, query);
    expect(text).toMatch(/"incremental":.*"Internal server error".*"hasNext":false/);
    expect(text).not.toContain('hunter2');
  });

  it('also those of parts that never come, as graphql 17 tells of them', async () => {
    const late = { completed: [{ id: '0', errors: [new GraphQLError(SECRET, { path: ['part'] })] }], hasNext: false };
    async function* parts() {
      yield { data: { hello: 'world' }, pending: [{ id: '0', path: [] }], hasNext: true };
      yield late;
    }
    const text = await overSocket({ execute: () => parts() as never }, '{ hello }');
    expect(text).toContain('"completed":[{"id":"0","errors":[{"message":"Internal server error","path":["part"]');
    expect(text).toContain('"pending":[{"id":"0","path":[]}]');
    expect(text).not.toContain('hunter2');
  });
});

describe('GQL-09 an error without extensions', () => {
  it('is masked, and costs nothing but its field, where Mercurius compiles queries', async () => {
    const auth = mercuriusAuth({ authenticate });
    const app = fastify();
    closers.push(auth.close, () => app.close());
    await app.register(mercurius, { schema, jit: 1, context: auth.context, errorFormatter: auth.errorFormatter });
    const request = {
      method: 'POST',
      url: '/graphql',
      payload: { query: '{ hello fails part { ok fails } }' },
    } as const;
    for (const _ of ['interpreted', 'compiled', 'compiled']) {
      const { body } = await app.inject(request);
      expect(JSON.parse(body).data).toEqual({ hello: 'world', fails: null, part: { ok: 'ok', fails: null } });
      expect(body).not.toContain('hunter2');
    }
  });

  it.each([undefined, null])('is masked when they are %s', (extensions) => {
    const error = Object.defineProperty(new GraphQLError(SECRET, { path: ['a'] }), 'extensions', { value: extensions });
    expect(maskGraphQLError(error).message).toBe('Internal server error');
  });
});

describe('WS-16 a stream of Yoga that nobody reads is returned', () => {
  it('to a client that accepts none', async () => {
    const response = await ask(await startYoga(), 'subscription { idle }', { accept: 'application/json' });
    expect(response.status).toBe(406);
    expect(world.started).toBe(1);
    await until(() => world.returned === 1);
  });

  it('to a client that goes while it starts', async () => {
    const controller = new AbortController();
    const gone = ask(await startYoga(), 'subscription { late }', EVENT_STREAM, controller.signal).catch(() => 'gone');
    await until(() => world.started === 1);
    controller.abort();
    expect(await gone).toBe('gone');
    await new Promise((resolve) => setTimeout(resolve, 50));
    world.release();
    await until(() => world.returned === 1);
  });

  it('once, to a client that goes later', async () => {
    const controller = new AbortController();
    const response = await ask(await startYoga(), 'subscription { idle }', EVENT_STREAM, controller.signal);
    expect(world.started).toBe(1);
    controller.abort();
    await response.text().catch(() => {});
    await until(() => world.returned > 0);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(world.returned).toBe(1);
  });
});

describe('row 13 a page of another site', () => {
  const form = 'application/x-www-form-urlencoded';
  const hosts = {
    Yoga: {
      start: () => startYoga({ authenticateCaller }),
      body: new URLSearchParams({ query: 'mutation { bump }' }).toString(),
      headers: { 'content-type': form },
    },
    'graphql-sse': {
      start: () => startSse({ authenticateCaller }),
      body: JSON.stringify({ query: 'mutation { bump }' }),
      // Both are headers that a page may set without the server being asked.
      headers: { 'content-type': 'text/plain; charset=application/json', ...EVENT_STREAM },
    },
  };

  it.each(Object.entries(hosts))('has a browser run no mutation by its certificate: %s', async (_, host) => {
    const url = await host.start();
    for (const told of [{ 'sec-fetch-site': 'cross-site' }, { 'sec-fetch-site': 'same-site' }, { origin: 'null' }]) {
      const { headers, body } = host;
      const response = await fetch(url, { method: 'POST', headers: { ...headers, ...(told as object) }, body });
      expect(await response.text()).toContain('UNAUTHENTICATED');
    }
    expect(world.bumps).toBe(0);
  });

  it.each(Object.entries(hosts))('is not what a page of its own, or no browser, is: %s', async (_, host) => {
    const url = await host.start();
    for (const told of [{}, { 'sec-fetch-site': 'same-origin', origin: new URL(url).origin }]) {
      const { headers, body } = host;
      await (await fetch(url, { method: 'POST', headers: { ...headers, ...(told as object) }, body })).text();
    }
    expect(world.bumps).toBe(2);
  });

  it('which the server allowed to send JSON, is known by its certificate', async () => {
    const url = await startYoga({ authenticateCaller });
    const headers = { 'content-type': 'application/json; charset=utf-8', 'sec-fetch-site': 'cross-site' };
    await (await fetch(url, { method: 'POST', headers, body: '{"query":"mutation { bump }"}' })).text();
    expect(world.bumps).toBe(1);
  });
});

describe('createGraphQLSockets', () => {
  const required = { schema, authenticate, environment: environmentSource() };

  it.each([
    ['allowedOrigin', { allowedOrigin: [] }],
    // Nothing but a token makes somebody known on a socket.
    ['authenticateCaller', { authenticateCaller }],
    ['limits.maxOperations', { limits: { maxOperations: 3 } }],
  ])('refuses the unknown option %s', (field, options) => {
    expect(() => createGraphQLSockets({ ...required, ...(options as object) })).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', field }),
    );
  });

  it('takes the default of an option that is undefined: no socket ends the process', async () => {
    const none = { requestId: undefined, maskError: undefined, execute: undefined, trustedProxies: undefined };
    const text = await overSocket(none as object, '{ hello fails }');
    expect(text).toContain('"data":{"hello":"world","fails":null}');
    expect(text).toContain('"errors":[{"message":"Internal server error"');
  });
});
