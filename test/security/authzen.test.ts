import { gzipSync } from 'node:zlib';
import { type AccessRequest, allow, type Decision, deny, environmentSource } from 'doorward';
import { attr, createPolicyEngine, eq, policy, rule } from 'doorward/abac';
import { type AuthzenClientOptions, createAuthzenClient, createAuthzenEndpoint } from 'doorward/authzen';
import { serve } from 'doorward/use/node';
import { afterEach, describe, expect, it } from 'vitest';
import { type FakePdp, json, startPdp } from '../authzen/hostile-pdp.ts';
import { eventually } from '../eventually.ts';
import { processorTime, runningTime } from '../running-time.ts';

const environment = environmentSource({ clock: () => Date.parse('2026-03-02T12:00:00Z') });
const request: AccessRequest = {
  subject: { id: 'ada', roles: ['viewer'], attributes: { department: 'sales' } },
  action: 'read',
  resource: { type: 'document', id: 'plan', attributes: {} },
  environment: { time: 0 },
};
const permit = { decide: () => allow('rule') };
const running: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const server of running.splice(0)) await server.close();
});

describe('an endpoint', () => {
  const wire = { subject: { type: 'user', id: 'ada' }, action: { name: 'read' }, resource: { type: 'd', id: '1' } };
  const send = async (body: BodyInit | null, init: RequestInit = {}, options = {}, path = '/access/v1/evaluation') => {
    const endpoint = createAuthzenEndpoint({ pdp: permit, environment, search: { actions: ['read'] }, ...options });
    const headers = { 'content-type': 'application/json', ...init.headers };
    const streamed = body instanceof ReadableStream ? { duplex: 'half' } : {};
    const method = init.method ?? 'POST';
    const response = await endpoint(
      new Request(`https://pdp.example${path}`, {
        ...streamed,
        method,
        headers,
        body: method === 'GET' ? null : body,
      } as RequestInit),
    );
    return { status: response.status, headers: response.headers, text: await response.text() };
  };

  it.each([
    ['no token', undefined],
    ['another token', 'Bearer wrong'],
    ['a longer one', 'Bearer right-and-more'],
    ['another scheme', 'Basic right'],
    ['two tokens', 'Bearer right right'],
  ])('does not answer a caller with %s', async (_, authorization) => {
    const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
    for (const path of ['/access/v1/evaluation', '/access/v1/evaluations', '/access/v1/search/action']) {
      const answer = await send(JSON.stringify(wire), { headers }, { token: 'right' }, path);
      expect(answer.status).toBe(401);
      expect(answer.headers.get('www-authenticate')).toBe('Bearer');
      expect(answer.text).not.toContain('right');
    }
    const trusted = await send(
      JSON.stringify(wire),
      { headers: { authorization: 'Bearer right' } },
      { token: 'right' },
    );
    expect(JSON.parse(trusted.text)).toStrictEqual({ decision: true });
  });

  it.each([
    '{"subject":{"type":"user","id":"ada","id":"root"},"action":{"name":"read"},"resource":{"type":"d","id":"1"}}',
    '{"subject":{"type":"user","id":"ada","properties":{"role":"a","r\\u006fle":"admin"}},"action":{"name":"read"},"resource":{"type":"d","id":"1"}}',
    '{"subject":{"type":"user","id":"ada"},"subject":{"type":"user","id":"root"},"action":{"name":"read"},"resource":{"type":"d","id":"1"}}',
    '{"subject":{"type":"user","id":"\\ud800"},"action":{"name":"read"},"resource":{"type":"d","id":"1"}}',
    '{"subject":{"type":"user","id":"ada"},"action":{"name":"read"},"resource":{"type":"d","id":"1"},"context":{"n":1e999}}',
    `{"subject":{"type":"user","id":"ada"},"action":{"name":"read"},"resource":{"type":"d","id":"1"},"context":${'{"a":'.repeat(40)}1${'}'.repeat(40)}}`,
    '\uFEFF{"subject":{"type":"user","id":"ada"},"action":{"name":"read"},"resource":{"type":"d","id":"1"}}',
  ])('refuses what two parsers could read in two ways: %s', async (body) => {
    expect((await send(body)).status).toBe(400);
  });

  it('refuses bytes that are no UTF-8, and encodings', async () => {
    const latin = Buffer.from(JSON.stringify(wire).replace('ada', '\xe4'), 'latin1');
    expect((await send(new Uint8Array(latin))).status).toBe(400);
    const zipped = new Uint8Array(gzipSync(JSON.stringify(wire)));
    expect((await send(zipped, { headers: { 'content-encoding': 'gzip' } })).status).toBe(400);
  });

  it('reads no more of a body than its limit, whatever its length is said to be', async () => {
    expect((await send('x'.repeat(300_000))).status).toBe(413);
    let sent = 0;
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += 65_536;
        controller.enqueue(new Uint8Array(65_536).fill(0x20));
      },
    });
    expect((await send(endless)).status).toBe(413);
    expect(sent).toBeLessThan(600_000);
  });

  it('takes linear time for a body of half-open strings', async () => {
    let status: number | undefined;
    const spent = await processorTime(async () => {
      status = (await send(`"${'\\"'.repeat(130_000)}`)).status;
    });
    expect(status).toBe(400);
    expect(spent).toBeLessThan(2_000);
  });

  it('allows no subject for what its prototype or another type holds', async () => {
    const isAdmin = createPolicyEngine(policy('p', [rule.allow('admin', eq(attr('subject.role'), 'admin'))]));
    for (const subject of [
      '{"type":"user","id":"ada","properties":{"__proto__":{"role":"admin"}}}',
      '{"type":"user","id":"ada","__proto__":{"properties":{"role":"admin"}}}',
      '{"type":"service","id":"ada","properties":{"role":"admin"}}',
      '{"type":"__proto__","id":"ada","properties":{"role":"admin"}}',
    ]) {
      const body = `{"subject":${subject},"action":{"name":"read"},"resource":{"type":"d","id":"1"}}`;
      expect((await send(body, {}, { pdp: isAdmin })).text).toBe('{"decision":false}');
    }
    const inherited =
      '{"__proto__":{"subject":{"type":"user","id":"ada"}},"action":{"name":"read"},"resource":{"type":"d","id":"1"}}';
    expect((await send(inherited)).status).toBe(400);
  });

  it('refuses roles that are no list of texts, since a rule may deny by a role', async () => {
    for (const roles of ['admin', ['admin', 1], { 0: 'admin' }, true]) {
      const answer = await send(JSON.stringify({ ...wire, subject: { ...wire.subject, properties: { roles } } }));
      expect([answer.status, answer.text]).toEqual([400, 'subject.properties.roles must be a list of strings']);
    }
  });

  it('does not believe the caller the time', async () => {
    const early = createPolicyEngine(policy('p', [rule.allow('early', eq(attr('environment.hour'), 3))]));
    const answer = await send(
      JSON.stringify({ ...wire, context: { time: '2026-03-02T03:00:00Z', hour: 3 } }),
      {},
      { pdp: early },
    );
    expect(answer.text).toBe('{"decision":false}');
  });

  it('repeats no value of a request that it refuses', async () => {
    const answer = await send(JSON.stringify({ ...wire, subject: { type: 'user', id: { password: 'hunter2' } } }));
    expect([answer.status, answer.text]).toEqual([400, 'subject.id must be a string']);
  });

  it('tells nobody why, nor what went wrong inside', async () => {
    expect((await send(JSON.stringify(wire))).text).toBe('{"decision":true}');
    const pdp = {
      decide: () => {
        throw new Error('postgres://root:hunter2@db');
      },
    };
    expect((await send(JSON.stringify(wire), {}, { pdp })).text).toBe('the decision point did not answer');
  });

  it('sends back no request id that is no plain text', async () => {
    const ids = ['x'.repeat(257), 'caf\xe9', 'a\tb'];
    for (const id of ids) {
      const answer = await send(JSON.stringify(wire), { headers: { 'x-request-id': id } });
      expect(answer.headers.has('x-request-id')).toBe(false);
    }
  });

  it('is not to be kept, nor taken for a page', async () => {
    for (const body of [JSON.stringify(wire), '{', '']) {
      const { headers } = await send(body);
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
    }
  });

  it.each(['GET', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'])('answers %s with 405', async (method) => {
    const answer = await send('{}', { method });
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST']);
  });

  it.each([
    '/',
    '/access/v1/evaluation/',
    '/ACCESS/v1/evaluation',
    '//access/v1/evaluation',
    '/access/v1/search/subject',
  ])('is not at %s', async (path) => expect((await send(JSON.stringify(wire), {}, {}, path)).status).toBe(404));

  it('tells no candidate that is not permitted, in a token either', async () => {
    const search = { actions: ['read', 'secret-action', 'write'] };
    const pdp = {
      decide: ({ action }: AccessRequest) => (action === 'secret-action' ? deny('no_rule') : allow('rule')),
    };
    const body = JSON.stringify({ ...wire, page: { limit: 1 } });
    const { text } = await send(body, {}, { search, pdp }, '/access/v1/search/action');
    const { page, results } = JSON.parse(text) as { page: { next_token: string }; results: unknown };
    expect(results).toEqual([{ name: 'read' }]);
    expect(Buffer.from(page.next_token, 'base64url').toString('latin1')).not.toContain('secret');
  });

  it('opens no token that was changed', async () => {
    const endpoint = createAuthzenEndpoint({ pdp: permit, environment, search: { actions: ['a', 'b', 'c'] } });
    const search = async (page: object) => {
      const response = await endpoint(
        new Request('https://pdp.example/access/v1/search/action', {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ ...wire, page }),
        }),
      );
      return { status: response.status, text: await response.text() };
    };
    const { page } = JSON.parse((await search({ limit: 1 })).text) as { page: { next_token: string } };
    expect((await search({ token: page.next_token })).status).toBe(200);
    const bytes = Buffer.from(page.next_token, 'base64url');
    for (let index = 0; index < bytes.length; index += 1) {
      const changed = Buffer.from(bytes);
      changed[index] = (changed[index] ?? 0) ^ 1;
      expect((await search({ token: changed.toString('base64url') })).status).toBe(400);
    }
    expect((await search({ token: page.next_token.slice(0, -4) })).status).toBe(400);
  });
});

