import type { ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { type AccessRequest, type Decision, denialOf, isIndeterminate } from 'doorward';
import { createOpaClient, type OpaClient, type OpaClientOptions } from 'doorward/opa';
import { Agent } from 'undici';
import { afterEach, describe, expect, it } from 'vitest';
import { answerJson, type Fake, fakeOpa, rawOpa } from './fake-opa.ts';
import { selfSigned } from './self-signed.ts';
import { heldTime, sleep } from './support.ts';

const request: AccessRequest = {
  subject: { id: 'ada', roles: ['viewer'], attributes: { username: 'Ada', department: 'sales', password: 'p' } },
  action: 'read',
  resource: {
    type: 'document',
    id: 'd1',
    attributes: { owner_id: 'bob', department: 'hr', sensitivity: 'low', body: 'text' },
  },
  environment: { time: 0, hour: 10, ip: '192.0.2.1', userAgent: 'browser' },
};
const principal = request.subject;

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});
function started<T extends { close(): Promise<void> }>(closable: T): T {
  closing.push(() => closable.close());
  return closable;
}
const clientOf = (url: string, options?: Partial<OpaClientOptions>): OpaClient =>
  started(createOpaClient({ url, timeoutMs: 60_000, ...options }));

/** The connection that carried the call ends, and the call is not made again. */
async function expectCutOff(carriers: ReadonlySet<Socket>): Promise<void> {
  await expect.poll(() => [...carriers].map((socket) => socket.destroyed)).toEqual([true]);
}

async function decideAgainst(
  answer: (response: ServerResponse) => void,
  options?: Partial<OpaClientOptions>,
): Promise<Decision> {
  const opa = started(await fakeOpa(answer));
  return clientOf(opa.url, options).decide(request);
}
const answerText =
  (body: string | Buffer, type: string | undefined, status = 200) =>
  (response: ServerResponse) => {
    response.writeHead(status, type === undefined ? {} : { 'content-type': type }).end(body);
  };

describe('what is sent', () => {
  it('PDP-01 a POST to the one path, with the fields of the contract, user.roles and environment, and nothing else', async () => {
    const opa = started(await fakeOpa(answerJson({ result: true })));
    await clientOf(opa.url).decide(request);
    expect(opa.calls).toEqual([
      {
        method: 'POST',
        url: '/v1/data/authz/allow',
        headers: expect.objectContaining({ 'content-type': 'application/json' }),
        body: expect.any(String),
      },
    ]);
    expect(opa.calls[0]?.headers).not.toHaveProperty('authorization');
    expect(JSON.parse(opa.calls[0]?.body ?? '')).toStrictEqual({
      input: {
        user: { id: 'ada', role: 'viewer', department: 'sales', roles: ['viewer'] },
        resource: { id: 'd1', owner_id: 'bob', department: 'hr', sensitivity: 'low' },
        action: 'read',
        environment: { hour: 10, ip: '192.0.2.1', user_agent: 'browser' },
      },
    });
  });

  it.each<[string, unknown]>([
    ['missing', {}],
    ['null', { owner_id: null, department: null, sensitivity: null }],
    ['empty', { owner_id: '', department: '', sensitivity: '' }],
    ['of another type', { owner_id: 1, department: ['hr'], sensitivity: true }],
    ['inherited', Object.create({ owner_id: 'ada', department: 'sales', sensitivity: 'high' })],
  ])('attributes that are %s are left out, so that they equal nothing', async (_, attributes) => {
    const opa = started(await fakeOpa(answerJson({ result: false })));
    const dirty = { ...request, resource: { type: 'document', attributes } } as AccessRequest;
    await clientOf(opa.url).decide({ ...dirty, environment: { time: 0, hour: Number.NaN } });
    expect(JSON.parse(opa.calls[0]?.body ?? '').input).toMatchObject({ resource: {}, environment: {} });
    expect(JSON.parse(opa.calls[0]?.body ?? '').input.resource).toStrictEqual({});
    expect(JSON.parse(opa.calls[0]?.body ?? '').input.environment).toStrictEqual({});
  });

  it.each(['a/b/../c', '"', '\u0000', 'x\r\nHost: evil', '😀', '%2e%2e%2f', '\ud800', 'x'.repeat(1_000_000)])(
    'PDP-06 a hostile id stays inside the JSON',
    async (hostile) => {
      const opa = started(await fakeOpa(answerJson({ result: true })));
      const asked = {
        ...request,
        action: hostile,
        resource: { type: 'document', id: hostile, attributes: { department: hostile } },
      };
      expect((await clientOf(opa.url).decide(asked)).allowed).toBe(true);
      expect(opa.calls[0]?.url).toBe('/v1/data/authz/allow');
      expect(JSON.parse(opa.calls[0]?.body ?? '').input).toMatchObject({
        resource: { id: hostile, department: hostile },
        action: hostile,
      });
    },
  );

  it('a token goes with every call, as a bearer token', async () => {
    const opa = started(await fakeOpa(answerJson({ result: true })));
    await clientOf(opa.url, { token: 'abc.def-1' }).decide(request);
    expect(opa.calls[0]?.headers.authorization).toBe('Bearer abc.def-1');
  });

  it('a path prefix and another rule are kept', async () => {
    const opa = started(await fakeOpa(answerJson({ result: true })));
    await clientOf(`${opa.url}/opa/v2/`, { path: 'my-app/authz/allow' }).decide(request);
    expect(opa.calls[0]?.url).toBe('/opa/v2/v1/data/my-app/authz/allow');
  });
});

