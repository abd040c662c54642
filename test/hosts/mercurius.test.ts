import { once } from 'node:events';
import { mercuriusAuth } from 'doorward/use/mercurius';
import { type FastifyInstance, fastify } from 'fastify';
import { type MercuriusOptions, mercurius } from 'mercurius';
import { describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { behaves, type Host, type RunningHost } from './behaviour.ts';
import { takesSockets } from './sockets.ts';
import { ask, createWorld, post, SECRET, until, type World } from './support.ts';

async function startMercurius(
  world: World,
  options: MercuriusOptions = {},
): Promise<RunningHost & { app: FastifyInstance }> {
  const { schema, authenticate, environment, onError } = world;
  const auth = mercuriusAuth({ authenticate, environment, onError });
  const app = fastify({ forceCloseConnections: true });
  await app.register(mercurius, {
    ...options,
    schema,
    context: auth.context,
    errorFormatter: auth.errorFormatter,
  });
  return {
    app,
    server: app.server,
    url: `${await app.listen({ port: 0, host: '127.0.0.1' })}/graphql`,
    async close() {
      auth.close();
      await app.close();
    },
  };
}

const pinned: Host['pinned'] = {
  // Mercurius reads no content type of a GET. Without cookies a page of another site gets what anybody gets.
  getAsText: 200,
  mutationByGet: 405,
  postAsText: 400,
  batch: 400,
  badJson: 400,
  noQuery: 400,
  syntax: 400,
  unknownField: 400,
  badVariable: 400,
};

const host: Host = {
  name: 'Mercurius',
  start: (world) => startMercurius(world),
  startBatching: (world) => startMercurius(world, { allowBatchedQueries: true }),
  pinned,
};

behaves(host);
takesSockets(host);
behaves({
  name: 'Mercurius with compiled queries',
  // Every document is compiled at its second use; one test asks the same document of several callers.
  start: (world) => startMercurius(world, { jit: 1 }),
  pinned,
});

describe('Mercurius with subscriptions of its own', () => {
  it('knows nobody on them, so that they start nothing that is guarded', async () => {
    const world = createWorld();
    const { server, url, close } = await startMercurius(world, { subscription: true });
    const socket = new WebSocket(url.replace('http', 'ws'), 'graphql-transport-ws');
    const received: string[] = [];
    socket.on('message', (data) => received.push(data.toString()));
    await once(socket, 'open');
    socket.send(JSON.stringify({ type: 'connection_init', payload: { authorization: 'Bearer ada-token' } }));
    await until(() => received.length === 1);
    const payload = { query: 'subscription { ticks }' };
    socket.send(JSON.stringify({ type: 'subscribe', id: '1', payload }));
    await until(() => received.length > 1);
    expect(received.join()).not.toContain('"data":{"ticks"');
    expect(world.subscribers()).toBe(0);
    socket.terminate();
    server?.closeAllConnections();
    await close();
  });
});

describe('mercuriusAuth', () => {
  const authenticate = () => ({ ok: false, reason: 'unknown' }) as const;

  it.each([
    ['authenticate', {}],
    ['authenticates', { authenticate, authenticates: authenticate }],
    ['trustedProxies', { authenticate, trustedProxies: ['nowhere'] }],
  ])('refuses %s that cannot be meant', (field, options) => {
    expect(() => mercuriusAuth(options as never)).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID', field }));
  });

  it('makes no success of what fails before execution, and keeps its text inside', async () => {
    const world = createWorld();
    const { url, app, close } = await startMercurius(world);
    const told = { code: 'E_UPSTREAM', statusCode: 404, errors: [new Error(SECRET)] };
    app.graphql.addHook('preExecution', () => Promise.reject(Object.assign(new Error(SECRET), told)));
    const answer = await ask(url, '{ hello }');
    await close();
    expect(answer.status).toBe(500);
    expect(answer.text).not.toContain('hunter2');
    expect(world.errors).toEqual([expect.objectContaining({ message: SECRET })]);
  });

  it('takes requests that were injected', async () => {
    const { app, close } = await startMercurius(createWorld());
    const answerTo = async (authorization: string) => {
      const { statusCode, body } = await app.inject({ url: '/graphql?query={posts}', headers: { authorization } });
      return `${statusCode} ${body}`;
    };
    expect(await answerTo('Bearer vi-token')).toBe('200 {"data":{"posts":"all of them"}}');
    expect(await answerTo('Bearer nothing')).toMatch(/^401 /);
    await close();
  });

  it('refuses with the same 401 where Mercurius itself has refused already', async () => {
    const world = createWorld();
    const { url, close } = await startMercurius(world, { csrfPrevention: true });
    const headers = { 'content-type': 'text/plain' };
    expect((await post(url, { query: '{ hello }' }, { headers })).status).toBe(400);
    const before = world.callers.length;
    const answer = await post(
      url,
      { query: '{ hello }' },
      { headers: { ...headers, authorization: 'Bearer nothing' } },
    );
    await close();
    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, 'Bearer error="invalid_token"']);
    expect(world.callers.length - before).toBe(1);
  });
});
