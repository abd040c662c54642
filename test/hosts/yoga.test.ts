import { once } from 'node:events';
import { createServer } from 'node:http';
import { makeExecutableSchema } from '@graphql-tools/schema';
import type { AuthContext } from 'doorward/graphql';
import { yogaAuth } from 'doorward/use/yoga';
import { createYoga } from 'graphql-yoga';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { audits } from './audits.ts';
import { behaves, type Host, type RunningHost } from './behaviour.ts';
import { takesSockets } from './sockets.ts';
import { openStream } from './sse.ts';
import { ask, bearer, closing, createWorld, post, SECRET, until, type World } from './support.ts';

async function startYoga(world: World, batching = false): Promise<RunningHost & { auth: ReturnType<typeof yogaAuth> }> {
  const { schema, authenticate, environment, onError } = world;
  const auth = yogaAuth({ authenticate, environment, onError });
  const yoga = createYoga({
    schema,
    plugins: [auth.plugin],
    maskedErrors: auth.maskedErrors,
    batching,
    logging: false,
  });
  const server = createServer(yoga);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const running = closing(server, () => {
    auth.close();
    return yoga.dispose();
  });
  return { auth, ...running };
}

const host: Host = {
  name: 'GraphQL Yoga',
  start: (world) => startYoga(world),
  startBatching: (world) => startYoga(world, true),
  pinned: {
    // Yoga reads no content type of a GET. Without cookies a page of another site gets what anybody gets.
    getAsText: 200,
    mutationByGet: 405,
    postAsText: 415,
    batch: 400,
    badJson: 400,
    noQuery: 400,
    syntax: 400,
    unknownField: 400,
    badVariable: 400,
    codes: ['GRAPHQL_PARSE_FAILED', 'GRAPHQL_VALIDATION_FAILED'],
  },
};

behaves(host);
audits(host);
takesSockets(host);

describe('GraphQL Yoga: streams of server-sent events', () => {
  let world: World;
  let yoga: Awaited<ReturnType<typeof startYoga>>;
  beforeEach(async () => {
    world = createWorld();
    yoga = await startYoga(world);
  });
  afterEach(() => yoga.close());

  it.each(['POST', 'GET'] as const)('deliver events to those who may, by %s', async (by) => {
    const stream = await openStream(yoga.url, 'subscription { ticks }', 'vi', by);
    await until(() => world.subscribers() === 1);
    world.publish(1);
    await until(() => stream.received.length === 1);
    expect(stream.received).toEqual([{ data: { ticks: 1 } }]);
    stream.abort();
    await until(() => world.subscribers() === 0);
  });

  it('never start for those who may not', async () => {
    const stream = await openStream(yoga.url, 'subscription { ticks }');
    await stream.ended;
    expect(stream.received).toEqual([
      expect.objectContaining({ errors: [expect.objectContaining({ extensions: { code: 'UNAUTHENTICATED' } })] }),
    ]);
    expect(world.subscribers()).toBe(0);
  });

  it('are refused whole with a bad token', async () => {
    const stream = await openStream(yoga.url, 'subscription { open }', 'nobody');
    expect(stream.status).toBe(401);
    expect(stream.headers.get('www-authenticate')).toBe('Bearer error="invalid_token"');
    expect(world.subscribers()).toBe(0);
  });

  it.each(['ticks', 'open'])('end at once when the caller is revoked: %s', async (field) => {
    const [revoked, other] = [
      await openStream(yoga.url, `subscription { ${field} }`, 'vi'),
      await openStream(yoga.url, `subscription { ${field} }`, 'ed'),
    ];
    await until(() => world.subscribers() === 2);
    yoga.auth.revoke('vi');
    await revoked.ended;
    await until(() => world.subscribers() === 1);
    world.publish(7);
    await until(() => other.received.length === 1);
    expect([revoked.received, other.received]).toEqual([[], [{ data: { [field]: 7 } }]]);
    other.abort();
  });

  it('end when the session is revoked, and not for another one', async () => {
    const stream = await openStream(yoga.url, 'subscription { ticks }', 'vi');
    await until(() => world.subscribers() === 1);
    yoga.auth.revoke('vi', 'session of somebody');
    world.publish(1);
    await until(() => stream.received.length === 1);
    yoga.auth.revoke('vi', 'session of vi');
    await stream.ended;
    await until(() => world.subscribers() === 0);
  });

  it.each(['ticks', 'open'])('end when the token does: %s', async (field) => {
    const end = Math.ceil(Date.now() / 1_000) + 100;
    const held = vi.spyOn(Date, 'now').mockReturnValue(end * 1_000 - 50);
    onTestFinished(() => held.mockRestore());
    const account = world.accounts.get('vi-token');
    if (account !== undefined) account.expiresAt = end;
    const stream = await openStream(yoga.url, `subscription { ${field} }`, 'vi');
    await until(() => world.subscribers() === 1);
    // Longer than the token has left by the time of day, which stands still.
    await new Promise((resolve) => setTimeout(resolve, 150));
    expect(world.subscribers()).toBe(1);
    held.mockReturnValue(end * 1_000);
    await stream.ended;
    await until(() => world.subscribers() === 0);
  });

  it('deliver nothing more to an account that was disabled', async () => {
    const stream = await openStream(yoga.url, 'subscription { ticks }', 'vi');
    await until(() => world.subscribers() === 1);
    const account = world.accounts.get('vi-token');
    if (account !== undefined) account.isDisabled = true;
    world.publish(1);
    await stream.ended;
    expect(stream.received).toEqual([]);
    await until(() => world.subscribers() === 0);
  });

  it('end when the host closes its door, and no request is let in after that', async () => {
    const stream = await openStream(yoga.url, 'subscription { ticks }', 'vi');
    await until(() => world.subscribers() === 1);
    yoga.auth.close();
    await stream.ended;
    expect((await ask(yoga.url, '{ hello }', { as: 'vi' })).status).toBe(503);
  });
});

