import { once } from 'node:events';
import { DoorwardError, environmentSource } from 'doorward';
import { createGraphQLSockets, type GraphQLSocketsOptions } from 'doorward/use/graphql-ws';
import { buildSchema, GraphQLError, parse } from 'graphql';
import { createClient } from 'graphql-ws';
import { afterEach, describe, expect, it, vi } from 'vitest';
import WebSocket from 'ws';
import { eventually } from '../eventually.ts';
import { bearerPayload, type ConnectOptions, type Hall, openHall } from './sockets-support.ts';
import { rawRequest, statusesOf } from './support.ts';

let hall: Hall;
async function open(options?: Partial<GraphQLSocketsOptions>): Promise<Hall> {
  hall = await openHall(options);
  return hall;
}
afterEach(() => hall.close());

const connectAs = async (token: string, options: ConnectOptions = {}) =>
  hall.connect({ payload: bearerPayload(token), ...options });
const code = (expected: string) => expect.objectContaining({ extensions: { code: expected } });

describe('the handshake', () => {
  const upgrade = (path: string, ...headers: readonly string[]) =>
    rawRequest(
      hall.running,
      `GET ${path} HTTP/1.1`,
      'Upgrade: websocket',
      'Connection: Upgrade',
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
      ...headers,
    ).then((answer) => statusesOf(answer)[0]);
  const good = ['Host: app.example', 'Sec-WebSocket-Version: 13', 'Sec-WebSocket-Protocol: graphql-transport-ws'];

  it.each([
    ['no subprotocol', []],
    ['the legacy subprotocol', ['Sec-WebSocket-Protocol: graphql-ws']],
    ['another subprotocol', ['Sec-WebSocket-Protocol: chat, graphql-transport-ws2']],
  ])('WS-06 with %s is refused', async (_, headers) => {
    await open();
    expect(await upgrade('/graphql', 'Host: x', 'Sec-WebSocket-Version: 13', ...headers)).toBe(400);
  });

  it('WS-06 chooses graphql-transport-ws among several', async () => {
    await open();
    const { socket } = await hall.connect({ protocol: ['chat', 'graphql-transport-ws'] });
    expect(socket.protocol).toBe('graphql-transport-ws');
  });

  it.each([
    'https://evil.example',
    'null',
    'http://app.example.evil.example',
    'http://app.example:81',
    'app.example',
    'https://partner.example:444',
    'https://partner.example.evil.example',
    '',
  ])('WS-09 from the origin %j is 403', async (origin) => {
    await open({ allowedOrigins: ['https://partner.example'] });
    expect(await upgrade('/graphql', ...good, `Origin: ${origin}`)).toBe(403);
  });

  it('WS-09 from its own host, an allowed origin, or without an origin it goes on', async () => {
    await open({ allowedOrigins: ['https://partner.example'] });
    const { host } = new URL(hall.running.url);
    for (const origin of [`http://${host}`, `https://${host}`, 'https://partner.example', undefined]) {
      const { socket } = await hall.connect({ ws: origin === undefined ? {} : { origin } });
      expect(socket.readyState).toBe(WebSocket.OPEN);
    }
  });

  it.each([
    [
      'another version',
      '/graphql',
      ['Host: x', 'Sec-WebSocket-Version: 12', 'Sec-WebSocket-Protocol: graphql-transport-ws'],
      [400, 426],
    ],
    ['another path', '/other', good, [404]],
    ['a path that is resolved to ours', '/x/../graphql', good, [400, 404]],
    ['an absolute URL', 'http://app.example/graphql', good, [400, 404]],
    ['two hosts', '/graphql', [...good, 'Host: b.example'], [400]],
    ['201 headers', '/graphql', [...good, ...Array.from({ length: 200 }, (_, n) => `X${n}: 1`)], [431]],
  ] as [string, string, string[], number[]][])('WS-19 with %s is refused', async (_, path, headers, statuses) => {
    await open();
    expect(statuses).toContain(await upgrade(path, ...headers));
    expect((await hall.connect({ payload: {} })).received).toEqual([{ type: 'connection_ack' }]);
  });

  it('WS-19 to another protocol is refused, and a plain GET is an ordinary request', async () => {
    await open();
    const answer = await rawRequest(
      hall.running,
      'GET /graphql HTTP/1.1',
      'Host: x',
      'Upgrade: h2c',
      'Connection: Upgrade',
    );
    expect(statusesOf(answer)).toEqual([400]);
    expect((await fetch(`${hall.running.url}/graphql`)).status).toBe(200);
  });

  it('leaves other paths to other listeners of the server', async () => {
    await open();
    const others: unknown[] = [];
    hall.running.server.on('upgrade', (request, socket) => {
      if (request.url !== '/other') return;
      others.push(request.url);
      socket.destroy();
    });
    await upgrade('/other', ...good);
    expect(others).toEqual(['/other']);
    expect((await hall.connect({ payload: {} })).received).toEqual([{ type: 'connection_ack' }]);
  });

  it('WS-10 a token in the URL is ignored', async () => {
    await open();
    const wire = await hall.connect({ path: `/graphql?authorization=Bearer%20${await hall.token()}`, payload: {} });
    wire.subscribe('1', '{ secret }');
    expect(await wire.until('next', '1')).toMatchObject({ errors: [code('UNAUTHENTICATED')] });
  });

  it('WS-10 a token in a header of the upgrade is ignored too', async () => {
    await open();
    const headers = { authorization: `Bearer ${await hall.token()}` };
    const wire = await hall.connect({ payload: {}, ws: { headers } });
    wire.subscribe('1', '{ secret }');
    expect(await wire.until('next', '1')).toMatchObject({ errors: [code('UNAUTHENTICATED')] });
  });

  it('WS-13 compression is never agreed on', async () => {
    await open();
    const { socket } = await hall.connect({ ws: { perMessageDeflate: true } });
    expect(socket.extensions).toBe('');
  });
});