describe('what an answer means', () => {
  it('PDP-02 true allows', async () => {
    expect(await decideAgainst(answerJson({ result: true, decision_id: 'abc' }))).toEqual({
      allowed: true,
      effect: 'allow',
      reason: 'rule',
      id: 'abc',
    });
  });

  it('PDP-03 false is a plain no', async () => {
    const decision = await decideAgainst(answerJson({ result: false, decision_id: 'abc' }));
    expect(decision).toEqual({ allowed: false, effect: 'deny', reason: 'no_rule', id: 'abc' });
    expect(denialOf(principal, decision)).toBe('forbidden');
  });

  it.each<[string, unknown]>([
    ['an empty object', {}],
    ['only a decision id', { decision_id: 'abc' }],
    ['a warning', { warning: { code: 'api_usage_warning', message: "'input' key missing from the request" } }],
  ])('PDP-04 no result (%s) is no answer', async (_, body) => {
    const decision = await decideAgainst(answerJson(body));
    expect(decision).toMatchObject({ allowed: false, reason: 'undefined_decision' });
    expect(denialOf(principal, decision)).toBe('unavailable');
  });

  it.each<[string, string, string | undefined]>([
    ['a text', '{"result":"true"}', 'application/json'],
    ['a number', '{"result":1}', 'application/json'],
    ['null', '{"result":null}', 'application/json'],
    ['an object', '{"result":{"allow":true}}', 'application/json'],
    ['a list', '{"result":[true]}', 'application/json'],
    ['a bare true', 'true', 'application/json'],
    ['a list around it', '[{"result":true}]', 'application/json'],
    ['null for everything', 'null', 'application/json'],
    ['nothing', '', 'application/json'],
    ['half of it', '{"result":true', 'application/json'],
    ['two of them', '{"result":true}{"result":true}', 'application/json'],
    ['a text type', '{"result":true}', 'text/plain'],
    ['HTML', '<html>{"result":true}</html>', 'text/html'],
    ['a type that only begins alike', '{"result":true}', 'application/jsonp'],
    ['no type', '{"result":true}', undefined],
  ])('%s is an invalid answer', async (_, body, type) => {
    const decision = await decideAgainst(answerText(body, type));
    expect(decision).toMatchObject({ allowed: false, reason: 'invalid_answer' });
    expect(denialOf(principal, decision)).toBe('unavailable');
  });

  it("a result that is inherited, and not the answer's own, is none", async () => {
    const decision = await decideAgainst(answerText('{"__proto__":{"result":true}}', 'application/json'));
    expect(decision).toMatchObject({ allowed: false, reason: 'undefined_decision' });
  });

  it.each([['application/json; charset=utf-8'], ['Application/JSON'], ['application/json ; charset=utf-8']])(
    'the type %s is JSON',
    async (type) => {
      expect((await decideAgainst(answerText('{"result":true}', type))).allowed).toBe(true);
    },
  );

  it.each([201, 202, 204, 206, 301, 400, 401, 403, 404, 405, 429, 500, 502, 503, 504])(
    'status %d never allows, whatever it carries',
    async (status) => {
      const decision = await decideAgainst(answerJson({ result: true }, status));
      expect(decision).toMatchObject({ allowed: false, reason: 'unavailable' });
      expect(isIndeterminate(decision)).toBe(true);
    },
  );

  it.each([301, 302, 303, 307, 308])('PDP-07 a redirect (%d) is not followed', async (status) => {
    const elsewhere = started(await fakeOpa(answerJson({ result: true })));
    const decision = await decideAgainst((response) =>
      response.writeHead(status, { location: `${elsewhere.url}/v1/data/authz/allow` }).end(),
    );
    expect(decision).toMatchObject({ allowed: false, reason: 'unavailable' });
    expect(elsewhere.calls).toEqual([]);
  });

  it('an answer of exactly the limit is read, one byte more is not', async () => {
    const body = (size: number): string => `{"result":true,"pad":"${'x'.repeat(size - 24)}"}`;
    const limited = { maxResponseBytes: 1_000 };
    expect((await decideAgainst(answerText(body(1_000), 'application/json'), limited)).allowed).toBe(true);
    expect(await decideAgainst(answerText(body(1_001), 'application/json'), limited)).toMatchObject({
      reason: 'invalid_answer',
    });
  });

  it('an endless answer is cut off at the limit', async () => {
    const carriers = new Set<Socket>();
    const opa = started(
      await rawOpa((socket) => {
        carriers.add(socket);
        socket.write('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n');
        const chunk = `4000\r\n${' '.repeat(0x4000)}\r\n`;
        const pour = (): void => {
          while (!socket.destroyed && socket.write(chunk));
        };
        socket.on('drain', pour);
        pour();
      }),
    );
    expect(await clientOf(opa.url).decide(request)).toMatchObject({ reason: 'invalid_answer' });
    await expectCutOff(carriers);
  });

  it('PDP-13 a compressed answer is never unpacked', async () => {
    const bomb = gzipSync(Buffer.alloc(20_000_000, ' '));
    const packed = gzipSync('{"result":true}');
    for (const body of [bomb, packed, Buffer.from('\x78\x9cgarbage', 'latin1')]) {
      const decision = await decideAgainst((response) =>
        response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end(body),
      );
      expect(decision).toMatchObject({ allowed: false, reason: 'invalid_answer' });
    }
  });
});

