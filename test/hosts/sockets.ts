import { createGraphQLSockets, type GraphQLSockets } from 'doorward/use/graphql-ws';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import type { Host, RunningHost } from './behaviour.ts';
import { ask, codesOf, createWorld, until } from './support.ts';

interface Message {
  readonly type: string;
  readonly id?: string;
  readonly payload?: unknown;
}

/** Sockets on the server that a host listens with: subscriptions are the same for all hosts. */
export function takesSockets(host: Pick<Host, 'name' | 'start'>): void {
  describe(`${host.name}: sockets on the same server`, () => {
    const world = createWorld();
    let running: RunningHost;
    let sockets: GraphQLSockets;
    beforeAll(async () => {
      running = await host.start(world);
      const { schema, authenticate, environment, onError } = world;
      if (running.server === undefined) throw new Error('the host has no server of its own');
      sockets = createGraphQLSockets({ server: running.server, schema, authenticate, environment, onError });
    });
    afterAll(async () => {
      await sockets.close();
      await running.close();
    });

    async function open(as?: string, protocol = 'graphql-transport-ws') {
      const socket = new WebSocket(running.url.replace('http', 'ws'), protocol);
      const received: Message[] = [];
      let closed: number | undefined;
      socket.on('message', (data) => received.push(JSON.parse(data.toString())));
      socket.on('close', (code) => {
        closed = code;
      });
      const error = await new Promise<Error | undefined>((resolve) => {
        socket.once('open', () => resolve(undefined));
        socket.once('error', resolve);
      });
      const send = (message: Message) => socket.send(JSON.stringify(message));
      const find = (type: string) => received.find((message) => message.type === type)?.payload;
      const payload = as === undefined ? {} : { authorization: `Bearer ${as}-token`, jwt: { roles: ['admin'] } };
      if (error === undefined) {
        send({ type: 'connection_init', payload });
        await until(() => closed !== undefined || received.some(({ type }) => type === 'connection_ack'));
      }
      return { socket, error, received, send, find, closed: () => closed };
    }
    const subscribe = (query: string): Message => ({ type: 'subscribe', id: '1', payload: { query } });

    it('deliver events to those who may, and end when they are revoked', async () => {
      const { send, received, find, closed } = await open('vi');
      send(subscribe('subscription { ticks }'));
      await until(() => world.subscribers() === 1);
      world.publish(3);
      await until(() => received.some(({ type }) => type === 'next'));
      expect(find('next')).toEqual({ data: { ticks: 3 } });
      sockets.revoke('vi');
      await until(() => closed() !== undefined);
      expect(closed()).toBe(4403);
      await until(() => world.subscribers() === 0);
    });

    it('decide a query as it is decided over HTTP', async () => {
      const { send, received, find, socket } = await open('vi');
      send(subscribe('{ hello adminOnly }'));
      await until(() => received.some(({ type }) => type === 'complete'));
      expect(find('next')).toMatchObject({
        data: { hello: 'world', adminOnly: null },
        errors: [{ message: 'Not authorized', path: ['adminOnly'], extensions: { code: 'FORBIDDEN' } }],
      });
      expect(codesOf(await ask(running.url, '{ hello adminOnly }', { as: 'vi' }))).toEqual(['adminOnly: FORBIDDEN']);
      socket.terminate();
    });

    it('start nothing for those who may not, whatever else the payload claims', async () => {
      const { send, received, socket } = await open();
      send(subscribe('subscription { ticks }'));
      await until(() => received.some(({ type }) => type === 'complete' || type === 'error'));
      expect(JSON.stringify(received)).toContain('UNAUTHENTICATED');
      expect(world.subscribers()).toBe(0);
      socket.terminate();
    });

    it('refuse a bad token and the legacy subprotocol', async () => {
      const bad = await open('nobody');
      await until(() => bad.closed() !== undefined);
      expect(bad.closed()).toBe(4403);
      expect((await open('vi', 'graphql-ws')).error).toBeDefined();
      expect(world.subscribers()).toBe(0);
    });
  });
}