describe('the protocol', () => {
  it('WS-02 a client that sends no connection_init is closed with 4408', async () => {
    await open({ limits: { initTimeoutMs: 100 } });
    expect(await (await hall.connect()).closed).toBe(4408);
  });

  it('subscribing before the acknowledgement is 4401', async () => {
    await open();
    const wire = await hall.connect();
    wire.subscribe('1', '{ hello }');
    expect(await wire.closed).toBe(4401);
  });

  it('WS-03 WS-17 a second connection_init is 4429, also with another token', async () => {
    await open();
    for (const payload of [{}, bearerPayload(await hall.token())]) {
      const wire = await hall.connect({ payload: {} });
      wire.send({ type: 'connection_init', payload });
      expect(await wire.closed).toBe(4429);
    }
  });

  it('WS-17 what comes behind the message that ended the socket is not looked at', async () => {
    const authenticate = vi.fn(() => ({ ok: false, reason: 'unknown' }) as const);
    await open({ authenticate });
    const wire = await hall.connect();
    wire.send('{');
    wire.send({ type: 'connection_init', payload: bearerPayload('x') });
    wire.subscribe('1', 'mutation { bump }');
    expect(await wire.closed).toBe(4400);
    expect(authenticate).not.toHaveBeenCalled();
    expect(hall.contexts).toEqual([]);
  });

  it('the authenticator is told where a socket comes from, and so is every operation', async () => {
    const callers: unknown[] = [];
    await open({
      requestId: () => 'socket-1',
      authenticate: (_token, caller) => {
        callers.push(caller);
        return { ok: true, principal: { id: 'u', roles: [], attributes: {} } };
      },
    });
    const wire = await hall.connect({ payload: bearerPayload('x') });
    wire.subscribe('1', '{ hello }');
    await wire.until('complete', '1');
    const caller = { ip: '127.0.0.1', requestId: 'socket-1' };
    expect(callers).toEqual([caller, caller]);
    expect(hall.contexts.map(({ auth }) => auth.requestId)).toEqual(['socket-1']);
  });

  it('WS-04 the id of a running operation is 4409', async () => {
    await open();
    const wire = await hall.connect({ payload: {} });
    wire.subscribe('1', 'subscription { ticks }');
    wire.subscribe('1', 'subscription { ticks }');
    expect(await wire.closed).toBe(4409);
  });

  it.each([
    ['no JSON', '{'],
    ['a number', '5'],
    ['null', 'null'],
    ['an unknown type', '{"type":"__proto__"}'],
    ['no id', '{"type":"subscribe","payload":{"query":"{hello}"}}'],
    ['a query that is no text', '{"type":"subscribe","id":"1","payload":{"query":5}}'],
    ['variables that are a list', '{"type":"subscribe","id":"1","payload":{"query":"{hello}","variables":[]}}'],
    ['100,000 brackets', '['.repeat(60_000)],
  ])('WS-05 %s is 4400, and the server lives on', async (_, message) => {
    await open();
    const wire = await hall.connect({ payload: {} });
    wire.send(message);
    expect(await wire.closed).toBe(4400);
    expect((await hall.connect({ payload: {} })).received).toHaveLength(1);
  });

  it('WS-05 a binary frame is 4400', async () => {
    await open();
    const wire = await hall.connect({ payload: {} });
    wire.socket.send(Buffer.from(JSON.stringify({ type: 'ping' })), { binary: true });
    expect(await wire.closed).toBe(4400);
  });

  it.each([
    ['__proto__', '__proto__'],
    ['constructor', 'constructor'],
    ['of 10 KB', 'x'.repeat(10_240)],
  ])('WS-05 the id %s is an ordinary id', async (_, id) => {
    await open();
    const wire = await hall.connect({ payload: {} });
    wire.subscribe(id, '{ hello }');
    expect(await wire.until('next', id)).toEqual({ data: { hello: 'world' } });
  });

  it('queries and mutations run through the same schema', async () => {
    await open();
    const wire = await connectAs(await hall.token());
    wire.subscribe('q', '{ hello secret }');
    wire.subscribe('m', 'mutation { bump }');
    expect(await wire.until('next', 'q')).toEqual({ data: { hello: 'world', secret: 'told' } });
    expect(await wire.until('next', 'm')).toEqual({ data: { bump: 1 } });
    await wire.until('complete', 'm');
  });

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
});

