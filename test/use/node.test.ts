import { once } from 'node:events';
import { createServer, request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { DoorwardError } from 'doorward';
import {
  bodyLimits,
  createRouter,
  type ErrorListener,
  type Handler,
  json,
  type RequestInfo,
  type Routes,
  readJson,
} from 'doorward/http';
import {
  type RunningServer,
  recommendedServerOptions,
  type ServeOptions,
  serve,
  toNodeListener,
} from 'doorward/use/node';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { eventually } from '../eventually.ts';
import { portOf, raw, rawRequest, statusesOf } from './support.ts';

const opened: RunningServer[] = [];
async function start(handler: Handler, options?: ServeOptions): Promise<RunningServer> {
  const running = await serve(handler, options);
  opened.push(running);
  return running;
}
afterEach(async () => {
  for (const running of opened.splice(0)) await running.close(0);
});

const routes: Routes = {
  'GET /me': (request) => {
    const authorization = request.headers.get('authorization');
    if (authorization === null) throw new DoorwardError('AUTH_NOT_AUTHENTICATED');
    return json(200, { authorization });
  },
  'POST /echo': async (request) => json(200, await readJson(request, bodyLimits.auth)),
  'POST /early': () => {
    throw new DoorwardError('AUTH_NOT_AUTHENTICATED');
  },
  'GET /graphql': () => json(200, {}),
  'POST /graphql': () => json(200, {}),
  'GET /things/{id}': (_request, _info, { params }) => json(200, params),
};
const handler = createRouter(routes);

describe('a request on its way in', () => {
  it('becomes a Web request: method, url, headers, body', async () => {
    const seen: unknown[] = [];
    const { url } = await start(async (request) => {
      seen.push(request.method, request.url, request.headers.get('x-a'), await request.text());
      return json(200, {});
    });
    await fetch(`${url}/a/b?c=d%20e`, { method: 'PUT', headers: { 'x-a': '1' }, body: 'böd' });
    expect(seen).toEqual(['PUT', `${url}/a/b?c=d%20e`, '1', 'böd']);
  });

  it('has no body when it was sent without one', async () => {
    const bodies: unknown[] = [];
    const running = await start((request) => {
      bodies.push(request.body);
      return json(200, {});
    });
    await fetch(running.url);
    await fetch(running.url, { method: 'POST' });
    await rawRequest(running, 'POST / HTTP/1.1', 'Host: x', 'Content-Length: 0');
    expect(bodies).toEqual([null, null, null]);
  });

  it.each(['//me', '/a/../me', '/./me', '/a/%2e%2e/me', '/me\\x', 'http://evil.example/me', '*', 'me', '/mé', '/{id}'])(
    'with the target %s is 400 before any handler',
    async (target) => {
      const reached = vi.fn(() => json(200, {}));
      const running = await start(reached);
      const answer = await rawRequest(running, `GET ${target} HTTP/1.1`, 'Host: localhost');
      expect(statusesOf(answer)).toEqual([400]);
      expect(reached).not.toHaveBeenCalled();
    },
  );

  it.each(['evil/path', 'a b', 'user@host', 'a?b', 'a#b', 'a:99999999', ''])(
    'with the host %j is 400',
    async (host) => {
      const running = await start(handler);
      expect(statusesOf(await rawRequest(running, 'GET /graphql HTTP/1.1', `Host: ${host}`))).toEqual([400]);
    },
  );

  it.each([
    ['Authorization', 'Bearer a', 'Bearer b'],
    ['Authorization', 'Bearer a', 'Bearer a'],
    ['Content-Type', 'application/json', 'text/plain'],
    ['Host', 'a.example', 'b.example'],
    ['Content-Length', '2', '2'],
  ])('HTTP-02 with %s twice is 400 and the connection ends', async (name, first, second) => {
    const reached = vi.fn(() => json(200, {}));
    const running = await start(reached);
    const host = name === 'Host' ? [] : ['Host: x'];
    const lines = ['POST /me HTTP/1.1', ...host, `${name}: ${first}`, `${name.toLowerCase()}: ${second}`, '', '{}'];
    expect(statusesOf(await raw(running, lines.join('\r\n')))).toEqual([400]);
    expect(reached).not.toHaveBeenCalled();
  });

  it.each([200, 999, 1_000])(
    'HTTP-04 with %i junk headers before Authorization is 431, never anonymous',
    async (count) => {
      const running = await start(handler);
      const junk = Array.from({ length: count }, (_, n) => `X${n}: 1`);
      const answer = await rawRequest(running, 'GET /me HTTP/1.1', 'Host: x', ...junk, 'Authorization: Bearer a');
      expect(statusesOf(answer)).toEqual([431]);
    },
  );

  it('HTTP-04 with 200 header lines in all is served', async () => {
    const running = await start(handler);
    const junk = Array.from({ length: 197 }, (_, n) => `X${n}: 1`);
    const answer = await rawRequest(running, 'GET /me HTTP/1.1', 'Host: x', ...junk, 'Authorization: Bearer a');
    expect(statusesOf(answer)).toEqual([200]);
    expect(answer).toContain('Bearer a');
  });

  it.each([
    ['Content-Length and Transfer-Encoding', ['Content-Length: 3', 'Transfer-Encoding: chunked'], '0\r\n\r\n'],
    ['an unknown transfer coding', ['Transfer-Encoding: xchunked'], '0\r\n\r\n'],
    ['a folded header', ['X-A: 1', ' folded'], ''],
    ['a space before the colon', ['X-A : 1'], ''],
    ['a length with a sign', ['Content-Length: +2'], '{}'],
    ['two different lengths', ['Content-Length: 2', 'Content-Length: 3'], '{}'],
    ['a negative chunk', ['Transfer-Encoding: chunked'], '-1\r\n'],
    ['a huge chunk extension', ['Transfer-Encoding: chunked'], `1;${'x'.repeat(20_480)}\r\na\r\n0\r\n\r\n`],
  ])('HTTP-05 with %s is refused and the connection ends', async (_, headers, body) => {
    const running = await start(handler);
    const answer = await raw(running, ['POST /echo HTTP/1.1', 'Host: x', ...headers, '', body].join('\r\n'));
    expect([400, 413, 415]).toContain(statusesOf(answer)[0]);
    expect(statusesOf(answer)).toHaveLength(1);
  });

  it('HTTP-05 with a bare line feed is refused', async () => {
    const running = await start(handler);
    expect(statusesOf(await raw(running, 'GET /me HTTP/1.1\nHost: x\n\n'))).toEqual([400]);
  });

  it.each([
    ['one header of 17 KB', [`X-A: ${'a'.repeat(17_408)}`]],
    ['2,000 cookies', [`Cookie: ${Array.from({ length: 2_000 }, (_, n) => `cookie${n}=value`).join('; ')}`]],
  ])('HTTP-07 with %s is 431', async (_, headers) => {
    const running = await start(handler);
    expect(statusesOf(await rawRequest(running, 'GET /me HTTP/1.1', 'Host: x', ...headers))).toEqual([431]);
  });

  it.each([
    ['a byte of 0xFF', Buffer.from([0xff]), 200],
    ['a NUL', Buffer.from([0]), 400],
    ['an encoded line break', Buffer.from('%0d%0a'), 200],
  ])('JWT-31 with %s in Authorization is no server error', async (_, bytes, status) => {
    const running = await start(handler);
    const head = Buffer.from('GET /me HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ');
    expect(statusesOf(await raw(running, Buffer.concat([head, bytes, Buffer.from('\r\n\r\n')])))).toEqual([status]);
  });

  it.each(['get', 'Get', 'FOO', 'GET-', 'CONNECT'])('HTTP-19 with the method %s is refused', async (method) => {
    const running = await start(handler);
    const target = method === 'CONNECT' ? 'evil.example:443' : '/me';
    const answer = await rawRequest(running, `${method} ${target} HTTP/1.1`, 'Host: x', 'X-Marker: echo-me');
    expect(statusesOf(answer).every((status) => status === 400)).toBe(true);
    expect(answer).not.toContain('echo-me');
  });

  it.each(['TRACE', 'PUT', 'DELETE', 'PROPFIND', 'OPTIONS'])(
    'GQL-15 HTTP-19 %s /graphql is 405 with Allow: GET, POST, and echoes nothing',
    async (method) => {
      const running = await start(handler);
      const answer = await rawRequest(running, `${method} /graphql HTTP/1.1`, 'Host: x', 'X-Marker: echo-me');
      expect(statusesOf(answer)).toEqual([405]);
      expect(answer).toMatch(/^allow: GET, POST\r$/im);
      expect(answer).not.toContain('echo-me');
    },
  );

  it('HTTP-10 HTTP-22 with hostile escapes in the path is 400 or 404 and puts nothing into a header', async () => {
    const running = await start(handler);
    for (const [id, status] of [
      ['%zz', 400],
      ['%E0%A4%A', 400],
      ['%0d%0aX-Injected:%20y', 404],
      ['a'.repeat(10_240), 404],
    ] as const) {
      const answer = await rawRequest(running, `GET /things/${id} HTTP/1.1`, 'Host: x');
      expect(statusesOf(answer)).toEqual([status]);
      expect(answer).not.toMatch(/^x-injected/im);
    }
  });
});

describe('the body', () => {
  it('HTTP-06 a second request behind an unread small body is answered on the same connection', async () => {
    const running = await start(handler);
    const first = `POST /early HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n${'x'.repeat(1_000)}`;
    const second = 'GET /me HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer b\r\nConnection: close\r\n\r\n';
    const answer = await raw(running, first + second);
    expect(statusesOf(answer)).toEqual([401, 200]);
    expect(answer).toContain('Bearer b');
  });

  it.each([
    ['of 1 MB', 'Content-Length: 1048576', 'GET /me HTTP/1.1\r\nHost: x\r\n\r\n'.padEnd(1_048_576, 'x')],
    ['in chunks', 'Transfer-Encoding: chunked', `5000\r\n${'x'.repeat(0x5000)}\r\n0\r\n\r\n`],
  ])(
    'HTTP-06 an unread body %s ends the connection, and nothing in it is taken for a request',
    async (_, header, body) => {
      const running = await start(handler);
      const second = 'GET /me HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer b\r\n\r\n';
      const answer = await raw(running, `POST /early HTTP/1.1\r\nHost: x\r\n${header}\r\n\r\n`, body, second);
      expect(statusesOf(answer)).toEqual([401]);
      expect(answer).toMatch(/^connection: close\r$/im);
    },
  );

  it('a client that reads only when it has sent everything still gets its 413, and not a reset', async () => {
    const { server } = await start(handler);
    const socket = connect(portOf(server), '127.0.0.1');
    await once(socket, 'connect');
    socket.write('POST /echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 524288\r\n\r\n');
    for (let part = 0; part < 32; part += 1) {
      socket.write('x'.repeat(16_384));
      await new Promise(setImmediate);
    }
    const answer = await text(socket);
    expect(statusesOf(answer)).toEqual([413]);
    expect(answer).toContain('{"error":"Request body too large"}');
  });

  it('a body in chunks over the limit is 413 too', async () => {
    const { url } = await start(handler);
    const body = new ReadableStream({
      start(controller) {
        for (let part = 0; part < 40; part += 1) controller.enqueue(new Uint8Array(1_024).fill(0x20));
        controller.close();
      },
    });
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${url}/echo`, { method: 'POST', headers, body, duplex: 'half' } as RequestInit);
    expect(response.status).toBe(413);
  });

  it('HTTP-18 a client that asks before it sends 1 GB is refused without being asked to send', async () => {
    const running = await start(handler);
    const head =
      'Host: x\r\nContent-Type: application/json\r\nContent-Length: 1073741824\r\nExpect: 100-continue\r\n\r\n';
    expect(statusesOf(await raw(running, `POST /early HTTP/1.1\r\n${head}`))).toEqual([401]);
    expect(statusesOf(await raw(running, `POST /echo HTTP/1.1\r\n${head}`))).toEqual([413]);
  });

  it('HTTP-18 a client that was refused before it sent its small body cannot have its next request taken for it', async () => {
    const running = await start(handler);
    const head = 'POST /early HTTP/1.1\r\nHost: x\r\nContent-Length: 60\r\nExpect: 100-continue\r\n\r\n';
    const answer = await raw(running, head, 'GET /me HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer b\r\n\r\n');
    expect(statusesOf(answer)).toEqual([401]);
    expect(answer).toMatch(/^connection: close\r$/im);
  });

  it('a handler that goes on reading after its answer gets an error, and no cut body for a whole one', async () => {
    let reading: Promise<string> = Promise.resolve('');
    const running = await start((request) => {
      reading = request.text();
      reading.catch(() => {});
      return json(200, {});
    });
    const answer = raw(running, 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\nConnection: close\r\n\r\n12345');
    expect(statusesOf(await answer)).toEqual([200]);
    await expect(reading).rejects.toThrow();
  });

  it('HTTP-18 a client that asks before it sends is told to when its body is wanted', async () => {
    const { server } = await start(handler);
    const headers = { 'content-type': 'application/json', 'content-length': '7', expect: '100-continue' };
    const request = httpRequest({ port: portOf(server), method: 'POST', path: '/echo', headers });
    const order: string[] = [];
    request.on('continue', () => {
      order.push('continue');
      request.end('{"a":1}');
    });
    request.flushHeaders();
    const [response] = await once(request, 'response');
    order.push(String(response.statusCode));
    expect(order).toEqual(['continue', '200']);
    response.resume();
  });

  it('HTTP-16 a body that stops coming ends the connection, and others are served meanwhile', async () => {
    const running = await start(handler, {
      server: { headersTimeout: 200, requestTimeout: 300, connectionsCheckingInterval: 50 },
    });
    const head = 'POST /echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n';
    const stalled = raw(running, `${head}{"a":1234`);
    const headless = raw(running, 'GET /me HTTP/1.1\r\nHost:');
    expect((await fetch(`${running.url}/graphql`)).status).toBe(200);
    expect(statusesOf(await stalled).every((status) => status === 408 || status === 400)).toBe(true);
    expect(statusesOf(await headless)).toEqual([408]);
  });

  it('recommends bounds of 10 and 30 seconds and 16 KiB', () => {
    expect(recommendedServerOptions).toEqual({
      headersTimeout: 10_000,
      requestTimeout: 30_000,
      connectionsCheckingInterval: 5_000,
      maxHeaderSize: 16_384,
    });
  });

  it('the signal of a request aborts when its client goes, and not when it is answered', async () => {
    const signals: AbortSignal[] = [];
    const running = await start(async ({ url, signal }) => {
      signals.push(signal);
      if (url.endsWith('/wait')) await once(signal, 'abort');
      return json(200, {});
    });
    await (await fetch(running.url)).text();
    const socket = connect(portOf(running.server), '127.0.0.1');
    socket.write('GET /wait HTTP/1.1\r\nHost: x\r\n\r\n');
    await eventually(() => expect(signals).toHaveLength(2));
    expect(signals.map(({ aborted }) => aborted)).toEqual([false, false]);
    socket.destroy();
    await eventually(() => expect(signals.map(({ aborted }) => aborted)).toEqual([false, true]));
  });
});

describe('the answer', () => {
  it('is written with status, headers, cookies and body', async () => {
    const { url } = await start(() => {
      const headers = new Headers([
        ['set-cookie', 'a=1'],
        ['set-cookie', 'b=2'],
        ['x-a', 'ü'],
      ]);
      return new Response('täxt', { status: 418, headers });
    });
    const response = await fetch(url);
    expect([response.status, await response.text()]).toEqual([418, 'täxt']);
    expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
    expect(response.headers.get('x-a')).toBe('ü');
    expect(response.headers.has('x-powered-by') || response.headers.has('server')).toBe(false);
  });

  it('HEAD gets the head and no body, whatever the handler does', async () => {
    const running = await start(() => json(200, { a: 1 }));
    const answer = await rawRequest(running, 'HEAD / HTTP/1.1', 'Host: x');
    expect(answer).toMatch(/^content-length: 7\r$/im);
    expect(answer.split('\r\n\r\n')[1]).toBe('');
  });

  it('carries an id of its own for the request, whatever id the client sends', async () => {
    const infos: RequestInfo[] = [];
    const { url } = await start((_request, info) => {
      infos.push(info);
      return json(200, {});
    });
    const ids = [];
    for (let count = 0; count < 2; count += 1) {
      ids.push((await fetch(url, { headers: { 'x-request-id': 'mine' } })).headers.get('x-request-id'));
    }
    expect(infos.map(({ requestId }) => requestId)).toEqual(ids);
    expect(new Set([...ids, 'mine', null]).size).toBe(4);
  });

  it('is streamed as it comes, and the stream is cancelled when the client goes', async () => {
    let cancelled = false;
    const { url } = await start(() => {
      const body = new ReadableStream({
        start: (controller) => controller.enqueue(Buffer.from('first')),
        cancel: () => {
          cancelled = true;
        },
      });
      return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
    });
    const aborter = new AbortController();
    const response = await fetch(url, { signal: aborter.signal });
    const { value } = (await response.body?.getReader().read()) ?? {};
    expect(Buffer.from(value ?? []).toString()).toBe('first');
    aborter.abort();
    await eventually(() => expect(cancelled).toBe(true));
  });

  it.each([
    ['throws', () => thrown()],
    ['rejects', () => Promise.reject(new Error('hunter2'))],
    ['rejects with null', () => Promise.reject(null)],
    ['answers with no Response', () => ({ status: 200 }) as never],
    ['answers with nothing', () => undefined as never],
  ])('of a handler that %s is a plain 500, and the server lives on', async (_, misbehave: Handler) => {
    const onError = vi.fn<ErrorListener>(() => {
      throw new Error('and so does the listener');
    });
    const running = await start(misbehave, { onError });
    for (let round = 0; round < 2; round += 1) {
      const response = await fetch(running.url);
      expect([response.status, await response.text()]).toEqual([500, '{"error":"Internal server error"}']);
      expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    }
    expect(onError).toHaveBeenCalledTimes(2);
  });
  const thrown = (): never => {
    throw new Error('hunter2');
  };

  it('of a listener whose parts fail is a closed connection, and the server lives on', async () => {
    let count = 0;
    const running = await start(() => json(200, {}), {
      requestId: () => {
        count += 1;
        if (count === 1) throw new Error('no more ids');
        return String(count);
      },
    });
    await expect(fetch(running.url)).rejects.toThrow();
    expect((await fetch(running.url)).status).toBe(200);
  });

  it('whose body fails half way breaks off, is reported, and the server lives on', async () => {
    const onError = vi.fn<ErrorListener>();
    const { url } = await start(
      (request) => {
        if (request.url.endsWith('/fine')) return json(200, {});
        let pulls = 0;
        const body = new ReadableStream({
          pull(controller) {
            pulls += 1;
            if (pulls === 1) controller.enqueue(Buffer.from('half'));
            else controller.error(new Error('disk'));
          },
        });
        return new Response(body);
      },
      { onError },
    );
    await expect(fetch(url).then((response) => response.text())).rejects.toThrow();
    expect(onError).toHaveBeenCalledOnce();
    expect((await fetch(`${url}/fine`)).status).toBe(200);
  });
});

describe("the caller's address", () => {
  const addresses: (string | undefined)[] = [];
  const record: Handler = (_request, { ip }) => {
    addresses.push(ip);
    return json(200, {});
  };
  async function seenBy(
    trustedProxies: readonly string[] | undefined,
    forwardedFor?: string,
  ): Promise<string | undefined> {
    const { url } = await start(record, trustedProxies === undefined ? {} : { trustedProxies });
    await fetch(url, forwardedFor === undefined ? {} : { headers: { 'x-forwarded-for': forwardedFor } });
    return addresses.pop();
  }

  it('LOG-20 is the peer, and X-Forwarded-For counts for nothing, unless a proxy is trusted', async () => {
    expect(await seenBy(undefined)).toBe('127.0.0.1');
    expect(await seenBy(undefined, '203.0.113.9')).toBe('127.0.0.1');
    expect(await seenBy(['10.0.0.0/8'], '203.0.113.9')).toBe('127.0.0.1');
  });

  it.each([
    ['203.0.113.9', '203.0.113.9'],
    ['198.51.100.1, 203.0.113.9', '203.0.113.9'],
    ['203.0.113.9, 10.1.2.3', '203.0.113.9'],
    ['127.0.0.1, 203.0.113.9,10.1.2.3 , 10.0.0.1', '203.0.113.9'],
    ['::FFFF:203.0.113.9', '203.0.113.9'],
    ['2001:DB8::1', '2001:db8::1'],
    ['2001:db8::1, ::ffff:10.0.0.1', '2001:db8::1'],
    ['10.9.9.9', '10.9.9.9'],
    ['203.0.113.9, garbage', '127.0.0.1'],
    ['203.0.113.9, 10.0.0.1:80', '127.0.0.1'],
    ['203.0.113.9,', '127.0.0.1'],
    ['fe80::1%eth0', 'fe80::1'],
    ['', '127.0.0.1'],
  ])('LOG-20 behind trusted proxies %j comes from %s', async (forwardedFor, ip) => {
    expect(await seenBy(['127.0.0.1', '10.0.0.0/8'], forwardedFor)).toBe(ip);
  });

  it('LOG-20 a header in several lines is read as one, in their order', async () => {
    const running = await start(record, { trustedProxies: ['127.0.0.1'] });
    await rawRequest(
      running,
      'GET / HTTP/1.1',
      'Host: x',
      'X-Forwarded-For: 198.51.100.1',
      'X-Forwarded-For: 203.0.113.9',
    );
    expect(addresses.pop()).toBe('203.0.113.9');
  });

  it.each([
    'localhost',
    '10.0.0.0/33',
    '10.0.0.0/',
    '10.0.0.0/8/8',
    '::/129',
    '10.0.0/8',
    '',
    '*',
    '10.0.0.0/-1',
    '10.0.0.0/1.5',
    undefined,
  ])('refuses the trusted proxy %j', (proxy) => {
    expect(() => toNodeListener(handler, { trustedProxies: [proxy as string] })).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', field: 'trustedProxies' }),
    );
  });
});

describe('toNodeListener', () => {
  const server = createServer(recommendedServerOptions, toNodeListener(handler));
  beforeAll(async () => {
    server.maxHeadersCount = 0;
    await once(server.listen(0, '127.0.0.1'), 'listening');
  });
  afterAll(() => {
    server.close();
    server.closeAllConnections();
  });

  it('serves a server of your own', async () => {
    const response = await fetch(`http://127.0.0.1:${portOf(server)}/things/7`);
    expect(await response.json()).toEqual({ id: '7' });
  });

  it('answers at once where somebody has read the body before, and does not wait for it', async () => {
    const onError = vi.fn();
    const listener = toNodeListener(async (request) => json(200, await readJson(request, bodyLimits.auth)), {
      onError,
    });
    const second = createServer((request, response) => {
      request.on('data', () => {}).once('end', () => setImmediate(() => listener(request, response)));
    });
    await once(second.listen(0, '127.0.0.1'), 'listening');
    const response = await fetch(`http://127.0.0.1:${portOf(second)}/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"a":1}',
    });
    expect(response.status).toBe(500);
    expect(String(onError.mock.calls[0]?.[0])).toContain('was read before');
    second.close();
    second.closeAllConnections();
  });
});

describe('close', () => {
  it('lets a request under way finish, ends its connection, and takes no new one', async () => {
    let finish = (): void => {};
    const gate = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const reached = vi.fn();
    const running = await serve(async () => {
      reached();
      await gate;
      return json(200, { done: true });
    });
    const underWay = raw(running, 'GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await eventually(() => expect(reached).toHaveBeenCalledOnce());
    const closed = running.close();
    await expect(fetch(running.url)).rejects.toThrow();
    finish();
    const answer = await underWay;
    expect(answer).toContain('{"done":true}');
    expect(answer).toMatch(/^connection: close\r$/im);
    await closed;
  });

  it('ends idle connections at once, and busy ones after the grace period', async () => {
    const running = await serve((request) => (request.url.endsWith('/hang') ? new Promise(() => {}) : json(200, {})));
    await (await fetch(running.url)).text();
    const hanging = raw(running, 'GET /hang HTTP/1.1\r\nHost: x\r\n\r\n');
    await new Promise((resolve) => setTimeout(resolve, 50));
    await running.close(100);
    expect(await hanging).toBe('');
  });

  it('serve rejects when the port is taken', async () => {
    const first = await start(handler);
    await expect(serve(handler, { port: portOf(first.server) })).rejects.toThrow('EADDRINUSE');
  });
});
