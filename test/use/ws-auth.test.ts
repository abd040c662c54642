import { once } from 'node:events';
import { createServer } from 'node:http';
import { DoorwardError, environmentSource } from 'doorward';
import { type GraphQLSocketsOptions, type WsAuth, type WsAuthOptions, wsAuth } from 'doorward/use/graphql-ws';
import { buildSchema, parse } from 'graphql';
import { createClient } from 'graphql-ws';
import { useServer } from 'graphql-ws/use/ws';
import { afterEach, describe, expect, it, vi } from 'vitest';
import WebSocket, { WebSocketServer } from 'ws';
import { eventually } from '../eventually.ts';
import { bearerPayload, type ConnectOptions, type Hall, openHall } from './sockets-support.ts';

let hall: Hall;
let auth: WsAuth;
let webSockets: WebSocketServer;

/** The hall of the other tests, behind `useServer` of graphql-ws. */
async function open(options: Partial<WsAuthOptions> = {}): Promise<Hall> {
  const { limits, ...others } = options;
  hall = await openHall(others as Partial<GraphQLSocketsOptions>, ({ server, ...given }) => {
    auth = wsAuth({ ...given, ...(limits !== undefined && { limits }) });
    webSockets = new WebSocketServer({ server, path: '/graphql', maxPayload: 65_536 });
    const { dispose } = useServer({ schema: given.schema, ...auth }, webSockets);
    return { revoke: auth.revoke, close: async () => dispose() };
  });
  return hall;
}
afterEach(() => hall.close());

const connectAs = async (token: string, options: ConnectOptions = {}) =>
  hall.connect({ payload: bearerPayload(token), ...options });
const code = (expected: string) => expect.objectContaining({ extensions: { code: expected } });
const idOf = async () => (await hall.desk.store.byUsernameKey('ada'))?.id ?? '';

describe('who may connect', () => {
  it.each(['https://evil.example', 'null', 'https://partner.example.evil.example'])(
    'WS-09 from the origin %j is 4403, and the token is not looked at',
    async (origin) => {
      const authenticate = vi.fn(() => ({ ok: false, reason: 'unknown' }) as const);
      await open({ allowedOrigins: ['https://partner.example'], authenticate });
      expect(await (await connectAs('x', { ws: { origin } })).closed).toBe(4403);
      expect(authenticate).not.toHaveBeenCalled();
    },
  );

  it('WS-09 from its own host, an allowed origin, or without an origin it goes on', async () => {
    await open({ allowedOrigins: ['https://partner.example'] });
    const { host } = new URL(hall.running.url);
    for (const origin of [`http://${host}`, 'https://partner.example', undefined]) {
      const wire = await hall.connect({ payload: {}, ws: origin === undefined ? {} : { origin } });
      expect(wire.received).toEqual([{ type: 'connection_ack' }]);
    }
  });

  it.each([
    ['garbage', { authorization: 'Bearer not.a.token' }],
    ['no scheme', { authorization: 'token' }],
    ['a number', { authorization: 5 }],
    ['a list', { authorization: ['Bearer x'] }],
  ])('WS-11 with a token that is %s is 4403', async (_, payload) => {
    await open();
    expect(await (await hall.connect({ payload })).closed).toBe(4403);
  });

  it('row 11 nothing else of the payload counts: neither claims nor roles nor another name of the token', async () => {
    await open();
    const token = await hall.token();
    const payloads = [
      { jwt: { sub: 'admin', roles: ['admin'] }, roles: ['admin'], principal: { id: 'a', roles: ['admin'] } },
      { token, headers: { authorization: `Bearer ${token}` } },
    ];
    for (const payload of payloads) {
      const wire = await hall.connect({ payload });
      wire.subscribe('1', 'subscription { guarded }');
      expect(await wire.until('next', '1')).toMatchObject({ errors: [code('UNAUTHENTICATED')] });
      expect(hall.hub.size()).toBe(0);
    }
  });

  it('WS-10 a token in the URL or in a header of the upgrade is ignored', async () => {
    await open();
    const authorization = `Bearer ${await hall.token()}`;
    const query = `?authorization=${encodeURIComponent(authorization)}&access_token=${await hall.token()}`;
    const wire = await hall.connect({ path: `/graphql${query}`, payload: {}, ws: { headers: { authorization } } });
    wire.subscribe('1', '{ secret }');
    expect(await wire.until('next', '1')).toMatchObject({ errors: [code('UNAUTHENTICATED')] });
  });

  it('a token that cannot be checked closes with 1013: neither refused nor anonymous', async () => {
    const down = new DoorwardError('SERVICE_UNAVAILABLE');
    await open({ authenticate: () => Promise.reject(down) });
    expect(await (await connectAs('x')).closed).toBe(1013);
    expect(hall.errors).toEqual([down]);
  });

  it('row 7 subscribing before the acknowledgement is 4401, and no context is made', async () => {
    await open();
    const wire = await hall.connect();
    wire.subscribe('1', 'subscription { guarded }');
    expect(await wire.closed).toBe(4401);
    expect(hall.contexts).toEqual([]);
  });

  it('row 7 WS-06 the legacy subprotocol is not spoken', async () => {
    await open();
    const wire = await hall.connect({ protocol: 'graphql-ws' }).catch(String);
    if (typeof wire !== 'string') expect(await wire.closed).toBe(4406);
    expect(hall.contexts).toEqual([]);
  });

  it('WS-02 a client that sends no connection_init is closed with 4408', async () => {
    await open({ limits: { initTimeoutMs: 100 } });
    expect(await (await hall.connect()).closed).toBe(4408);
  });

  it('WS-03 WS-17 a second connection_init is 4429, also with another token', async () => {
    await open();
    const wire = await hall.connect({ payload: {} });
    wire.send({ type: 'connection_init', payload: bearerPayload(await hall.token()) });
    expect(await wire.closed).toBe(4429);
  });
});