describe('the token', () => {
  it.each(['authorization', 'Authorization', 'AUTHORIZATION'])('WS-11 is read from %s', async (name) => {
    await open();
    const wire = await hall.connect({ payload: { [name]: `bearer ${await hall.token()}`, role: 'admin' } });
    wire.subscribe('1', '{ secret }');
    expect(await wire.until('next', '1')).toEqual({ data: { secret: 'told' } });
  });

  it.each([
    ['garbage', { authorization: 'Bearer not.a.token' }],
    ['no scheme', { authorization: 'token' }],
    ['a number', { authorization: 5 }],
    ['null', { authorization: null }],
    ['a list', { authorization: ['Bearer x'] }],
  ])('WS-11 that is %s closes with 4403', async (_, payload) => {
    await open();
    expect(await (await hall.connect({ payload })).closed).toBe(4403);
  });

  it('WS-11 that comes in two spellings closes with 4403, though each is good', async () => {
    await open();
    const authorization = `Bearer ${await hall.token()}`;
    const payload = { authorization, Authorization: authorization };
    expect(await (await hall.connect({ payload })).closed).toBe(4403);
  });

  it.each([[['Bearer x']], ['Bearer x'], [5]])('WS-11 a payload of %j is 4400', async (payload) => {
    await open();
    expect(await (await hall.connect({ payload })).closed).toBe(4400);
  });

  it('WS-11 a payload with __proto__ is without effect', async () => {
    await open();
    const wire = await hall.connect();
    wire.send(`{"type":"connection_init","payload":{"__proto__":{"authorization":"Bearer ${await hall.token()}"}}}`);
    await wire.until('connection_ack');
    wire.subscribe('1', '{ secret }');
    expect(await wire.until('next', '1')).toMatchObject({ errors: [code('UNAUTHENTICATED')] });
    expect(Object.hasOwn(Object.prototype, 'authorization')).toBe(false);
  });

  it('may be absent: an anonymous caller gets what is public', async () => {
    await open();
    for (const payload of [undefined, {}, { token: await hall.token() }]) {
      const wire = await hall.connect({ payload });
      wire.subscribe('1', '{ hello secret }');
      expect(await wire.until('next', '1')).toMatchObject({
        data: { hello: 'world', secret: null },
        errors: [code('UNAUTHENTICATED')],
      });
      wire.subscribe('2', 'subscription { ticks }');
      await eventually(() => expect(hall.hub.size()).toBe(1));
      hall.hub.publish(3);
      expect(await wire.until('next', '2')).toEqual({ data: { ticks: 3 } });
      wire.socket.terminate();
      await eventually(() => expect(hall.hub.size()).toBe(0));
    }
  });

  it('that cannot be checked closes with 1013: neither refused nor anonymous', async () => {
    const down = new DoorwardError('SERVICE_UNAVAILABLE');
    await open({ authenticate: () => Promise.reject(down) });
    expect(await (await connectAs('x')).closed).toBe(1013);
    expect(hall.errors).toEqual([down]);
  });

  it('closes the socket with 4403 when it ends', async () => {
    await open();
    const token = await hall.token();
    const end = hall.desk.clock.now + 1_800_000;
    hall.desk.clock.now = end - 60;
    const wire = await connectAs(token);
    wire.subscribe('1', 'subscription { guarded }');
    await eventually(() => expect(hall.hub.size()).toBe(1));
    hall.desk.clock.now = end;
    expect(await wire.closed).toBe(4403);
    expect(hall.hub.size()).toBe(0);
  });

  it('that ends in a hundred days neither closes the socket today nor keeps the timer busy', async () => {
    const session = { id: 's', tokenId: 't', authTime: 0, expiresAt: 1_800_000_000 + 8_640_000, amr: [] };
    const environment = vi.fn(environmentSource({ clock: () => hall.desk.clock.now }));
    await open({
      authenticate: () => ({ ok: true, principal: { id: 'u', roles: [], attributes: {}, session } }),
      environment,
    });
    const wire = await connectAs('x');
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(wire.socket.readyState).toBe(WebSocket.OPEN);
    expect(environment).toHaveBeenCalledOnce();
  });
});