async function clientOf(answer: Parameters<typeof startPdp>[0], options: Partial<AuthzenClientOptions> = {}) {
  const pdp = await startPdp(answer);
  const client = createAuthzenClient({ url: pdp.url, ...options });
  running.push(client, pdp);
  return { pdp, client };
}
const outcome = ({ allowed, reason }: Decision) => [allowed, reason];

describe('a client', () => {
  it('allows for a 200 with an own true only', async () => {
    const { client } = await clientOf(() => json({ decision: true, unknown: 1 }));
    expect(outcome(await client.decide(request))).toEqual([true, 'rule']);
  });

  it.each<[string, Parameters<typeof json>, string]>([
    ['false', [{ decision: false }], 'no_rule'],
    ['nothing', [{}], 'invalid_answer'],
    ['a text', [{ decision: 'true' }], 'invalid_answer'],
    ['a number', [{ decision: 1 }], 'invalid_answer'],
    ['an inherited true', ['{"__proto__":{"decision":true}}'], 'invalid_answer'],
    ['a decision given twice', ['{"decision":false,"decision":true}'], 'invalid_answer'],
    ['a list', [[{ decision: true }]], 'invalid_answer'],
    ['no JSON', ['decision: true'], 'invalid_answer'],
    ['an empty body', [''], 'invalid_answer'],
    ['another content type', [{ decision: true }, 200, { 'content-type': 'text/html' }], 'invalid_answer'],
    ['a context that is none', [{ decision: true, context: 'x' }], 'invalid_answer'],
    ['true with an error', [{ decision: true, context: { error: { status: 500 } } }], 'invalid_answer'],
    ['false with an error', [{ decision: false, context: { error: { status: 500 } } }], 'error'],
    ['obligations', [{ decision: true, context: { obligations: [{ id: 'mfa' }] } }], 'invalid_answer'],
    ['201', [{ decision: true }, 201], 'unavailable'],
    ['400', [{ decision: true }, 400], 'unavailable'],
    ['401', [{ decision: true }, 401], 'unavailable'],
    ['500', [{ decision: true }, 500], 'unavailable'],
    ['too much', [{ decision: true, filler: 'x'.repeat(5_000) }], 'invalid_answer'],
  ])('PDP-02 denies for %s', async (_, answer, reason) => {
    const { client } = await clientOf(() => json(...answer), { maxResponseBytes: 4_096 });
    expect(outcome(await client.decide(request))).toEqual([false, reason]);
  });

  it('does what a context asks for where it understands it', async () => {
    const answer = { decision: true, context: { obligations: [{ id: 'log' }] } };
    const { client } = await clientOf(() => json(answer), {
      understands: ({ obligations }) => Array.isArray(obligations),
    });
    expect(outcome(await client.decide(request))).toEqual([true, 'rule']);
    for (const understands of [
      () => 'yes' as unknown as boolean,
      () => {
        throw new Error('no');
      },
    ]) {
      const { client: careful } = await clientOf(() => json(answer), { understands });
      expect(outcome(await careful.decide(request))).toEqual([false, 'invalid_answer']);
    }
  });

  it.each([301, 302, 303, 307, 308])('PDP-07 follows no redirect (%i)', async (status) => {
    const { pdp: target } = await clientOf(() => json({ decision: true }));
    const { client } = await clientOf(() => json({}, status, { location: `${target.url}/access/v1/evaluation` }));
    expect(outcome(await client.decide(request))).toEqual([false, 'unavailable']);
    expect(target.requests).toHaveLength(0);
  });

  it.each([
    'http://pdp.example.com',
    'https://user@pdp.example.com',
    'https://pdp.example.com/',
    'https://pdp.example.com/a/../b',
    'https://pdp.example.com//a/',
    'https://pdp.example.com?x',
    'https://PDP.example.com',
    'ftp://pdp.example.com',
    '',
  ])('PDP-07 takes no address %j', (url) => {
    expect(() => createAuthzenClient({ url })).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', field: 'url' }),
    );
  });

  it('PDP-08 denies for a refused connection', async () => {
    const { pdp, client } = await clientOf(() => json({ decision: true }));
    running.splice(1);
    await pdp.close();
    expect(outcome(await client.decide(request))).toEqual([false, 'unavailable']);
    expect((await client.decideAll([request, request])).map(outcome)).toEqual([
      [false, 'unavailable'],
      [false, 'unavailable'],
    ]);
  });

  it.each<[string, Parameters<typeof startPdp>[0]]>([
    ['hangs', () => () => {}],
    [
      'drips',
      () => (_, response) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        const text = `${' '.repeat(1_000)}{"decision":true}`;
        let sent = 0;
        const timer = setInterval(() => response.write(text[sent++] ?? ' '), 20);
        response.once('close', () => clearInterval(timer));
      },
    ],
  ])('PDP-09 denies in time for a server that %s, and lets go of it', async (_, answer) => {
    const { pdp, client } = await clientOf(answer, { timeoutMs: 200 });
    let decisions: readonly Decision[] = [];
    const spent = await runningTime(async () => {
      const [one, several] = await Promise.all([client.decide(request), client.decideAll([request, request])]);
      decisions = [one, ...several];
    });
    expect(spent).toBeLessThan(700);
    expect(decisions.map(outcome)).toEqual(Array(3).fill([false, 'timeout']));
    await client.close();
    await eventually(async () => expect(await pdp.connections()).toBe(0));
  });

  it('PDP-10 counts the wait for a connection: fifty decisions over two connections end together', async () => {
    const { client } = await clientOf(() => () => {}, { timeoutMs: 200, connections: 2 });
    let decisions: readonly Decision[] = [];
    const spent = await runningTime(async () => {
      decisions = await Promise.all(Array.from({ length: 50 }, () => client.decide(request)));
    });
    expect(spent).toBeLessThan(700);
    expect(new Set(decisions.map(({ reason }) => reason))).toEqual(new Set(['timeout']));
  });

  it('denies after it was closed', async () => {
    const { client } = await clientOf(() => json({ decision: true }));
    await client.close();
    await client.close();
    expect(outcome(await client.decide(request))).toEqual([false, 'unavailable']);
  });

  it('PDP-13 never unpacks a compressed answer', async () => {
    const bomb = gzipSync(`{"decision":true,"x":"${'0'.repeat(50_000_000)}"}`);
    const { client } = await clientOf(() => (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end(bomb);
    });
    expect(outcome(await client.decide(request))).toEqual([false, 'invalid_answer']);
  });

  it.each<[string, unknown]>([
    ['one answer too few', { evaluations: [{ decision: true }] }],
    ['one answer too many', { evaluations: [{ decision: true }, { decision: true }, { decision: true }] }],
    ['a single answer', { decision: true }],
    ['no list', { evaluations: { 0: { decision: true }, 1: { decision: true }, length: 2 } }],
    ['nothing in the list', { evaluations: [null, 'true'] }],
  ])('allows none of a batch with %s', async (_, answer) => {
    const { client } = await clientOf(() => json(answer));
    const decisions = await client.decideAll([request, { ...request, action: 'delete' }]);
    expect(decisions.map(outcome)).toEqual([
      [false, 'invalid_answer'],
      [false, 'invalid_answer'],
    ]);
  });

  it('believes a batch item by item', async () => {
    const answer = {
      evaluations: [
        { decision: true },
        { decision: 'true' },
        { decision: true, context: { obligations: [] } },
        { decision: false },
      ],
    };
    const { client } = await clientOf(() => json(answer));
    const decisions = await client.decideAll(Array.from({ length: 4 }, () => request));
    expect(decisions.map(({ allowed }) => allowed)).toEqual([true, false, false, false]);
  });

  it('PDP-01 sends the token to nobody but its decision point, and only what can be said', async () => {
    const { pdp, client } = await clientOf(() => json({ decision: true }), { token: 'secret-token' });
    await client.decide({
      subject: {
        id: 'ada',
        roles: ['viewer'],
        attributes: {
          department: 'sales',
          born: new Date(0),
          score: Number.NaN,
          groups: ['a', new Date(0)],
          nested: { a: 1 },
          half: '\ud800',
        },
      },
      action: 'read',
      resource: { type: 'document', id: '../../"\u0000', attributes: {} },
      environment: { time: 1_000.7, hour: 12, attributes: { tenant: 't1', time: 'noon' } },
    });
    expect(pdp.requests[0]?.headers.authorization).toBe('Bearer secret-token');
    expect(pdp.requests[0]?.path).toBe('/access/v1/evaluation');
    expect(JSON.parse(pdp.requests[0]?.body ?? '')).toStrictEqual({
      subject: { type: 'user', id: 'ada', properties: { department: 'sales', groups: ['a', null], roles: ['viewer'] } },
      action: { name: 'read' },
      resource: { type: 'document', id: '../../"\u0000', properties: {} },
      context: { tenant: 't1', time: '1970-01-01T00:00:01.000Z', hour: 12 },
    });
  });

  it('sends of the attributes only those that it may', async () => {
    const { pdp, client } = await clientOf(() => json({ decision: true }), {
      sends: { subject: ['department', 'toString'] },
    });
    await client.decide({
      ...request,
      subject: { ...request.subject, attributes: { department: 'hr', email: 'ada@example.com' } },
    });
    expect(pdp.requests[0]?.body).not.toContain('ada@example.com');
    expect(JSON.parse(pdp.requests[0]?.body ?? '')).toMatchObject({
      subject: { properties: { department: 'hr', roles: ['viewer'] } },
    });
  });

  it('asks nobody about a request that cannot be said, and still about the others', async () => {
    const { pdp, client } = await clientOf((_, body) =>
      json({
        decision: true,
        evaluations: ((JSON.parse(body) as { evaluations?: unknown[] }).evaluations ?? []).map(() => ({
          decision: true,
        })),
      }),
    );
    const wrong = [
      { ...request, subject: { ...request.subject, id: '' } },
      { ...request, subject: { ...request.subject, id: 7 } },
      { ...request, subject: { ...request.subject, roles: ['viewer', 7] } },
      { ...request, action: '\udc00' },
      { ...request, resource: { attributes: {} } },
      { ...request, environment: undefined },
    ] as unknown as readonly AccessRequest[];
    for (const each of wrong) expect(outcome(await client.decide(each))).toEqual([false, 'error']);
    expect(pdp.requests).toHaveLength(0);
    const decisions = await client.decideAll([...wrong, request]);
    expect(decisions.map(({ allowed }) => allowed)).toEqual([...wrong.map(() => false), true]);
  });
});

