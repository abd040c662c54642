import { once } from 'node:events';
import { connect } from 'node:net';
import { inspect } from 'node:util';
import { allow, environmentSource } from 'doorward';
import { createGate, type Handler, json } from 'doorward/http';
import { type RunningServer, serve } from 'doorward/use/node';
import { type ExecutionResult, execute, GraphQLError } from 'graphql';
import { afterEach, describe, expect, it } from 'vitest';
import { eventually } from '../eventually.ts';
import { bearerPayload, type Hall, openHall } from '../use/sockets-support.ts';
import { portOf } from '../use/support.ts';

const INFO = { requestId: 'r-1' };
const MASKED = [{ message: 'Internal server error', extensions: { code: 'INTERNAL_SERVER_ERROR' } }];
const ada = { id: '17', roles: [], attributes: {} };

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function hallOf(...args: Parameters<typeof openHall>): Promise<Hall> {
  const hall = await openHall(...args);
  closers.push(() => hall.close());
  return hall;
}

async function serving(handler: Handler): Promise<RunningServer> {
  const running = await serve(handler);
  closers.push(() => running.close(0));
  return running;
}

/** A door that others open and shut. */
function createLatch(): { reached: boolean; wait(): Promise<void>; release(): void } {
  let release = (): void => {};
  const opened = new Promise<void>((resolve) => {
    release = resolve;
  });
  return {
    reached: false,
    wait() {
      this.reached = true;
      return opened;
    },
    release: () => release(),
  };
}

describe('an authenticator that says yes to nobody in particular', () => {
  it.each([
    [{ ok: true }],
    [{ ok: true, principal: undefined }],
    [{ ok: true, principal: null }],
    [{ ok: true, principal: 'admin' }],
    [{ ok: true, principal: {} }],
    [{ ok: true, principal: { ...ada, id: '' } }],
    [{ ok: true, principal: { ...ada, id: 17 } }],
    [{ ok: true, principal: Object.create(ada) }],
  ])('AZ-06 the answer %j lets nobody through a gate', async (answer) => {
    const gate = createGate({
      authenticate: () => answer as never,
      pdp: { decide: () => allow('rule') },
      environment: environmentSource(),
    });
    const request = new Request('http://x/', { headers: { authorization: 'Bearer a' } });
    const reached = () => json(200, 'reached');
    const resource = () => ({ type: 'thing', attributes: {} });
    for (const handler of [
      gate.authenticated(reached),
      gate.optional(reached),
      gate.requirePermission('read', reached),
      gate.requireDecision({ action: 'read', resource }, reached),
    ]) {
      expect((await handler(request, INFO)).status).toBe(401);
    }
  });

  it.each([[{ ok: true }], [{ ok: true, principal: {} }], [{ ok: true, principal: null }]])(
    'AZ-06 the answer %j opens no socket',
    async (answer) => {
      const hall = await hallOf({ authenticate: () => answer as never });
      const wire = await hall.connect({ payload: bearerPayload('a') });
      expect(await wire.closed).toBe(4403);
    },
  );
});

describe('a token that is revoked while its socket is being opened', () => {
  it('WS-08 opens none, though it was good when the check of it began', async () => {
    const latch = createLatch();
    let calls = 0;
    const hall = await hallOf({
      authenticate: async () => {
        calls += 1;
        if (calls > 1) return { ok: false, reason: 'revoked' };
        await latch.wait();
        return { ok: true, principal: ada };
      },
    });
    const wire = await hall.connect();
    wire.send({ type: 'connection_init', payload: bearerPayload('a') });
    await eventually(() => expect(latch.reached).toBe(true));
    hall.sockets.revoke(ada.id);
    latch.release();
    await Promise.race([wire.closed, wire.until('connection_ack').catch(() => {})]);
    expect(wire.received).toEqual([]);
    expect(await wire.closed).toBe(4403);
  });
});