describe('yogaAuth', () => {
  const authenticate = () => ({ ok: false, reason: 'unknown' }) as const;

  it.each([
    ['authenticate', {}],
    ['authenticate', { authenticate: 'a function' }],
    ['authenticates', { authenticate, authenticates: authenticate }],
    ['environment', { authenticate, environment: {} }],
    ['trustedProxies', { authenticate, trustedProxies: ['nowhere'] }],
  ])('refuses %s that cannot be meant', (field, options) => {
    expect(() => yogaAuth(options as never)).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID', field }));
  });

  it('lets every operation of a batch in for itself', async () => {
    const world = createWorld();
    const { url, close } = await startYoga(world, true);
    await post(url, [{ query: '{ requestId }' }, { query: '{ requestId }' }], { as: 'vi' });
    const [first, second] = world.contexts;
    expect(first?.principal).toEqual(second?.principal);
    expect(first?.principal).not.toBe(second?.principal);
    await until(() => world.contexts.every(({ signal }) => signal?.aborted));
    await close();
  });

  it('lets a schema be chosen by the caller', async () => {
    const world = createWorld();
    const auth = yogaAuth({ authenticate: world.authenticate });
    const plain = makeExecutableSchema({ typeDefs: 'type Query { plain: String }' });
    const yoga = createYoga({
      schema: (context) => {
        const { auth } = context as { readonly auth?: AuthContext };
        return auth?.principal === undefined ? plain : world.schema;
      },
      plugins: [auth.plugin],
      maskedErrors: auth.maskedErrors,
      logging: false,
    });
    const asked = (headers: Record<string, string>) =>
      yoga.fetch('http://localhost/graphql', {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ query: '{ __schema { queryType { fields { name } } } }' }),
      });
    expect(await (await asked({})).text()).toContain('plain');
    // Without a request of Node, as on Deno or Bun, the headers of the Web request count.
    expect(await (await asked(bearer('vi'))).text()).toContain('adminOnly');
    expect((await asked({ authorization: 'Bearer nothing' })).status).toBe(401);
  });

  it('makes no success of what fails before execution, and keeps its text inside', async () => {
    const world = createWorld();
    const auth = yogaAuth({ authenticate: world.authenticate, onError: world.onError });
    const yoga = createYoga({
      schema: world.schema,
      plugins: [auth.plugin],
      maskedErrors: auth.maskedErrors,
      logging: false,
      context: () => {
        throw new Error(SECRET);
      },
    });
    const response = await yoga.fetch('http://localhost/graphql?query={hello}');
    expect(response.status).toBe(500);
    expect(await response.text()).not.toContain('hunter2');
    expect(world.errors).toEqual([expect.objectContaining({ message: SECRET })]);
  });
});
