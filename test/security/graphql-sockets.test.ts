import { environmentSource } from 'doorward';
import { createGraphQLSockets, type GraphQLSocketsOptions, wsAuth } from 'doorward/use/graphql-ws';
import { useServer } from 'graphql-ws/use/ws';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import WebSocket, { WebSocketServer } from 'ws';
import { eventually } from '../eventually.ts';
import { liveBytes, MB } from '../live-memory.ts';
import { bearerPayload, type Hall, openHall, type Wire } from '../use/sockets-support.ts';

type Open = NonNullable<Parameters<typeof openHall>[1]>;

let hall: Hall;
afterEach(() => hall.close());

const openUseServer: Open = ({ server, ...given }) => {
  const auth = wsAuth(given);
  const webSockets = new WebSocketServer({ server, path: '/graphql', maxPayload: 65_536 });
  const { dispose } = useServer({ schema: given.schema, ...auth }, webSockets);
  return { revoke: auth.revoke, close: async () => dispose() };
};
const servers: [string, Open][] = [
  ['createGraphQLSockets', createGraphQLSockets],
  ['useServer with wsAuth', openUseServer],
];
/** graphql-ws writes what ws finds wrong with a frame to the console. */
beforeEach(() => void vi.spyOn(console, 'error').mockImplementation(() => {}));
afterEach(() => vi.restoreAllMocks());

const idOf = async () => (await hall.desk.store.byUsernameKey('ada'))?.id ?? '';
const connectAs = (token: string) => hall.connect({ payload: bearerPayload(token) });

describe.each(servers)('%s', (_, server) => {
  const open = async (options: Partial<GraphQLSocketsOptions> = {}) => {
    hall = await openHall(options, server);
  };

  it('row 7 an operation before the acknowledgement starts no source', async () => {
    await open();
    const wire = await hall.connect();
    wire.send({ type: 'connection_init', payload: bearerPayload(await hall.token()) });
    wire.subscribe('1', 'subscription { guarded }');
    expect(await wire.closed).toBe(4401);
    expect(hall.hub.size()).toBe(0);
  });

  it('row 8 row 9 rules hold over a socket: on the operation, its source and inside of its events', async () => {
    await open();
    const wire = await hall.connect({ payload: {} });
    wire.subscribe('q', '{ secret }');
    wire.subscribe('s', 'subscription { guarded }');
    for (const id of ['q', 's']) {
      expect(await wire.until('next', id)).toMatchObject({ errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] });
    }
    expect(hall.hub.size()).toBe(0);
    wire.subscribe('n', 'subscription { news { id secret } }');
    await eventually(() => expect(hall.hub.size()).toBe(1));
    hall.hub.publish(1);
    expect(await wire.until('next', 'n')).toMatchObject({ data: { news: { id: 1, secret: null } } });
    expect(JSON.stringify(wire.received)).not.toContain('told');
  });

  it('row 11 claims in the payload of connection_init make nobody known', async () => {
    await open();
    const claims = { sub: await idOf(), roles: ['admin'] };
    const wire = await hall.connect({ payload: { ...claims, jwt: claims, user: claims, token: await hall.token() } });
    wire.subscribe('1', '{ who secret }');
    expect(await wire.until('next', '1')).toMatchObject({ data: { who: null, secret: null } });
  });

  it('WS-08 a role that is taken away is gone at the next event, also inside of it', async () => {
    await open();
    const wire = await connectAs(await hall.token());
    wire.subscribe('1', 'subscription { news { secret } }');
    wire.subscribe('2', 'subscription { guarded }');
    await eventually(() => expect(hall.hub.size()).toBe(2));
    hall.hub.publish(1);
    expect(await wire.until('next', '1')).toEqual({ data: { news: { secret: 'told' } } });
    await wire.until('next', '2');
    wire.received.length = 0;
    await hall.desk.store.update(await idOf(), { roles: [] });
    hall.hub.publish(2);
    expect(await wire.until('next', '1')).toMatchObject({ data: { news: { secret: null } } });
    await wire.until('complete', '2');
    expect(JSON.stringify(wire.received)).not.toMatch(/told|"guarded":2/);
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
    expect(hall.hub.size()).toBe(0);
  });

  it('WS-08 a revoked login ends its streams and its socket at once, while no event comes', async () => {
    await open();
    const wire = await connectAs(await hall.token());
    for (const field of ['guarded', 'ticks', 'news { id }']) wire.subscribe(field, `subscription { ${field} }`);
    await eventually(() => expect(hall.hub.size()).toBe(3));
    wire.socket.pause();
    hall.sockets.revoke(await idOf());
    await new Promise(setImmediate);
    expect(hall.hub.size()).toBe(0);
    wire.socket.resume();
    expect(await wire.closed).toBe(4403);
  });

  it('WS-08 who is revoked while the context of a mutation is made does not run it', async () => {
    const ran = vi.fn();
    await open({
      context: async ({ principal }) => {
        hall.sockets.revoke(principal?.id ?? '');
        return {};
      },
      execute: ran,
    });
    const wire = await connectAs(await hall.token());
    wire.subscribe('1', 'mutation { bump }');
    expect(await wire.closed).toBe(4403);
    expect(ran).not.toHaveBeenCalled();
  });

  it('WS-08 the end of a token closes the socket with 4403, while no event comes', async () => {
    let now = 1_800_000_000_000;
    const session = { id: 's', tokenId: 't', authTime: 0, expiresAt: now / 1_000 + 1, amr: [] };
    await open({
      authenticate: () => ({ ok: true, principal: { id: 'u', roles: ['viewer'], attributes: {}, session } }),
      environment: environmentSource({ clock: () => now }),
    });
    now += 900;
    const wire = await connectAs('x');
    wire.subscribe('1', 'subscription { guarded }');
    await eventually(() => expect(hall.hub.size()).toBe(1));
    now += 100;
    expect(await wire.closed).toBe(4403);
    await eventually(() => expect(hall.hub.size()).toBe(0));
  });

  it('WS-13 a message in fragments without end is 1009, and is not kept', async () => {
    await open();
    const wire = await hall.connect({ payload: {} });
    const before = liveBytes();
    let most = before;
    const fragment = 'x'.repeat(60_000);
    for (let count = 0; count < 2_000 && wire.socket.readyState === WebSocket.OPEN; count += 1) {
      wire.socket.send(fragment, { fin: false });
      if (count % 20 > 0) continue;
      await new Promise(setImmediate);
      most = Math.max(most, liveBytes());
    }
    expect(await wire.closed).toBe(1009);
    expect(Math.max(most, liveBytes()) - before).toBeLessThan(60 * MB);
  });

  it('WS-13 a compressed frame is refused: compression was not agreed on', async () => {
    await open();
    const wire = await hall.connect({ payload: {}, ws: { perMessageDeflate: true } });
    expect(wire.socket.extensions).toBe('');
    // A masked text frame with RSV1 set (RFC 7692 section 6).
    const { _socket: raw } = wire.socket as unknown as { readonly _socket: import('node:net').Socket };
    raw.write(Buffer.from([0xc1, 0x81, 0, 0, 0, 0, 0x7b]));
    expect(await wire.closed).toBe(1002);
  });

  it('WS-16 sockets that close while their operations are resolved leave nothing behind', async () => {
    await open();
    const token = await hall.token();
    const visit = async (round: number) => {
      const wire = await connectAs(token);
      wire.subscribe('a', 'subscription { slow }');
      wire.subscribe('b', 'subscription { guarded }');
      wire.subscribe('c', 'subscription { news { id } }');
      if (round % 3 > 0) await new Promise((resolve) => setTimeout(resolve, round % 3));
      wire.socket.terminate();
      await wire.closed;
    };
    for (let round = 0; round < 200; round += 20) {
      await Promise.all(Array.from({ length: 20 }, (_empty, index) => visit(round + index)));
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
    hall.release();
    await eventually(() => expect(hall.hub.size()).toBe(0));
  }, 120_000);
});