describe('a token that is revoked while an operation is being prepared', () => {
  it('WS-08 lets no mutation run that was prepared before', async () => {
    const latch = createLatch();
    let executions = 0;
    const hall = await hallOf({
      context: async () => {
        await latch.wait();
        return {};
      },
      execute: (args) => {
        executions += 1;
        return execute(args);
      },
    });
    const wire = await hall.connect({ payload: bearerPayload(await hall.token()) });
    wire.subscribe('1', 'mutation { bump }');
    await eventually(() => expect(latch.reached).toBe(true));
    const account = await hall.desk.store.byUsernameKey('ada');
    hall.sockets.revoke(String(account?.id));
    latch.release();
    expect(await wire.closed).toBe(4403);
    await hall.sockets.close();
    expect(executions).toBe(0);
  });
});

describe('an operation id that is used again', () => {
  it.each(['subscription { slow }', '{ nothing }', '{ hello }'])(
    'WS-16 while its first operation still starts leaves no subscription behind: %s',
    async (second) => {
      const hall = await hallOf();
      const wire = await hall.connect({ payload: {} });
      wire.subscribe('x', 'subscription { slow }');
      wire.send({ type: 'complete', id: 'x' });
      wire.subscribe('x', second);
      wire.send({ type: 'ping' });
      await Promise.race([wire.until('pong'), wire.closed]);
      await new Promise((resolve) => setTimeout(resolve, 20));
      hall.release();
      await new Promise((resolve) => setTimeout(resolve, 20));
      wire.socket.terminate();
      await wire.closed;
      await eventually(() => expect(hall.hub.size()).toBe(0));
    },
  );

  it('WS-04 and has ended may be used again', async () => {
    const hall = await hallOf();
    const wire = await hall.connect({ payload: {} });
    for (let round = 1; round <= 3; round += 1) {
      wire.subscribe('x', '{ hello }');
      await eventually(() => expect(wire.received.filter(({ type }) => type === 'complete')).toHaveLength(round));
    }
  });
});

/** A subscription whose stream fails at once. */
function failing(error: Error): () => Promise<AsyncGenerator<ExecutionResult, void, void>> {
  return async () =>
    (async function* () {
      yield await Promise.reject(error);
    })();
}

describe('GraphQL errors that were not thrown for a client', () => {
  it('GQL-09 one that a stream throws is masked', async () => {
    const hall = await hallOf({ subscribe: failing(new GraphQLError('db pass=hunter2')) });
    const wire = await hall.connect({ payload: {} });
    wire.subscribe('1', 'subscription { ticks }');
    expect(await wire.until('error', '1')).toEqual(MASKED);
    expect(inspect(hall.errors)).toContain('hunter2');
  });

  it('GQL-09 one that a stream throws with a code for clients is told', async () => {
    const hall = await hallOf({ subscribe: failing(new GraphQLError('Gone', { extensions: { code: 'NOT_FOUND' } })) });
    const wire = await hall.connect({ payload: {} });
    wire.subscribe('1', 'subscription { ticks }');
    expect(await wire.until('error', '1')).toEqual([{ message: 'Gone', extensions: { code: 'NOT_FOUND' } }]);
  });

  it('GQL-09 one that making the context throws is masked', async () => {
    const hall = await hallOf({
      context: () => {
        throw new GraphQLError('db pass=hunter2');
      },
    });
    const wire = await hall.connect({ payload: {} });
    wire.subscribe('1', '{ hello }');
    expect(await wire.until('error', '1')).toEqual(MASKED);
  });
});

describe('a client that goes before its answer', () => {
  it('DOS a stream that nobody will read is cancelled at once', async () => {
    const latch = createLatch();
    let cancelled = 0;
    const running = await serving(async () => {
      await latch.wait();
      const endless = new ReadableStream({
        pull: (controller) => controller.enqueue(new Uint8Array(65_536)),
        cancel() {
          cancelled += 1;
        },
      });
      return new Response(endless);
    });
    const socket = connect(portOf(running.server), '127.0.0.1');
    await once(socket, 'connect');
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await eventually(() => expect(latch.reached).toBe(true));
    socket.destroy();
    await new Promise((resolve) => setTimeout(resolve, 50));
    latch.release();
    await eventually(() => expect(cancelled).toBe(1));
  });
});
