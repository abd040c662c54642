import { once } from 'node:events';
import { createServer } from 'node:http';
import { DoorwardError } from 'doorward';
import { type SseAuth, type SseAuthOptions, sseAuth } from 'doorward/use/graphql-sse';
import type { GraphQLSocketsOptions } from 'doorward/use/graphql-ws';
import { buildSchema } from 'graphql';
import { createClient } from 'graphql-sse';
import { createHandler as createFetchHandler } from 'graphql-sse/lib/use/fetch';
import { createHandler } from 'graphql-sse/lib/use/http';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { eventually } from '../eventually.ts';
import { type Hall, openHall } from './sockets-support.ts';

let hall: Hall;
let auth: SseAuth;
let url: string;

/** The hall of the other tests, behind graphql-sse on a server of its own. */
async function open(options: Partial<SseAuthOptions> = {}): Promise<Hall> {
  const server = createServer();
  hall = await openHall(options as unknown as Partial<GraphQLSocketsOptions>, ({ server: _, limits: __, ...given }) => {
    auth = sseAuth(given as unknown as SseAuthOptions);
    const handler = createHandler({ schema: given.schema, ...auth });
    server.on('request', (request, response) => {
      handler(request, response).catch(() => response.destroy());
    });
    return {
      revoke: auth.revoke,
      async close() {
        auth.close();
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      },
    };
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/graphql`;
  return hall;
}
afterEach(() => hall.close());

const idOf = async () => (await hall.desk.store.byUsernameKey('ada'))?.id ?? '';

interface Answer {
  readonly response: Response;
  readonly text: () => string;
  readonly ended: Promise<void>;
  leave(): void;
}

async function ask(query: string, authorization?: string, init: RequestInit = {}): Promise<Answer> {
  const leaving = new AbortController();
  const response = await fetch(url, {
    method: 'POST',
    body: JSON.stringify({ query }),
    signal: leaving.signal,
    ...init,
    headers: {
      'content-type': 'application/json',
      accept: 'text/event-stream',
      ...(authorization !== undefined && { authorization }),
      ...init.headers,
    },
  });
  let text = '';
  const read = async () => {
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) text += decoder.decode(chunk, { stream: true });
  };
  return { response, text: () => text, ended: read().catch(() => {}), leave: () => leaving.abort() };
}

const askAs = (token: string, query: string) => ask(query, `Bearer ${token}`);
const whole = async (answer: Answer) => {
  await answer.ended;
  return answer.text();
};

describe('a request', () => {
  it('without a token is anonymous: each field decides', async () => {
    await open();
    const text = await whole(await ask('{ hello secret }'));
    expect(text).toContain('"hello":"world"');
    expect(text).toContain('"secret":null');
    expect(text).toContain('UNAUTHENTICATED');
  });

  it('with a token runs as its principal, with a context of its own', async () => {
    await open();
    const token = await hall.token();
    for (let round = 0; round < 2; round += 1) {
      expect(await whole(await askAs(token, '{ secret }'))).toContain('"secret":"told"');
    }
    const [first, second] = hall.contexts;
    expect(first?.auth.principal).not.toBe(second?.auth.principal);
  });

  it.each([
    ['garbage', 'Bearer not.a.token'],
    ['no scheme', 'token'],
    ['another scheme', 'Basic x'],
  ])('with a token that is %s is 401 with a challenge, and runs nothing', async (_, authorization) => {
    await open();
    const { response, ended, text } = await ask('mutation { bump }', authorization);
    await ended;
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toBe('Bearer error="invalid_token"');
    expect(JSON.parse(text())).toEqual({ error: 'Not authenticated' });
    expect(hall.contexts).toEqual([]);
  });

  it('whose token cannot be checked is 503: neither refused nor anonymous', async () => {
    const down = new DoorwardError('SERVICE_UNAVAILABLE');
    await open({ authenticate: () => Promise.reject(down) });
    const { response } = await ask('{ hello }', 'Bearer x');
    expect(response.status).toBe(503);
    expect(hall.errors).toEqual([down]);
  });

  it('a token in the URL, or in the header of the single connection mode, is ignored', async () => {
    await open();
    const token = await hall.token();
    const headers = { 'x-graphql-event-stream-token': token };
    const body = JSON.stringify({ query: '{ secret }' });
    url += `?token=${token}&authorization=Bearer%20${token}`;
    expect(await whole(await ask('', undefined, { headers, body }))).toContain('UNAUTHENTICATED');
  });

  it('of the single connection mode is refused', async () => {
    await open();
    const headers = { 'x-graphql-event-stream-token': 'mine', authorization: `Bearer ${await hall.token()}` };
    for (const method of ['PUT', 'DELETE']) {
      expect((await fetch(`${url}?operationId=1`, { method, headers })).status).toBe(404);
    }
    const body = JSON.stringify({ query: '{ secret }', extensions: { operationId: '1' } });
    expect((await fetch(url, { method: 'POST', headers, body })).status).toBe(404);
  });

  it('of who is revoked while its context is made is 401, and runs nothing', async () => {
    const ran = vi.fn();
    await open({
      context: async ({ principal }) => {
        auth.revoke(principal?.id ?? '');
        return {};
      },
      execute: ran,
    });
    const { response } = await askAs(await hall.token(), 'mutation { bump }');
    expect(response.status).toBe(401);
    expect(ran).not.toHaveBeenCalled();
  });

  it('row 13 by GET runs no mutation', async () => {
    await open();
    url += `?query=${encodeURIComponent('mutation { bump }')}`;
    const bump = await ask('', undefined, { method: 'GET', body: null });
    expect(bump.response.status).toBe(405);
  });

  it('syntax, validation and the wrong operation are errors in the stream; a hostile document too', async () => {
    await open();
    for (const query of ['{', '{ nothing }', 'query A { hello } query B { hello }', `{ ${'hello '.repeat(5_000)} }`]) {
      expect(await whole(await ask(query))).toContain('BAD_USER_INPUT');
    }
    expect(hall.contexts).toEqual([]);
  });

  it('GQL-09 errors of resolvers, streams, contexts and executors are masked, and told to onError', async () => {
    await open();
    expect(await whole(await ask('{ hello fails }'))).toContain('"message":"Internal server error"');
    const broken = await whole(await ask('subscription { breaks }'));
    expect(broken).toContain('"breaks":1');
    expect(broken).toContain('"message":"Internal server error"');
    expect(broken).toContain('event: complete');
    expect(broken).not.toContain('hunter2');
    expect(hall.errors.map(String)).toEqual(['Error: db pass=hunter2', 'Error: db pass=hunter2']);
    await hall.close();
    for (const failing of ['context', 'execute', 'parse']) {
      await open({
        [failing]: () => {
          throw new Error('hunter2');
        },
      });
      const text = await whole(await ask('{ hello }'));
      expect(text).toContain('INTERNAL_SERVER_ERROR');
      expect(text).not.toContain('hunter2');
      await hall.close();
    }
    await open();
  });
});

describe('a stream', () => {
  it('serves the graphql-sse client', async () => {
    await open();
    const client = createClient({ url, headers: { authorization: `Bearer ${await hall.token()}` }, retryAttempts: 0 });
    const results = client.iterate({ query: 'subscription { guarded }' });
    const first = results.next();
    await eventually(() => expect(hall.hub.size()).toBe(1));
    hall.hub.publish(7);
    expect((await first).value).toEqual({ data: { guarded: 7 } });
    client.dispose();
    await eventually(() => expect(hall.hub.size()).toBe(0));
  });

  it('DIR-16 is decided before its source starts', async () => {
    await open();
    await hall.desk.store.update(await idOf(), { roles: [] });
    const text = await whole(await askAs(await hall.token(), 'subscription { guarded }'));
    expect(text).toContain('FORBIDDEN');
    expect(hall.hub.size()).toBe(0);
  });

  it('WS-08 is decided anew for every event', async () => {
    await open();
    const answer = await askAs(await hall.token(), 'subscription { guarded }');
    await eventually(() => expect(hall.hub.size()).toBe(1));
    hall.hub.publish(1);
    await eventually(() => expect(answer.text()).toContain('"guarded":1'));
    await hall.desk.store.update(await idOf(), { roles: [] });
    hall.hub.publish(2);
    expect(await whole(answer)).not.toContain('"guarded":2');
    expect(hall.hub.size()).toBe(0);
  });

  it.each(['guarded', 'ticks'])(
    '%s ends at once when its login is revoked, and those of others go on',
    async (field) => {
      await open();
      const answers = [
        await askAs(await hall.token(), `subscription { ${field} }`),
        await askAs(await hall.token(), `subscription { ${field} }`),
      ];
      await eventually(() => expect(hall.hub.size()).toBe(2));
      const sessions = hall.contexts.map((context) => context.auth.principal?.session?.id ?? '');
      auth.revoke('somebody else');
      auth.revoke(await idOf(), sessions[0]);
      expect(await whole(answers[0] as Answer)).toContain('event: complete');
      await eventually(() => expect(hall.hub.size()).toBe(1));
      hall.hub.publish(3);
      await eventually(() => expect(answers[1]?.text()).toContain(`"${field}":3`));
      auth.revoke(await idOf());
      await answers[1]?.ended;
      expect(hall.hub.size()).toBe(0);
    },
  );

  it('ends when its token ends, without an event', async () => {
    await open();
    const token = await hall.token();
    const end = hall.desk.clock.now + 1_800_000;
    hall.desk.clock.now = end - 60;
    const answer = await askAs(token, 'subscription { ticks }');
    hall.desk.clock.now = end;
    await answer.ended;
    expect(hall.hub.size()).toBe(0);
  });

  it('of a client that leaves is returned, also while it starts', async () => {
    await open();
    const token = await hall.token();
    for (let round = 0; round < 20; round += 1) {
      const answer = await askAs(token, 'subscription { guarded }');
      answer.leave();
      const leaving = new AbortController();
      const slow = ask('subscription { slow }', undefined, { signal: leaving.signal }).catch(() => {});
      if (round % 2 === 0) await new Promise((resolve) => setTimeout(resolve, 5));
      leaving.abort();
      await slow;
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
    hall.release();
    await eventually(() => expect(hall.hub.size()).toBe(0));
  });

  it('close ends all streams, and the next request is 503', async () => {
    await open();
    const answers = [await ask('subscription { ticks }'), await askAs(await hall.token(), 'subscription { guarded }')];
    await eventually(() => expect(hall.hub.size()).toBe(2));
    auth.close();
    await Promise.all(answers.map(({ ended }) => ended));
    expect(hall.hub.size()).toBe(0);
    expect((await ask('{ hello }')).response.status).toBe(503);
  });
});

it('works with Web requests: the same 401, and a stream that ends', async () => {
  await open();
  const handler = createFetchHandler({ ...auth });
  const headers = { 'content-type': 'application/json', accept: 'text/event-stream' };
  const request = (query: string, authorization?: string) =>
    new Request('http://app.example/graphql', {
      method: 'POST',
      body: JSON.stringify({ query }),
      headers: { ...headers, ...(authorization !== undefined && { authorization }) },
    });
  expect((await handler(request('{ hello }', 'Bearer x'))).status).toBe(401);
  expect(await (await handler(request('{ hello secret }'))).text()).toContain('UNAUTHENTICATED');
  const stream = await handler(request('subscription { guarded }', `Bearer ${await hall.token()}`));
  await eventually(() => expect(hall.hub.size()).toBe(1));
  auth.revoke(await idOf());
  expect(await stream.text()).toContain('event: complete');
});

it.each([
  ['schema', { schema: undefined }],
  ['authenticate', { authenticate: undefined }],
  ['trustedProxies', { trustedProxies: ['all'] }],
  ['allowedOrigins', { allowedOrigins: [] }],
])('refuses a useless %s', async (field, options) => {
  await open();
  const schema = buildSchema('type Query { a: Int }');
  const authenticate = () => ({ ok: false, reason: 'none' }) as const;
  expect(() => sseAuth({ schema, authenticate, ...(options as object) })).toThrow(
    expect.objectContaining({ code: 'CONFIG_INVALID', field }),
  );
});