describe('createGraphQLSockets alone', () => {
  const open = async (options: Partial<GraphQLSocketsOptions> = {}) => {
    hall = await openHall(options);
  };

  it('WS-14 a client that stops reading costs its buffer, is closed, and its stream ends', async () => {
    await open();
    const wire = await hall.connect({ payload: {} });
    wire.subscribe('1', 'subscription { ticks }');
    await eventually(() => expect(hall.hub.size()).toBe(1));
    wire.socket.pause();
    const before = liveBytes();
    let events = 0;
    for (; events < 400_000 && hall.hub.size() === 1; events += 100) {
      for (let event = 0; event < 100; event += 1) hall.hub.publish(event);
      await new Promise(setImmediate);
    }
    expect(hall.hub.size()).toBe(0);
    expect(events).toBeGreaterThan(10_000);
    expect(liveBytes() - before).toBeLessThan(50 * MB);
    wire.socket.terminate();
  }, 120_000);

  it('WS-15 idle sockets that answer no ping are dropped, all of them', async () => {
    await open({ limits: { keepAliveMs: 150, initTimeoutMs: 60_000 } });
    const opening: Promise<Wire>[] = [];
    for (let count = 0; count < 100; count += 1) opening.push(hall.connect({ ws: { autoPong: false } }));
    const wires = await Promise.all(opening);
    expect(new Set(await Promise.all(wires.map(({ closed }) => closed)))).toEqual(new Set([1006]));
    await eventually(
      () =>
        new Promise<void>((resolve, reject) => {
          hall.running.server.getConnections((_error, count) =>
            count === 0 ? resolve() : reject(new Error(String(count))),
          );
        }),
    );
  });
});