describe('operations', () => {
  it('serves the graphql-ws client', async () => {
    await open();
    const client = createClient({
      url: `${hall.running.url.replace('http', 'ws')}/graphql`,
      webSocketImpl: WebSocket,
      connectionParams: bearerPayload(await hall.token()),
    });
    const results = client.iterate({ query: 'subscription { guarded }' });
    const first = results.next();
    await eventually(() => expect(hall.hub.size()).toBe(1));
    hall.hub.publish(7);
    expect((await first).value).toEqual({ data: { guarded: 7 } });
    await client.dispose();
    await eventually(() => expect(hall.hub.size()).toBe(0));
  });

  it('row 8 queries and mutations over the socket meet the same rules', async () => {
    await open();
    const wire = await hall.connect({ payload: {} });
    wire.subscribe('q', '{ hello secret }');
    expect(await wire.until('next', 'q')).toMatchObject({
      data: { hello: 'world', secret: null },
      errors: [code('UNAUTHENTICATED')],
    });
  });

  it('every operation is authenticated anew and has an identity of its own', async () => {
    await open();
    const wire = await connectAs(await hall.token());
    wire.subscribe('1', '{ secret }');
    expect(await wire.until('next', '1')).toEqual({ data: { secret: 'told' } });
    await hall.desk.store.update(await idOf(), { roles: [] });
    wire.subscribe('2', '{ secret }');
    expect(await wire.until('next', '2')).toMatchObject({ errors: [code('FORBIDDEN')] });
    const [first, second] = hall.contexts;
    expect(first?.auth).not.toBe(second?.auth);
    expect(first?.auth.principal).not.toBe(second?.auth.principal);
  });

  it('the context knows the address and the user agent', async () => {
    await open({ trustedProxies: ['127.0.0.1'], requestId: () => 'socket-1' });
    const headers = { 'x-forwarded-for': '203.0.113.9', 'user-agent': 'test' };
    const wire = await hall.connect({ payload: {}, ws: { headers } });
    wire.subscribe('1', '{ hello }');
    await wire.until('complete', '1');
    expect(hall.contexts[0]?.auth.environment()).toMatchObject({ ip: '203.0.113.9', userAgent: 'test' });
    expect(hall.contexts[0]?.auth.requestId).toBe('socket-1');
  });

  it('a token that turns into somebody else closes the socket with 4403', async () => {
    let id = 'first';
    await open({ authenticate: () => ({ ok: true, principal: { id, roles: ['viewer'], attributes: {} } }) });
    const wire = await connectAs('x');
    id = 'second';
    wire.subscribe('1', '{ secret }');
    expect(await wire.closed).toBe(4403);
    expect(JSON.stringify(wire.received)).not.toContain('told');
  });

  it('row 10 a document may have 5,000 tokens, as over our own sockets', async () => {
    await open();
    const wire = await hall.connect({ payload: {} });
    wire.subscribe('1', `{ ${'hello '.repeat(5_000)} }`);
    await wire.until('error', '1');
    wire.subscribe('2', 'subscription { nothing }');
    await wire.until('error', '2');
    wire.subscribe('3', 'query A { hello } query B { hello }');
    await wire.until('error', '3');
    for (const id of ['1', '2', '3']) wire.subscribe(id, '{ hello }');
    for (const id of ['1', '2', '3']) expect(await wire.until('next', id)).toEqual({ data: { hello: 'world' } });
  });

  it('row 10 what is refused over HTTP can be refused here too', async () => {
    await open({ validate: (_schema, { definitions }) => (definitions.length > 1 ? [parseError()] : []) });
    const wire = await hall.connect({ payload: {} });
    wire.subscribe('1', 'subscription { ticks } query B { hello }');
    await wire.until('error', '1');
    expect(hall.contexts).toEqual([]);
  });

  it('WS-12 the 101st live operation is an error of its own, and ten times as many close with 4429', async () => {
    await open();
    const wire = await hall.connect({ payload: {} });
    for (let id = 1; id <= 101; id += 1) wire.subscribe(String(id), 'subscription { ticks }');
    expect(await wire.until('error', '101')).toEqual([
      { message: 'Too many operations', extensions: { code: 'BAD_USER_INPUT' } },
    ]);
    expect(hall.hub.size()).toBe(100);
    wire.send({ type: 'complete', id: '1' });
    await eventually(() => expect(hall.hub.size()).toBe(99));
    wire.subscribe('again', 'subscription { ticks }');
    await eventually(() => expect(hall.hub.size()).toBe(100));
    for (let id = 200; id < 1_100; id += 1) wire.subscribe(String(id), 'subscription { ticks }');
    expect(await wire.closed).toBe(4429);
    await eventually(() => expect(hall.hub.size()).toBe(0));
  });

  it('WS-12 finished and refused operations do not count, and completing one that never starts frees no place', async () => {
    await open({ limits: { operations: 2 } });
    const wire = await hall.connect({ payload: {} });
    for (let id = 0; id < 10; id += 1) {
      wire.subscribe(`q${id}`, id % 2 === 0 ? '{ hello }' : '{ nothing }');
      await wire.until(id % 2 === 0 ? 'complete' : 'error', `q${id}`);
    }
    for (const id of ['a', 'b']) wire.subscribe(id, 'subscription { slow }');
    for (const id of ['a', 'b']) wire.send({ type: 'complete', id });
    wire.subscribe('c', '{ hello }');
    await wire.until('error', 'c');
    hall.release();
    let tries = 0;
    await eventually(async () => {
      const id = `d${tries++}`;
      wire.subscribe(id, '{ hello }');
      await Promise.race([wire.until('complete', id), wire.until('error', id)]);
      expect(wire.received).toContainEqual({ type: 'next', id, payload: { data: { hello: 'world' } } });
    });
    expect(hall.hub.size()).toBe(0);
  });

  it('WS-04 the id of an operation that runs, or is still ending, is 4409', async () => {
    await open();
    const twice = await hall.connect({ payload: {} });
    twice.subscribe('1', 'subscription { ticks }');
    twice.subscribe('1', 'subscription { ticks }');
    expect(await twice.closed).toBe(4409);
    const again = await hall.connect({ payload: {} });
    again.subscribe('1', 'subscription { slow }');
    again.send({ type: 'complete', id: '1' });
    again.subscribe('1', 'subscription { ticks }');
    expect(await again.closed).toBe(4409);
    hall.release();
  });

  it('GQL-09 errors of resolvers and streams are masked, and told to onError', async () => {
    await open();
    const wire = await hall.connect({ payload: {} });
    wire.subscribe('1', '{ hello fails }');
    expect(await wire.until('next', '1')).toMatchObject({
      data: { hello: 'world', fails: null },
      errors: [{ message: 'Internal server error', path: ['fails'], extensions: { code: 'INTERNAL_SERVER_ERROR' } }],
    });
    wire.subscribe('2', 'subscription { breaks }');
    expect(await wire.until('error', '2')).toEqual([
      { message: 'Internal server error', extensions: { code: 'INTERNAL_SERVER_ERROR' } },
    ]);
    expect(JSON.stringify(wire.received)).not.toContain('hunter2');
    expect(hall.errors.map(String)).toEqual(['Error: db pass=hunter2', 'Error: db pass=hunter2']);
  });

  it('WS-18 no close reason carries an error', async () => {
    const told = vi.spyOn(console, 'error').mockImplementation(() => {});
    await open({
      execute: () => {
        throw new Error('hunter2');
      },
    });
    const wire = await hall.connect({ payload: {} });
    const closed = once(wire.socket, 'close');
    wire.subscribe('1', '{ hello }');
    const [status, reason] = await closed;
    expect([status, String(reason)]).toEqual([4500, 'Internal server error']);
    told.mockRestore();
  });
});

