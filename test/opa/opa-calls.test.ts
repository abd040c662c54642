import { createServer, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { gunzipSync } from 'node:zlib';
import type { AccessRequest, Decision } from 'doorward';
import { accessRequestInput, createOpaClient, type OpaClientOptions } from 'doorward/opa';
import { MockAgent } from 'undici';
import { describe, expect, it } from 'vitest';
import { runningTime } from '../running-time.ts';
import { answerJson, fakeOpa, rawOpa } from './fake-opa.ts';
import { selfSigned } from './self-signed.ts';
import { asking, closing, heldTime, request, sleep } from './support.ts';

const { started, clientOf } = closing();
const configInvalid = (field: string) => expect.objectContaining({ code: 'CONFIG_INVALID', field });

describe('a token from a function', () => {
  it('goes with every call, and is got anew for the next', async () => {
    const opa = started(await fakeOpa(answerJson({ result: true })));
    let count = 0;
    const client = clientOf(opa.url, { token: async () => `t${++count}` });
    await client.decide(asking('a'));
    await client.decide(asking('b'));
    expect(opa.calls.map(({ headers }) => headers.authorization)).toEqual(['Bearer t1', 'Bearer t2']);
  });

  it('is got once for calls that are made while it is got', async () => {
    const opa = started(await fakeOpa(answerJson({ result: true })));
    let count = 0;
    const client = clientOf(opa.url, { token: () => sleep(20).then(() => `t${++count}`) });
    await Promise.all(['a', 'b', 'c'].map((action) => client.decide(asking(action))));
    expect(opa.calls.map(({ headers }) => headers.authorization)).toEqual(Array(3).fill('Bearer t1'));
  });

  it.each<[string, () => string | Promise<string>]>([
    [
      'throws',
      () => {
        throw new Error('secret');
      },
    ],
    ['rejects', () => Promise.reject(new Error('secret'))],
    ['is no bearer token', () => 'x\r\nx-evil: 1'],
    ['is no text', async () => undefined as never],
    ['is empty', () => ''],
  ])('that %s: nothing is sent', async (_, token) => {
    const opa = started(await fakeOpa(answerJson({ result: true })));
    const client = clientOf(opa.url, { token });
    for (let index = 0; index < 6; index++)
      expect(await client.decide(request)).toEqual({ allowed: false, effect: 'deny', reason: 'unavailable' });
    expect(opa.calls).toEqual([]);
    expect(client.state()).toBe('closed');
  });

  it('that never comes: the deadline counts, nothing is sent later, and the next call asks for it again', async () => {
    const opa = started(await fakeOpa(answerJson({ result: true })));
    let late = (_: string): void => undefined;
    let calls = 0;
    const hanging = new Promise<string>((resolve) => {
      late = resolve;
    });
    const token = () => (++calls === 1 ? hanging : 'two');
    const time = heldTime();
    const client = clientOf(opa.url, { token, timeoutMs: 50 });
    const asked = client.decide(request);
    time.pass(50);
    expect(await asked).toMatchObject({ reason: 'timeout' });
    late('one');
    await sleep(20);
    expect(opa.calls).toEqual([]);
    expect((await client.decide(request)).allowed).toBe(true);
  });
});

describe('compressed questions', () => {
  it('are those above the size only', async () => {
    const seen: [string | undefined, string][] = [];
    const server = createServer((call, response) => {
      const chunks: Buffer[] = [];
      call.on('data', (chunk: Buffer) => chunks.push(chunk));
      call.on('end', () => {
        const body = Buffer.concat(chunks);
        const encoding = call.headers['content-encoding'];
        seen.push([encoding, (encoding === 'gzip' ? gunzipSync(body) : body).toString()]);
        answerJson({ result: true })(response);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    started({ close: () => new Promise<void>((resolve) => server.close(() => resolve())) });
    const client = clientOf(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, {
      gzipAboveBytes: 1_000,
      input: (asked) => asked.action,
    });
    const of = (bytes: number) => 'é'.repeat((bytes - '{"input":""}'.length) / 2);
    for (const bytes of [100, 1_000, 1_002]) expect((await client.decide(asking(of(bytes)))).allowed).toBe(true);
    expect(seen).toEqual([
      [undefined, `{"input":"${of(100)}"}`],
      [undefined, `{"input":"${of(1_000)}"}`],
      ['gzip', `{"input":"${of(1_002)}"}`],
    ]);
  });
});

describe('a call is repeated', () => {
  /** Answers the first connections with an error of the given code, before anything is sent. */
  async function refusing(times: number, code: string, options: Partial<OpaClientOptions> = {}) {
    const opa = started(await fakeOpa(answerJson({ result: true })));
    const { Agent, buildConnector } = await import('undici');
    const connect = buildConnector({});
    let tries = 0;
    const dispatcher = started(
      new Agent({
        connect: (to, done) => {
          tries++;
          if (tries > times) return connect(to, done);
          done(Object.assign(new Error(code), { code }), null);
        },
      }),
    );
    return { opa, client: clientOf(opa.url, { dispatcher, ...options }), tries: () => tries };
  }

  it('once, when the connection was refused', async () => {
    const { opa, client } = await refusing(1, 'ECONNREFUSED');
    expect((await client.decide(request)).allowed).toBe(true);
    expect(opa.calls).toHaveLength(1);
  });

  it('not twice', async () => {
    const { opa, client } = await refusing(2, 'ECONNREFUSED');
    expect(await client.decide(request)).toMatchObject({ reason: 'unavailable' });
    expect(opa.calls).toHaveLength(0);
  });

  it.each(['ERR_TLS_CERT_ALTNAME_INVALID', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'ENOTFOUND'])(
    'not after %s, which the next moment does not change',
    async (code) => {
      const { client, tries } = await refusing(1, code);
      expect(await client.decide(request)).toMatchObject({ reason: 'unavailable' });
      expect(tries()).toBe(1);
    },
  );

  it('for a tenth of all calls at most', async () => {
    const { client, tries } = await refusing(1_000, 'ECONNREFUSED', { circuitBreaker: false });
    for (let index = 0; index < 100; index++) await client.decide(request);
    expect(tries()).toBeGreaterThan(100);
    expect(tries()).toBeLessThanOrEqual(121);
  });

  it.each<[string, (socket: Socket) => void]>([
    ['reset', (socket) => socket.resetAndDestroy()],
    ['closed', (socket) => socket.end()],
    ['told that something failed', (socket) => socket.end('HTTP/1.1 500 x\r\ncontent-length: 0\r\n\r\n')],
    ['told that it was wrong', (socket) => socket.end('HTTP/1.1 400 x\r\ncontent-length: 0\r\n\r\n')],
  ])('never once it was sent and %s', async (_, act) => {
    let sent = 0;
    const opa = started(
      await rawOpa((socket) => {
        sent++;
        act(socket);
      }),
    );
    expect((await clientOf(opa.url).decide(request)).allowed).toBe(false);
    await sleep(20);
    expect(sent).toBe(1);
  });
});

describe('TLS', () => {
  const authority = selfSigned('policy.example');
  const me = selfSigned('pep.example');

  async function tlsOpa(answer: (response: ServerResponse, socket: TLSSocket) => void) {
    const server = createTlsServer(
      { ...authority, ca: me.cert, requestCert: true, rejectUnauthorized: true },
      (call, response) => answer(response, call.socket as TLSSocket),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    started({
      close: () => {
        server.closeAllConnections();
        return new Promise<void>((resolve) => server.close(() => resolve()));
      },
    });
    return `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }
  const tls = { ca: authority.cert, servername: 'policy.example' };

  it('a server that asks for a certificate gets it, and answers nobody else', async () => {
    const names: unknown[] = [];
    const url = await tlsOpa((response, socket) => {
      names.push(socket.getPeerCertificate().subject.CN);
      answerJson({ result: true })(response);
    });
    expect((await clientOf(url, { tls: { ...tls, cert: me.cert, key: me.key } }).decide(request)).allowed).toBe(true);
    expect(await clientOf(url, { tls }).decide(request)).toMatchObject({ allowed: false, reason: 'unavailable' });
    const other = selfSigned('pep.example');
    expect((await clientOf(url, { tls: { ...tls, cert: other.cert, key: other.key } }).decide(request)).allowed).toBe(
      false,
    );
    expect(names).toEqual(['pep.example']);
  });

  it('PDP-08 is verified, whatever the environment says', async () => {
    const url = await tlsOpa(answerJson({ result: true }));
    const own = { cert: me.cert, key: me.key };
    const before = process.env.NODE_TLS_REJECT_UNAUTHORIZED;
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
    try {
      expect((await clientOf(url, { tls: own }).decide(request)).allowed).toBe(false);
      expect((await clientOf(url, { tls: { ...own, ca: authority.cert } }).decide(request)).allowed).toBe(false);
      expect((await clientOf(url, { tls: { ...own, ...tls, servername: 'x.example' } }).decide(request)).allowed).toBe(
        false,
      );
    } finally {
      if (before === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
      else process.env.NODE_TLS_REJECT_UNAUTHORIZED = before;
    }
  });

  it.each<[string, Partial<OpaClientOptions>, string]>([
    ['tls', { tls: { cert: me.cert } }, 'https://policy'],
    ['tls', { tls: { cert: me.cert, key: authority.key } }, 'https://policy'],
    ['tls', { tls: { cert: 'x', key: 'y' } }, 'https://policy'],
    ['tls', { tls }, 'http://policy'],
    ['tls', { tls, dispatcher: new MockAgent() }, 'https://policy'],
    ['tls', { tls: { servername: '' } }, 'https://policy'],
    ['rejectUnauthorized', { tls: { rejectUnauthorized: false } as never }, 'https://policy'],
  ])('%s that cannot be meant is refused, and no key is in the error', (field, options, url) => {
    const refused = (): unknown => {
      try {
        return clientOf(url, options);
      } catch (error) {
        return error;
      }
    };
    expect(refused()).toEqual(configInvalid(field));
    expect(String(refused())).not.toContain('PRIVATE');
  });
});

describe('a policy with an input and a result of its own', () => {
  it('is asked once with its input, whatever the roles', async () => {
    const opa = started(await fakeOpa(answerJson({ result: false })));
    const client = clientOf(opa.url, { input: ({ subject }) => ({ who: subject.id, roles: subject.roles }) });
    await client.decide({ ...request, subject: { ...request.subject, roles: ['a', 'b'] } });
    expect(opa.calls.map(({ body }) => body)).toEqual(['{"input":{"who":"ada","roles":["a","b"]}}']);
  });

  it.each<[string, () => unknown]>([
    ['undefined', () => undefined],
    ['null', () => null],
    ['a number that is none', () => Number.NaN],
    ['a function', () => () => true],
    ['what cannot be written', () => 1n],
    [
      'an error',
      () => {
        throw new Error('x');
      },
    ],
  ])('an input of %s is an error, and asks nothing', async (_, input) => {
    const opa = started(await fakeOpa(answerJson({ result: true })));
    expect(await clientOf(opa.url, { input }).decide(request)).toMatchObject({ allowed: false, reason: 'error' });
    expect(opa.calls).toEqual([]);
  });

  it('roleOrder has no effect beside an input, and is refused', () => {
    expect(() => clientOf('http://policy', { input: () => 1, roleOrder: ['a'] })).toThrow(configInvalid('roleOrder'));
  });

  async function mapped(result: string, decision: OpaClientOptions['decision']) {
    const opa = started(
      await fakeOpa((response) =>
        response.writeHead(200, { 'content-type': 'application/json' }).end(`{"result":${result},"decision_id":"i"}`),
      ),
    );
    return clientOf(opa.url, decision === undefined ? {} : { decision }).decide(request);
  }
  const itself = (result: unknown) => result as never;

  it('a mapper reads the rule and the end of a decision', async () => {
    expect(await mapped('{"allowed":true,"ruleId":"owner","validUntil":5}', itself)).toEqual({
      allowed: true,
      effect: 'allow',
      reason: 'rule',
      id: 'i',
      ruleId: 'owner',
      validUntil: 5,
    });
    expect(await mapped('{"allowed":false,"ruleId":"locked"}', itself)).toEqual({
      allowed: false,
      effect: 'deny',
      reason: 'rule',
      id: 'i',
      ruleId: 'locked',
    });
    expect(await mapped('{"allowed":false,"ruleId":7}', itself)).toEqual({
      allowed: false,
      effect: 'deny',
      reason: 'no_rule',
      id: 'i',
    });
  });

  it.each<[string, string, OpaClientOptions['decision']]>([
    ['a text', '{"allowed":"true"}', itself],
    ['another name', '{"allow":true}', itself],
    ['a list', '[true]', itself],
    ['a bare true', 'true', itself],
    ['an inherited member', '1', () => Object.create({ allowed: true })],
    ['a member of __proto__', '{"__proto__":{"allowed":true}}', itself],
    ['a promise', 'true', (async () => ({ allowed: true })) as never],
    [
      'an error',
      'true',
      () => {
        throw new Error('x');
      },
    ],
    ['nothing', 'true', () => undefined as never],
    ['a name that stands twice', '{"allowed":false,"allowed":true}', itself],
    ['a name that stands twice further in', '{"x":[{"a":{"b":":"},"a":1}],"allowed":true}', itself],
  ])('a mapper cannot allow by %s', async (_, result, decision) => {
    expect(await mapped(result, decision)).toMatchObject({ allowed: false, reason: 'invalid_answer' });
  });

  it('a mapper is not asked about a result that is not there', async () => {
    const opa = started(await fakeOpa(answerJson({})));
    const client = clientOf(opa.url, { decision: () => ({ allowed: true }) });
    expect(await client.decide(request)).toMatchObject({ allowed: false, reason: 'undefined_decision' });
  });

  it('the revisions of the bundles become the revision of the decision', async () => {
    const opa = started(
      await fakeOpa(
        answerJson({
          result: true,
          provenance: {
            version: '1',
            bundles: { users: { revision: '4' }, authz: { revision: 'x' }, odd: { revision: 5 } },
          },
        }),
      ),
    );
    expect(await clientOf(opa.url, { provenance: true }).decide(request)).toMatchObject({
      revision: 'authz@x,users@4',
    });
    expect(opa.calls[0]?.url).toBe('/v1/data/authz/allow?provenance');
  });
});

describe('accessRequestInput', () => {
  it('is the request as JSON: nothing that JSON would make into something else', () => {
    const dirty = {
      subject: {
        id: 'ada',
        roles: ['a', 1, undefined],
        attributes: JSON.parse('{"__proto__":{"x":1},"n":1,"t":"x","none":null}'),
        session: { id: 's' },
        password: 'secret',
      },
      action: 'read',
      resource: {
        type: 'd',
        attributes: {
          date: new Date(0),
          boxed: new String('x'),
          nan: Number.NaN,
          no: undefined,
          call: () => 'x',
          big: 1n,
          list: [1, Number.NaN, () => 1, null],
          tricky: { toJSON: () => 'x', y: 1 },
          inherited: Object.create({ x: 1 }),
        },
      },
      environment: { time: 5, hour: Number.POSITIVE_INFINITY, attributes: { tenant: 't' } },
    } as unknown as AccessRequest;
    expect(JSON.parse(JSON.stringify(accessRequestInput(dirty)))).toEqual({
      subject: {
        id: 'ada',
        roles: ['a', 1, null],
        attributes: JSON.parse('{"__proto__":{"x":1},"n":1,"t":"x","none":null}'),
      },
      action: 'read',
      resource: {
        type: 'd',
        attributes: { date: {}, boxed: { 0: 'x' }, list: [1, null, null, null], tricky: { y: 1 }, inherited: {} },
      },
      environment: { time: 5, attributes: { tenant: 't' } },
    });
  });

  it('what goes round in circles is an error', async () => {
    const circle: Record<string, unknown> = {};
    circle.self = circle;
    const opa = started(await fakeOpa(answerJson({ result: true })));
    const client = clientOf(opa.url, { input: accessRequestInput });
    expect(await client.decide({ ...request, resource: { type: 'd', attributes: circle } })).toMatchObject({
      reason: 'error',
    });
  });
});

describe('decideAll', () => {
  it('answers each in its place, as many at a time as there are connections', async () => {
    let now = 0;
    let most = 0;
    const opa = started(
      await fakeOpa((response, { body }) => {
        most = Math.max(most, ++now);
        setTimeout(() => {
          now--;
          answerJson({ result: JSON.parse(body).input.action.endsWith('1') })(response);
        }, 5);
      }),
    );
    const actions = Array.from({ length: 40 }, (_, index) => `a${index}`);
    const decisions = await clientOf(opa.url, { connections: 4 }).decideAll(actions.map(asking));
    expect(decisions.map(({ allowed }) => allowed)).toEqual(actions.map((action) => action.endsWith('1')));
    expect(most).toBe(4);
    expect(await clientOf(opa.url).decideAll([])).toEqual([]);
  });

  it('has one deadline for all', async () => {
    const opa = started(await fakeOpa(() => undefined));
    const client = clientOf(opa.url, { connections: 2, timeoutMs: 60 });
    let decisions: readonly Decision[] = [];
    const spent = await runningTime(async () => {
      decisions = await client.decideAll(Array.from({ length: 50 }, (_, index) => asking(`a${index}`)));
    });
    expect(spent).toBeLessThan(60 + 500);
    expect(decisions).toHaveLength(50);
    expect(new Set(decisions.map(({ allowed, reason }) => `${allowed} ${reason}`))).toEqual(new Set(['false timeout']));
  });

  it('ends when its caller goes away, and one bad request denies itself only', async () => {
    const opa = started(await fakeOpa(answerJson({ result: true })));
    const client = clientOf(opa.url);
    const decisions = await client.decideAll([request, undefined as never, asking('b')]);
    expect(decisions.map(({ allowed, reason }) => [allowed, reason])).toEqual([
      [true, 'rule'],
      [false, 'error'],
      [true, 'rule'],
    ]);
    const gone = await client.decideAll([request, request], { signal: AbortSignal.abort() });
    expect(gone.map(({ reason }) => reason)).toEqual(['unavailable', 'unavailable']);
  });
});

describe('health', () => {
  it.each<[number, unknown]>([
    [200, { healthy: true }],
    [500, { healthy: false, reason: 'unhealthy' }],
    [302, { healthy: false, reason: 'unhealthy' }],
  ])('of a server that says %d', async (status, health) => {
    const opa = started(await fakeOpa(answerJson({}, status)));
    expect(await clientOf(`${opa.url}/opa`, { token: 't' }).health()).toEqual(health);
    expect(opa.calls).toEqual([expect.objectContaining({ method: 'GET', url: '/opa/health?bundles&plugins' })]);
    expect(opa.calls[0]?.headers.authorization).toBe('Bearer t');
  });

  it('of a server that is not there, or says nothing', async () => {
    const gone = await fakeOpa(() => undefined);
    await gone.close();
    expect(await clientOf(gone.url).health()).toEqual({ healthy: false, reason: 'unavailable' });
    const silent = started(await fakeOpa(() => undefined));
    expect(await clientOf(silent.url, { timeoutMs: 50 }).health()).toEqual({ healthy: false, reason: 'timeout' });
  });
});

it.each<[string, unknown]>([
  ['timeout', { timeout: 5 }],
  ['singleFlight', { singleFlight: 'yes' }],
  ['provenance', { provenance: 1 }],
  ['input', { input: {} }],
  ['decision', { decision: 'allow' }],
  ['clock', { clock: 0 }],
  ['gzipAboveBytes', { gzipAboveBytes: -1 }],
])('the option %s is checked', (field, options) => {
  expect(() => createOpaClient({ url: 'http://policy', ...(options as object) })).toThrow(configInvalid(field));
});