describe('authorization over time', () => {
  const idOf = async () => (await hall.desk.store.byUsernameKey('ada'))?.id ?? '';

  it('every operation has an identity of its own', async () => {
    await open();
    const wire = await connectAs(await hall.token());
    wire.subscribe('1', '{ hello }');
    wire.subscribe('2', '{ hello }');
    await wire.until('complete', '1');
    await wire.until('complete', '2');
    const [first, second] = hall.contexts;
    expect(first?.auth).not.toBe(second?.auth);
    expect(first?.auth.principal).not.toBe(second?.auth.principal);
    expect(first?.auth.principal).toEqual(second?.auth.principal);
  });

  it('the context knows the address and the user agent', async () => {
    await open({ trustedProxies: ['127.0.0.1'] });
    const headers = { 'x-forwarded-for': '203.0.113.9', 'user-agent': 'test' };
    const wire = await hall.connect({ payload: {}, ws: { headers } });
    wire.subscribe('1', '{ hello }');
    await wire.until('complete', '1');
    expect(hall.contexts[0]?.auth.environment()).toMatchObject({ ip: '203.0.113.9', userAgent: 'test' });
  });

  it('WS-08 a role that is taken away bites at the next operation', async () => {
    await open();
    const wire = await connectAs(await hall.token());
    await hall.desk.store.update(await idOf(), { roles: [] });
    wire.subscribe('1', '{ secret }');
    expect(await wire.until('next', '1')).toMatchObject({ errors: [code('FORBIDDEN')] });
  });

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

  it('WS-08 a disabled account cannot start another operation', async () => {
    await open();
    const wire = await connectAs(await hall.token());
    await hall.desk.store.update(await idOf(), { disabled: true });
    wire.subscribe('1', '{ hello }');
    expect(await wire.closed).toBe(4403);
    expect(hall.contexts).toEqual([]);
    expect(wire.received).toEqual([{ type: 'connection_ack' }]);
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

  it('an authentication that cannot be had is an error of the operation, without a reason, and no allow', async () => {
    await open();
    const wire = await connectAs(await hall.token());
    const byId = vi.spyOn(hall.desk.store, 'byId').mockRejectedValue(new Error('db pass=hunter2'));
    wire.subscribe('1', '{ hello secret }');
    expect(await wire.until('error', '1')).toEqual([
      { message: 'Internal server error', extensions: { code: 'INTERNAL_SERVER_ERROR' } },
    ]);
    byId.mockRestore();
    wire.subscribe('2', '{ secret }');
    expect(await wire.until('next', '2')).toEqual({ data: { secret: 'told' } });
  });

  it('an authentication that cannot be had between two events ends the stream, and delivers nothing', async () => {
    await open();
    const wire = await connectAs(await hall.token());
    wire.subscribe('1', 'subscription { guarded }');
    await eventually(() => expect(hall.hub.size()).toBe(1));
    const byId = vi.spyOn(hall.desk.store, 'byId').mockRejectedValue(new Error('down'));
    hall.hub.publish(1);
    await eventually(() => expect(hall.hub.size()).toBe(0));
    byId.mockRestore();
    expect(wire.received.filter(({ type }) => type === 'next')).toEqual([]);
    expect(wire.socket.readyState).toBe(WebSocket.OPEN);
  });

  it('revoke closes the sockets of that principal at once, and no others', async () => {
    await open();
    await hall.desk.accounts.register({ username: 'bob', password: 'another passphrase', email: 'b@example.org' });
    const bob = await hall.desk.accounts.login({ username: 'bob', password: 'another passphrase' });
    const wires = [await connectAs(await hall.token()), await connectAs(await hall.token())];
    const other = await connectAs(bob.accessToken);
    for (const wire of [...wires, other]) wire.subscribe('1', 'subscription { guarded }');
    await eventually(() => expect(hall.hub.size()).toBe(3));
    hall.sockets.revoke(await idOf());
    hall.hub.publish(1);
    expect(await Promise.all(wires.map(({ closed }) => closed))).toEqual([4403, 4403]);
    expect(await other.until('next', '1')).toEqual({ data: { guarded: 1 } });
    expect(wires.map(({ received }) => received)).toEqual([[{ type: 'connection_ack' }], [{ type: 'connection_ack' }]]);
    expect(hall.hub.size()).toBe(1);
  });

  it('a revoked client that does not answer the closing frame is dropped', async () => {
    await open();
    const wire = await connectAs(await hall.token());
    wire.socket.pause();
    hall.sockets.revoke(await idOf());
    await eventually(
      () =>
        new Promise<void>((resolve, reject) => {
          hall.running.server.getConnections((_error, count) =>
            count === 0 ? resolve() : reject(new Error(String(count))),
          );
        }),
    );
    wire.socket.terminate();
  });
});

describe('limits', () => {
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

  it('WS-12 a place that comes free forgives the refusals before it', async () => {
    await open({ limits: { operations: 2 } });
    const wire = await hall.connect({ payload: {} });
    const refuse = async (round: string, count: number) => {
      for (let id = 0; id < count; id += 1) wire.subscribe(`${round}${id}`, 'subscription { ticks }');
      await wire.until('error', `${round}${count - 1}`);
    };
    for (const id of ['1', '2']) wire.subscribe(id, 'subscription { ticks }');
    await refuse('first', 17);
    wire.send({ type: 'complete', id: '1' });
    await eventually(() => expect(hall.hub.size()).toBe(1));
    wire.subscribe('3', 'subscription { ticks }');
    await refuse('second', 17);
    wire.subscribe('last', 'subscription { ticks }');
    expect(await wire.closed).toBe(4429);
  });

  it('WS-12 finished operations do not count, and neither does completing one that never starts free a place', async () => {
    await open({ limits: { operations: 2 } });
    const wire = await hall.connect({ payload: {} });
    for (let id = 0; id < 10; id += 1) {
      wire.subscribe(`q${id}`, '{ hello }');
      await wire.until('complete', `q${id}`);
    }
    for (const id of ['a', 'b']) wire.subscribe(id, 'subscription { slow }');
    for (const id of ['a', 'b']) wire.send({ type: 'complete', id });
    wire.subscribe('c', '{ hello }');
    await wire.until('error', 'c');
    hall.release();
    await eventually(() => expect(hall.hub.size()).toBe(0));
    wire.subscribe('d', '{ hello }');
    expect(await wire.until('next', 'd')).toEqual({ data: { hello: 'world' } });
  });

  it('WS-13 a message of 64 KiB passes and one byte more is 1009', async () => {
    await open();
    const message = (bytes: number) => {
      const frame = JSON.stringify({ type: 'ping', payload: { x: '' } });
      return frame.replace('""', `"${'x'.repeat(bytes - frame.length)}"`);
    };
    const wire = await hall.connect({ payload: {} });
    wire.send(message(65_536));
    await wire.until('pong');
    wire.send(message(65_537));
    expect(await wire.closed).toBe(1009);
  });

  it('WS-13 a message in fragments is counted as a whole', async () => {
    await open();
    const wire = await hall.connect({ payload: {} });
    const fragment = 'x'.repeat(32_768);
    for (let count = 0; count < 3; count += 1) wire.socket.send(fragment, { fin: false });
    expect(await wire.closed).toBe(1009);
  });

  it('WS-14 a client that stops reading is closed when its buffer is full, and its stream ends', async () => {
    await open({ limits: { bufferedBytes: 65_536 } });
    const wire = await hall.connect({ payload: {} });
    wire.subscribe('1', 'subscription { ticks }');
    await eventually(() => expect(hall.hub.size()).toBe(1));
    wire.socket.pause();
    for (let round = 0; round < 2_000 && hall.hub.size() === 1; round += 1) {
      for (let event = 0; event < 100; event += 1) hall.hub.publish(event);
      await new Promise(setImmediate);
    }
    expect(hall.hub.size()).toBe(0);
    const closed = wire.closed;
    wire.socket.resume();
    expect([1013, 1006]).toContain(await closed);
  }, 120_000);

  it('WS-15 a client that answers no ping is dropped, one that does is kept', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    try {
      await open({ limits: { keepAliveMs: 60 } });
      const [silent, lively] = [
        await hall.connect({ payload: {}, ws: { autoPong: false } }),
        await hall.connect({ payload: {} }),
      ];
      for (let round = 0; round < 4; round += 1) {
        const pinged = once(lively.socket, 'ping');
        vi.advanceTimersByTime(60);
        await pinged;
        // The answer to this comes after the server has read the pong.
        lively.received.length = 0;
        lively.send({ type: 'ping' });
        await lively.until('pong');
      }
      expect(await silent.closed).toBe(1006);
      expect(lively.socket.readyState).toBe(WebSocket.OPEN);
    } finally {
      vi.useRealTimers();
    }
  });

  it('WS-16 sockets that close while a subscription starts leave none behind', async () => {
    await open();
    for (let round = 0; round < 50; round += 1) {
      const wire = await hall.connect({ payload: {} });
      wire.subscribe('a', 'subscription { slow }');
      wire.subscribe('b', 'subscription { ticks }');
      if (round % 2 === 0) await new Promise(setImmediate);
      wire.socket.terminate();
      await wire.closed;
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
    hall.release();
    await eventually(() => expect(hall.hub.size()).toBe(0));
  });

  it('a document may have 5,000 tokens, and a hostile one is an error and no crash', async () => {
    await open();
    const wire = await hall.connect({ payload: {} });
    wire.subscribe('1', `{ ${'hello '.repeat(5_000)} }`);
    await wire.until('error', '1');
    wire.subscribe('2', `${'{a'.repeat(2_400)}`);
    await wire.until('error', '2');
    wire.subscribe('3', '{ hello }');
    expect(await wire.until('next', '3')).toEqual({ data: { hello: 'world' } });
  });
});

describe('errors', () => {
  it('GQL-09 of resolvers and streams are masked, and told to onError', async () => {
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

  it('of the document are told: syntax and validation', async () => {
    await open();
    const wire = await hall.connect({ payload: {} });
    wire.subscribe('1', '{');
    wire.subscribe('2', '{ nothing }');
    expect(await wire.until('error', '1')).toMatchObject([{ message: expect.stringContaining('Syntax Error') }]);
    expect(await wire.until('error', '2')).toMatchObject([{ message: expect.stringContaining('nothing') }]);
  });

  it('of parse and validate hooks are told when they are GraphQL errors and masked when not', async () => {
    await open({
      parse: (source) => {
        if (source.includes('crash')) throw new Error('hunter2');
        if (source.includes('text')) throw 'hunter2';
        const originalError = new Error('hunter2');
        const extensions = { code: 'BAD_USER_INPUT' };
        if (source.includes('deep')) throw new GraphQLError('Too deep', { extensions, originalError });
        return parse(source);
      },
      validate: (_schema, document) =>
        document.definitions.length > 1 ? [new GraphQLError('One operation only')] : [],
    });
    const wire = await hall.connect({ payload: {} });
    wire.subscribe('1', '{ deep }');
    wire.subscribe('2', '{ crash }');
    wire.subscribe('3', 'query A { hello } query B { hello }');
    wire.subscribe('4', '{ text }');
    expect(await wire.until('error', '1')).toEqual([{ message: 'Too deep', extensions: { code: 'BAD_USER_INPUT' } }]);
    for (const id of ['2', '4']) {
      expect(await wire.until('error', id)).toEqual([
        { message: 'Internal server error', extensions: { code: 'INTERNAL_SERVER_ERROR' } },
      ]);
    }
    expect(await wire.until('error', '3')).toMatchObject([{ message: 'One operation only' }]);
  });

  it('of the context are errors of the operation, and WS-18 no close reason carries one', async () => {
    await open({
      context: () => {
        throw new Error('hunter2'.repeat(50));
      },
    });
    const wire = await hall.connect({ payload: {} });
    wire.subscribe('1', '{ hello }');
    expect(await wire.until('error', '1')).toMatchObject([{ message: 'Internal server error' }]);
    expect(wire.socket.readyState).toBe(WebSocket.OPEN);
  });

  it('of a listener for errors change nothing', async () => {
    await open({
      execute: () => {
        throw new Error('executor');
      },
      onError: () => {
        throw new Error('listener');
      },
    });
    const wire = await hall.connect({ payload: {} });
    wire.subscribe('1', '{ hello }');
    expect(await wire.closed).toBe(4500);
    expect((await hall.connect({ payload: {} })).received).toEqual([{ type: 'connection_ack' }]);
  });

  it('WS-18 of an executor that throws close the socket with 4500 and no detail', async () => {
    await open({
      execute: () => {
        throw new Error('hunter2'.repeat(50));
      },
    });
    const wire = await hall.connect({ payload: {} });
    const closed = once(wire.socket, 'close');
    wire.subscribe('1', '{ hello }');
    const [status, reason] = await closed;
    expect([status, String(reason)]).toEqual([4500, 'Internal server error']);
    expect(hall.errors).toHaveLength(1);
  });
});

describe('close', () => {
  it('closes all sockets with 1001, returns what runs on them, and takes no new one', async () => {
    await open();
    const wires = [await hall.connect({ payload: {} }), await hall.connect()];
    wires[0]?.subscribe('1', 'subscription { ticks }');
    await eventually(() => expect(hall.hub.size()).toBe(1));
    await hall.sockets.close();
    expect(hall.hub.size()).toBe(0);
    expect(await Promise.all(wires.map(({ closed }) => closed))).toEqual([1001, 1001]);
    await expect(hall.connect()).rejects.toThrow();
  });
});

it.each([
  ['authenticate', { authenticate: undefined }],
  ['environment', { environment: 'now' }],
  ['path', { path: 'graphql' }],
  ['allowedOrigins', { allowedOrigins: ['app.example'] }],
  ['allowedOrigins', { allowedOrigins: ['https://app.example/'] }],
  ['allowedOrigins', { allowedOrigins: ['*'] }],
  ['allowedOrigins', { allowedOrigins: ['null'] }],
  ['trustedProxies', { trustedProxies: ['all'] }],
  ['limits.operations', { limits: { operations: 0 } }],
  ['limits.bufferedBytes', { limits: { bufferedBytes: Number.POSITIVE_INFINITY } }],
])('refuses a useless %s', async (field, options) => {
  await open();
  const schema = buildSchema('type Query { a: Int }');
  const authenticate = () => ({ ok: false, reason: 'none' }) as const;
  expect(() =>
    createGraphQLSockets({ schema, authenticate, environment: environmentSource(), ...(options as object) }),
  ).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID', field }));
});