describe('authorization over time', () => {
  it('WS-08 a role that is taken away bites at the next event', async () => {
    await open();
    const wire = await connectAs(await hall.token());
    wire.subscribe('1', 'subscription { guarded }');
    await eventually(() => expect(hall.hub.size()).toBe(1));
    hall.hub.publish(1);
    await wire.until('next', '1');
    await hall.desk.store.update(await idOf(), { roles: [] });
    hall.hub.publish(2);
    await wire.until('complete', '1');
    expect(JSON.stringify(wire.received)).not.toContain('"guarded":2');
    expect(hall.hub.size()).toBe(0);
  });

  it('WS-08 it bites inside of events too, where the subscription itself has no rule', async () => {
    await open();
    const wire = await connectAs(await hall.token());
    wire.subscribe('1', 'subscription { news { id secret } }');
    await eventually(() => expect(hall.hub.size()).toBe(1));
    hall.hub.publish(1);
    expect(await wire.until('next', '1')).toEqual({ data: { news: { id: 1, secret: 'told' } } });
    await hall.desk.store.update(await idOf(), { roles: [] });
    wire.received.length = 0;
    hall.hub.publish(2);
    expect(await wire.until('next', '1')).toMatchObject({
      data: { news: { id: 2, secret: null } },
      errors: [code('FORBIDDEN')],
    });
    await hall.desk.store.update(await idOf(), { disabled: true });
    hall.hub.publish(3);
    expect(await wire.closed).toBe(4403);
    expect(hall.hub.size()).toBe(0);
  });

  it('WS-08 a disabled account gets no further event, and its socket is closed with 4403', async () => {
    await open();
    const wire = await connectAs(await hall.token());
    wire.subscribe('1', 'subscription { guarded }');
    await eventually(() => expect(hall.hub.size()).toBe(1));
    await hall.desk.store.update(await idOf(), { disabled: true });
    hall.hub.publish(1);
    expect(await wire.closed).toBe(4403);
    expect(wire.received).toEqual([{ type: 'connection_ack' }]);
  });

  it('the token closes the socket with 4403 when it ends, without an event', async () => {
    await open();
    const token = await hall.token();
    const end = hall.desk.clock.now + 1_800_000;
    hall.desk.clock.now = end - 60;
    const wire = await connectAs(token);
    wire.subscribe('1', 'subscription { ticks }');
    await eventually(() => expect(hall.hub.size()).toBe(1));
    hall.desk.clock.now = end;
    expect(await wire.closed).toBe(4403);
    await eventually(() => expect(hall.hub.size()).toBe(0));
  });

  it('revoke closes the sockets of that principal and session at once, with rules or without, and no others', async () => {
    await open();
    const ada = { session: '', token: await hall.token() };
    const others = await hall.token();
    const wires = [await connectAs(ada.token), await connectAs(others)];
    for (const wire of wires) wire.subscribe('1', 'subscription { ticks }');
    await eventually(() => expect(hall.hub.size()).toBe(2));
    const sessions = hall.contexts.map((context) => context.auth.principal?.session?.id ?? '');
    hall.sockets.revoke('somebody else');
    hall.sockets.revoke(await idOf(), sessions[0]);
    // Before the client has answered the closing handshake.
    await new Promise(setImmediate);
    expect(hall.hub.size()).toBe(1);
    expect(await wires[0]?.closed).toBe(4403);
    hall.hub.publish(3);
    expect(await wires[1]?.until('next', '1')).toEqual({ data: { ticks: 3 } });
    hall.sockets.revoke(await idOf());
    expect(await wires[1]?.closed).toBe(4403);
  });

  it('what a revoked client sends while its socket is closing does not run, and is not looked at', async () => {
    const authenticate = vi.fn<WsAuthOptions['authenticate']>((token) => hall.desk.accounts.authenticate(token));
    await open({ authenticate });
    const wire = await connectAs(await hall.token());
    wire.subscribe('0', '{ hello }');
    await wire.until('complete', '0');
    hall.sockets.revoke(await idOf());
    wire.subscribe('1', 'mutation { bump }');
    expect(await wire.closed).toBe(4403);
    expect(hall.contexts).toHaveLength(1);
    expect(authenticate).toHaveBeenCalledTimes(2);
  });

  it('who is revoked while the socket is opened is authenticated again', async () => {
    let answer = (): void => {};
    const outcomes = [true, false];
    await open({
      authenticate: async () => {
        const ok = outcomes.shift() ?? false;
        await new Promise<void>((resolve) => {
          answer = resolve;
        });
        return ok ? { ok, principal: { id: 'u', roles: ['viewer'], attributes: {} } } : { ok, reason: 'revoked' };
      },
    });
    const wire = await hall.connect();
    wire.send({ type: 'connection_init', payload: bearerPayload('x') });
    await eventually(() => expect(outcomes).toHaveLength(1));
    hall.sockets.revoke('u');
    answer();
    await eventually(() => expect(outcomes).toHaveLength(0));
    answer();
    expect(await wire.closed).toBe(4403);
    expect(wire.received).toEqual([]);
  });

  it('close ends what was let in and lets in nobody more', async () => {
    await open();
    const wires = [await connectAs(await hall.token()), await hall.connect({ payload: {} })];
    for (const wire of wires) wire.subscribe('1', 'subscription { ticks }');
    await eventually(() => expect(hall.hub.size()).toBe(2));
    auth.close();
    expect(hall.hub.size()).toBe(0);
    expect(await Promise.all(wires.map(({ closed }) => closed))).toEqual([1013, 1013]);
    expect(await (await hall.connect({ payload: {} })).closed).toBe(1013);
  });

  it('WS-16 sockets that close while a subscription starts leave none behind', async () => {
    await open();
    const token = await hall.token();
    for (let round = 0; round < 30; round += 1) {
      const wire = await connectAs(token);
      wire.subscribe('a', 'subscription { slow }');
      wire.subscribe('b', 'subscription { guarded }');
      if (round % 2 === 0) await new Promise(setImmediate);
      wire.socket.terminate();
      await wire.closed;
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
    hall.release();
    await eventually(() => expect(hall.hub.size()).toBe(0));
  });
});

it.each([
  ['schema', { schema: undefined }],
  ['authenticate', { authenticate: undefined }],
  ['allowedOrigins', { allowedOrigins: ['*'] }],
  ['trustedProxies', { trustedProxies: ['all'] }],
  ['limits.operations', { limits: { operations: 0 } }],
  ['limits.messageBytes', { limits: { messageBytes: 5 } }],
  ['server', { server: createServer() }],
  ['allowedOrigin', { allowedOrigin: ['https://app.example'] }],
])('refuses a useless %s', async (field, options) => {
  await open();
  const schema = buildSchema('type Query { a: Int }');
  const authenticate = () => ({ ok: false, reason: 'none' }) as const;
  expect(() => wsAuth({ schema, authenticate, environment: environmentSource(), ...(options as object) })).toThrow(
    expect.objectContaining({ code: 'CONFIG_INVALID', field }),
  );
});

function parseError() {
  try {
    parse('{');
  } catch (error) {
    return error as import('graphql').GraphQLError;
  }
  throw new Error('unreachable');
}