describe('discovery', () => {
  const metadataOf = (url: string, change: object = {}) => ({
    policy_decision_point: url,
    access_evaluation_endpoint: `${url}/evaluate`,
    ...change,
  });
  async function discovering(metadata: (url: string) => unknown, path = '') {
    let server: FakePdp | undefined;
    server = await startPdp((asked) =>
      asked.startsWith('/.well-known/') ? json(metadata(`${server?.url}${path}`)) : json({ decision: true }),
    );
    const client = createAuthzenClient({ url: `${server.url}${path}`, discovery: true, token: 'secret-token' });
    running.push(client, server);
    return { server, client };
  }

  it('asks where the metadata say, and for the metadata once', async () => {
    const { server, client } = await discovering((url) => metadataOf(url), '/tenant1');
    expect(outcome(await client.decide(request))).toEqual([true, 'rule']);
    expect((await client.decideAll([request, request])).map(outcome)).toEqual([
      [true, 'rule'],
      [true, 'rule'],
    ]);
    expect(server.requests.map(({ path }) => path)).toEqual([
      '/.well-known/authzen-configuration/tenant1',
      ...Array.from({ length: 3 }, () => '/tenant1/evaluate'),
    ]);
  });

  it.each<[string, (url: string) => unknown]>([
    ['of another decision point', (url) => metadataOf(url, { policy_decision_point: 'https://pdp.example.com' })],
    ['with a slash more', (url) => metadataOf(url, { policy_decision_point: `${url}/` })],
    ['without a name', (url) => ({ access_evaluation_endpoint: `${url}/evaluate` })],
    ['without an evaluation endpoint', (url) => ({ policy_decision_point: url })],
    [
      'that send the token elsewhere',
      (url) => metadataOf(url, { access_evaluation_endpoint: 'https://evil.example/' }),
    ],
    ['that send it to a look-alike', (url) => metadataOf(url, { access_evaluation_endpoint: `${url}@evil.example/` })],
    ['that send searches elsewhere', (url) => metadataOf(url, { search_subject_endpoint: 'https://evil.example/' })],
    ['that climb', (url) => metadataOf(url, { access_evaluation_endpoint: `${url}/a/../b` })],
    ['that are no object', () => []],
  ])('believes no metadata %s', async (_, metadata) => {
    const { server, client } = await discovering(metadata);
    expect(outcome(await client.decide(request))).toEqual([false, 'invalid_answer']);
    expect(server.requests.every(({ path }) => path.startsWith('/.well-known/'))).toBe(true);
  });
});