describe('no answer at all', () => {
  it('PDP-08 a refused connection', async () => {
    const opa = await fakeOpa(answerJson({ result: true }));
    await opa.close();
    expect(await clientOf(opa.url).decide(request)).toMatchObject({ allowed: false, reason: 'unavailable' });
  });

  it('PDP-08 a name that does not exist', async () => {
    expect(isIndeterminate(await clientOf('http://policy.invalid').decide(request))).toBe(true);
  });

  it('PDP-08 a certificate that nobody vouches for, and one for another name', async () => {
    const { key, cert } = selfSigned('policy.example');
    const server = createTlsServer({ key, cert }, (_, response) => answerJson({ result: true })(response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    started({ close: () => new Promise<void>((resolve) => server.close(() => resolve())) });

    const unknown = clientOf(`https://127.0.0.1:${port}`);
    expect(await unknown.decide(request)).toMatchObject({ allowed: false, reason: 'unavailable' });

    const trusting = (servername: string) => started(new Agent({ connect: { ca: cert, servername } }));
    const asking = (servername: string) =>
      clientOf(`https://127.0.0.1:${port}`, { dispatcher: trusting(servername) }).decide(request);
    expect(await asking('other.example')).toMatchObject({ allowed: false, reason: 'unavailable' });
    expect(await asking('policy.example')).toMatchObject({ allowed: true });
  });

  it.each<[string, (fake: { write(text: string): void; end(): void; destroy(): void }) => void]>([
    ['closes the socket', (socket) => socket.end()],
    ['resets the socket', (socket) => socket.destroy()],
    ['speaks something else', (socket) => socket.write('SSH-2.0-OpenSSH\r\n')],
    [
      'stops in the headers',
      (socket) => {
        socket.write('HTTP/1.1 200 OK\r\ncontent-type: applic');
        socket.end();
      },
    ],
    [
      'stops before the promised length',
      (socket) => {
        socket.write('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{"result":true}');
        socket.end();
      },
    ],
    [
      'stops inside a chunk',
      (socket) => {
        socket.write(
          'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\nf\r\n{"result":true}\r\n',
        );
        socket.end();
      },
    ],
    [
      'answers two lengths',
      (socket) =>
        socket.write(
          'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 15\r\ncontent-length: 2\r\n\r\n{"result":true}',
        ),
    ],
    [
      'switches protocols',
      (socket) => {
        socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n{"result":true}');
        socket.end();
      },
    ],
  ])('a server that %s', async (_, act) => {
    const opa = started(await rawOpa((socket) => act(socket)));
    expect(await clientOf(opa.url).decide(request)).toMatchObject({ allowed: false, reason: 'unavailable' });
  });

  it('PDP-11 a kept-alive socket that closes as the next call is sent is never answered by another call', async () => {
    let served = 0;
    const opa = started(
      await rawOpa((socket, data) => {
        served++;
        const result = data.includes('"id":"ada"');
        socket.write(
          `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${result ? 15 : 16}\r\n\r\n{"result":${result}}`,
        );
        if (served % 2 === 0) setImmediate(() => socket.destroy());
      }),
    );
    const client = clientOf(opa.url, { connections: 1 });
    for (let index = 0; index < 500; index++) {
      const id = index % 3 === 0 ? 'ada' : 'eve';
      const decision = await client.decide({ ...request, subject: { ...request.subject, id } });
      expect(decision.allowed ? 'ada' : id).toBe(id);
      expect(decision.allowed || decision.reason === 'unavailable' || id === 'eve').toBe(true);
    }
    expect(served).toBeLessThanOrEqual(500);
  });

  it('PDP-12 an answer nobody asked for, left on an idle socket, answers nothing', async () => {
    let calls = 0;
    const opa = started(
      await rawOpa((socket) => {
        calls++;
        const no = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 16\r\n\r\n{"result":false}';
        const yes = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 15\r\n\r\n{"result":true}';
        socket.write(calls % 2 === 1 ? no + yes : no);
      }),
    );
    const client = clientOf(opa.url, { connections: 1 });
    for (let index = 0; index < 50; index++) expect((await client.decide(request)).allowed).toBe(false);
  });

  it('whatever is asked after close is denied, and closing twice is harmless', async () => {
    const opa = started(await fakeOpa(answerJson({ result: true })));
    const client = createOpaClient({ url: opa.url });
    expect((await client.decide(request)).allowed).toBe(true);
    await Promise.all([client.close(), client.close()]);
    expect(await client.decide(request)).toMatchObject({ allowed: false, reason: 'unavailable' });
    expect(opa.calls).toHaveLength(1);
    await expect.poll(() => opa.sockets.size).toBe(0);
  });
});

describe('the deadline', () => {
  const soon = { timeoutMs: 60 };

  it('a server that never answers', async () => {
    const carriers = new Set<Socket>();
    const opa = started(await rawOpa((socket) => carriers.add(socket)));
    const time = heldTime();
    const asked = clientOf(opa.url, soon).decide(request);
    await expect.poll(() => carriers.size).toBe(1);
    time.pass(60);
    const decision = await asked;
    expect(decision).toMatchObject({ allowed: false, reason: 'timeout' });
    expect(denialOf(principal, decision)).toBe('unavailable');
    await expectCutOff(carriers);
  });

  it('PDP-09 an answer that drips: each byte in time, the whole too late', async () => {
    const timers: NodeJS.Timeout[] = [];
    const carriers = new Set<Socket>();
    const opa = started(
      await rawOpa((socket) => {
        carriers.add(socket);
        const answer = [
          ...'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 15\r\n\r\n{"result":true}',
        ];
        timers.push(setInterval(() => socket.write(answer.shift() ?? ' '), 10));
      }),
    );
    const time = heldTime();
    const asked = clientOf(opa.url, soon).decide(request);
    await expect.poll(() => [...carriers].some((socket) => socket.bytesWritten > 5)).toBe(true);
    time.pass(60);
    expect(await asked).toMatchObject({ allowed: false, reason: 'timeout' });
    timers.forEach(clearInterval);
    await expectCutOff(carriers);
  });

  it('PDP-09 a body that drips after the headers', async () => {
    const dripped: boolean[] = [];
    const timers: NodeJS.Timeout[] = [];
    const carriers = new Set<Socket>();
    const opa = started(
      await fakeOpa((response) => {
        if (response.socket !== null) carriers.add(response.socket);
        response.writeHead(200, { 'content-type': 'application/json' });
        timers.push(setInterval(() => void dripped.push(response.write(' ')), 10));
      }),
    );
    const time = heldTime();
    const asked = clientOf(opa.url, soon).decide(request);
    await expect.poll(() => dripped.length).toBeGreaterThan(3);
    time.pass(60);
    expect(await asked).toMatchObject({ allowed: false, reason: 'timeout' });
    timers.forEach(clearInterval);
    await expectCutOff(carriers);
  });

  it('PDP-10 counts the wait for a connection: fifty decisions over two connections end together', async () => {
    let arrived = 0;
    const opa: Fake = started(await rawOpa(() => void arrived++));
    const client = clientOf(opa.url, { timeoutMs: 100, connections: 2 });
    const asked = Array.from({ length: 50 }, (_, index) => ({ ...request, action: `read-${index}` }));
    // All ask at one instant: whoever asked a moment later would have a moment left to be sent in.
    const time = heldTime();
    const answers = asked.map((each) => client.decide(each));
    await expect.poll(() => arrived).toBe(2);
    time.pass(100);
    const decisions = await Promise.all(answers);
    expect(decisions.map(({ allowed, reason }) => `${allowed} ${reason}`)).toEqual(Array(50).fill('false timeout'));
    expect(arrived).toBe(2);
  });

  it('covers all the calls of one decision', async () => {
    const held: ServerResponse[] = [];
    const opa = started(await fakeOpa((response) => void held.push(response)));
    const many = { ...request, subject: { ...request.subject, roles: Array.from({ length: 50 }, (_, i) => `r${i}`) } };
    const time = heldTime();
    const decision = clientOf(opa.url, { timeoutMs: 100 }).decide(many);
    for (const count of [1, 2]) {
      await expect.poll(() => held.length).toBe(count);
      time.pass(40);
      answerJson({ result: false })(held[count - 1] as ServerResponse);
    }
    await expect.poll(() => held.length).toBe(3);
    time.pass(20);
    expect(await decision).toMatchObject({ allowed: false, reason: 'timeout' });
    await sleep(100);
    expect(opa.calls.length).toBe(3);
  });
});

describe('a subject with several roles', () => {
  const withRoles = (roles: unknown): AccessRequest =>
    ({ ...request, subject: { ...request.subject, roles } }) as AccessRequest;
  const roleOf = (body: string): string => JSON.parse(body).input.user.role;
  async function ask(roles: unknown, answers: Record<string, unknown>, options?: Partial<OpaClientOptions>) {
    const opa = started(
      await fakeOpa((response, call) => {
        const answer = answers[roleOf(call.body)];
        if (answer === 'broken') response.writeHead(500).end();
        else answerJson(answer === undefined ? { result: false } : answer)(response);
      }),
    );
    const decision = await clientOf(opa.url, options).decide(withRoles(roles));
    return { decision, asked: opa.calls.map((call) => roleOf(call.body)), calls: opa.calls };
  }
  const roleOrder = ['admin', 'moderator', 'editor', 'viewer'];

  it('is asked for role by role, the most privileged first, until one is allowed', async () => {
    const { decision, asked, calls } = await ask(
      ['guest', 'viewer', 'editor', 'admin'],
      { editor: { result: true } },
      { roleOrder },
    );
    expect(decision).toMatchObject({ allowed: true, reason: 'rule' });
    expect(asked).toEqual(['admin', 'editor']);
    expect(JSON.parse(calls[0]?.body ?? '').input.user.roles).toEqual(['guest', 'viewer', 'editor', 'admin']);
  });

  it('is denied when all are denied, each asked for once', async () => {
    const { decision, asked } = await ask(
      ['guest', 'viewer', 'guest', 'viewer', 'auditor', 'editor'],
      {},
      { roleOrder: [...roleOrder, 'editor'] },
    );
    expect(decision).toMatchObject({ allowed: false, reason: 'no_rule' });
    expect(asked).toEqual(['editor', 'viewer', 'guest', 'auditor']);
  });

  it.each([
    ['broken', 'unavailable'],
    [{}, 'undefined_decision'],
    [{ result: 'true' }, 'invalid_answer'],
  ])('one answer that is none (%j) outweighs a plain no, and no allow', async (answer, reason) => {
    const denied = await ask(['admin', 'editor', 'viewer'], { editor: answer }, { roleOrder });
    expect(denied.decision).toMatchObject({ allowed: false, reason });
    expect(denied.asked).toEqual(['admin', 'editor', 'viewer']);
    const allowed = await ask(
      ['admin', 'editor', 'viewer'],
      { editor: answer, viewer: { result: true } },
      { roleOrder },
    );
    expect(allowed.decision.allowed).toBe(true);
  });

  it.each<[unknown]>([[[]], ['admin'], [null], [undefined], [{ 0: 'admin' }], [[1, null, ['admin']]]])(
    'the roles %j are asked for as the empty role',
    async (roles) => {
      const { asked, calls } = await ask(roles, {});
      expect(asked).toEqual(['']);
      expect(JSON.parse(calls[0]?.body ?? '').input.user.roles).toEqual([]);
    },
  );
});

describe('options', () => {
  it.each([
    'policy:8181',
    'ftp://policy',
    'file:///etc/passwd',
    'unix:/var/run/opa.sock',
    'http://',
    'http://user@policy',
    'http://user:secret@policy',
    'http://policy?x=1',
    'http://policy/?',
    'http://policy#x',
    'http://policy//',
    'http://policy//opa',
    'http://policy/v1/../admin',
    'http://policy/v1/%2e%2e/admin',
    'http://policy/./opa',
    'http://policy/..',
    'http://policy\\opa',
    'http:/policy',
    'http:policy',
    'http://policy:99999',
    'http://policy:',
    ' http://policy',
    'http://policy\n',
    'http://pol icy',
    '',
  ])('PDP-07 the url %j is refused', (url) => {
    expect(() => createOpaClient({ url })).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID', field: 'url' }));
  });

  it.each([
    'http://policy',
    'https://policy.example/',
    'http://127.0.0.1:8181',
    'http://[::1]:8181/opa/',
    'HTTP://Policy/a.b~c-d',
  ])('the url %s is taken', async (url) => {
    await createOpaClient({ url }).close();
  });

  it.each([
    '',
    '/authz/allow',
    'authz/allow/',
    'authz//allow',
    'authz/../allow',
    '..',
    'authz/al"low',
    'authz/%61llow',
    'authz/allow?pretty',
    'authz\\allow',
    'authz/allow\n',
  ])('PDP-07 the path %j is refused', (path) => {
    expect(() => createOpaClient({ url: 'http://policy', path })).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', field: 'path' }),
    );
  });

  it.each([
    ['timeoutMs', 0],
    ['timeoutMs', -1],
    ['timeoutMs', 1.5],
    ['timeoutMs', Infinity],
    ['timeoutMs', Number.NaN],
    ['timeoutMs', 2 ** 31],
    ['maxResponseBytes', 0],
    ['maxResponseBytes', Infinity],
    ['connections', 0],
    ['connections', 0.5],
  ])('%s of %d is refused', (field, value) => {
    expect(() => createOpaClient({ url: 'http://policy', [field]: value })).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', field }),
    );
  });

  it.each(['', ' ', 'two words', 'line\r\nx: y', 'é', '='])(
    'the token %j is refused, and not repeated in the error',
    (token) => {
      expect(() => createOpaClient({ url: 'http://policy', token })).toThrow(
        expect.objectContaining({ code: 'CONFIG_INVALID', message: 'token must be a bearer token (RFC 6750)' }),
      );
    },
  );

  it('a dispatcher of the caller is used, and left open', async () => {
    const opa = started(await fakeOpa(answerJson({ result: true })));
    const dispatcher = started(new Agent());
    const client = createOpaClient({ url: opa.url, dispatcher });
    expect((await client.decide(request)).allowed).toBe(true);
    await client.close();
    expect(dispatcher.closed).toBe(false);
  });
});