describe('a client and an endpoint', () => {
  it('agree over a socket, one by one, in batches and in searches', async () => {
    const engine = createPolicyEngine(
      policy('p', [
        rule.allow('owner', eq(attr('subject.id'), attr('resource.owner_id'))),
        rule.allow('reader', eq(attr('action'), 'read')),
      ]),
    );
    const endpoint = createAuthzenEndpoint({
      pdp: engine,
      environment,
      token: 'secret-token',
      search: {
        subjects: () => [{ id: 'ada' }, { id: 'bob' }],
        resources: () => [
          { id: 'a', properties: { owner_id: 'ada' } },
          { id: 'b', properties: { owner_id: 'bob' } },
        ],
        actions: ['read', 'write'],
      },
    });
    const server = await serve(endpoint);
    const client = createAuthzenClient({ url: server.url, token: 'secret-token', batchSize: 3, concurrency: 2 });
    const stranger = createAuthzenClient({ url: server.url, token: 'another' });
    running.push(client, stranger, { close: () => server.close(0) });
    const requests = ['ada', 'bob', 'eve'].flatMap((id) =>
      ['read', 'write'].flatMap((action) =>
        ['ada', 'bob', '', undefined].map((owner_id) => ({
          ...request,
          subject: { ...request.subject, id },
          action,
          resource: { type: 'document', ...(owner_id !== undefined && { id: 'plan' }), attributes: { owner_id } },
        })),
      ),
    );
    const expected = requests.map((each) => engine.decide(each).allowed);
    expect(new Set(expected).size).toBe(2);
    expect((await client.decideAll(requests)).map(({ allowed }) => allowed)).toEqual(expected);
    for (const [index, each] of requests.entries()) {
      expect((await client.decide(each)).allowed).toBe(expected[index]);
    }
    const write = { ...request, action: 'write' };
    expect(
      await client.searchSubjects({ ...write, resource: { type: 'd', id: 'x', attributes: { owner_id: 'bob' } } }),
    ).toEqual({ results: ['bob'] });
    expect(await client.searchResources({ ...write, resourceType: 'd' })).toEqual({ results: ['a'] });
    const first = await client.searchActions(
      { ...request, resource: { type: 'd', id: 'x', attributes: { owner_id: 'ada' } } },
      { limit: 1 },
    );
    expect(first).toEqual({ results: ['read'], nextToken: expect.any(String) });
    const rest = await client.searchActions(
      { ...request, resource: { type: 'd', id: 'x', attributes: { owner_id: 'ada' } } },
      { limit: 1, token: first.nextToken ?? '' },
    );
    expect(rest).toEqual({ results: ['write'] });

    expect(outcome(await stranger.decide(request))).toEqual([false, 'unavailable']);
    await expect(stranger.searchActions(request)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  });

  it('send one request id back over a socket, the one of the caller', async () => {
    const server = await serve(createAuthzenEndpoint({ pdp: permit, environment }));
    running.push({ close: () => server.close(0) });
    const address = `${server.url}/access/v1/evaluation`;
    const given = await fetch(address, { method: 'POST', headers: { 'x-request-id': 'bfe9eb29' } });
    expect(given.headers.get('x-request-id')).toBe('bfe9eb29');
    const made = await fetch(address, { method: 'POST' });
    expect(made.headers.get('x-request-id')).toMatch(/^[\da-f-]{36}$/);
  });

  it.each<[string, unknown]>([
    ['another type', { results: [{ type: 'service', id: 'ada' }] }],
    ['no id', { results: [{ type: 'user' }] }],
    ['no results', {}],
    ['a page without a token', { page: {}, results: [] }],
    ['a page that is none', { page: 'x', results: [] }],
  ])('agree on no results with %s', async (_, answer) => {
    const { client } = await clientOf(() => json(answer));
    await expect(client.searchSubjects(request)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  });

  it('send no search that cannot be said', async () => {
    const { pdp, client } = await clientOf(() => json({ results: [] }));
    await expect(client.searchSubjects({ ...request, action: '' })).rejects.toMatchObject({ code: 'INPUT_INVALID' });
    expect(pdp.requests).toHaveLength(0);
  });
});
