import {
  type AccessRequest,
  allow,
  type Decision,
  deny,
  type EnvironmentSource,
  environmentSource,
  type PolicyDecisionPoint,
} from 'doorward';
import { parsePolicy } from 'doorward/abac';
import { type AuthzenEndpointOptions, createAuthzenClient, createAuthzenEndpoint } from 'doorward/authzen';
import { createDecisionEndpoint, readAccessRequestInput } from 'doorward/opa';
import { describe, expect, it } from 'vitest';
import { json, startPdp } from '../authzen/hostile-pdp.ts';

const environment = environmentSource();
const wire = { subject: { type: 'user', id: 'ada' }, action: { name: 'read' }, resource: { type: 'd', id: '1' } };
const permit = { decide: () => allow('rule') };

async function send(body: object, options: Partial<AuthzenEndpointOptions> = {}, api = 'evaluation') {
  const endpoint = createAuthzenEndpoint({ pdp: permit, environment, ...options });
  const response = await endpoint(
    new Request(`https://pdp.example/access/v1/${api}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  );
  return { status: response.status, text: await response.text() };
}

/** Decides without waiting for anything, in so many milliseconds. */
function busy(ms: number, decision: Decision): PolicyDecisionPoint {
  return {
    decide() {
      for (const until = performance.now() + ms; performance.now() < until; );
      return decision;
    },
  };
}

describe('a fact of the server', () => {
  const guarded: EnvironmentSource = (caller) => ({ ...environment(caller), attributes: { maintenance: true } });
  const open = {
    decide: ({ environment: { attributes } }: AccessRequest) =>
      attributes?.maintenance === false ? allow('rule') : deny('no_rule'),
  };

  it('is not what the context of a call says instead', async () => {
    const asked = { ...wire, context: { maintenance: false, tenant: 't1' } };
    expect((await send(asked, { pdp: open, environment: guarded })).text).toBe('{"decision":false}');
    const seen: unknown[] = [];
    const pdp = {
      decide: (request: AccessRequest) => {
        seen.push(request.environment.attributes);
        return allow('rule');
      },
    };
    await send(asked, { pdp, environment: guarded });
    expect(seen).toEqual([{ maintenance: true, tenant: 't1' }]);
  });

  it('is not what an action is said to have', async () => {
    const server: EnvironmentSource = () => ({ time: 0, attributes: { action_audited: false } });
    const pdp = {
      decide: ({ environment: { attributes } }: AccessRequest) =>
        attributes?.action_audited === true ? allow('rule') : deny('no_rule'),
    };
    const action = { name: 'read', properties: { audited: true } };
    expect((await send({ ...wire, action }, { pdp, environment: server })).text).toBe('{"decision":false}');
  });

  it('is not what an access request over the data API says instead', async () => {
    const endpoint = createDecisionEndpoint({ pdp: open, environment: guarded, readInput: readAccessRequestInput });
    const body = JSON.stringify({ input: { environment: { attributes: { maintenance: false } } } });
    const response = await endpoint(new Request('http://pdp.example/v1/data/authz/allow', { method: 'POST', body }));
    expect(await response.json()).toEqual({ result: false });
  });
});

describe('the time limit of a request', () => {
  const limited = { pdp: busy(2, allow('rule')), decisionTimeoutMs: 20 };

  it('ends a search whose decisions never wait for anything', async () => {
    let decided = 0;
    const { decide } = limited.pdp;
    const pdp: PolicyDecisionPoint = {
      decide(request) {
        decided += 1;
        return decide(request);
      },
    };
    const resources = () => Array.from({ length: 500 }, (_, index) => ({ id: `${index}` }));
    const answer = await send(wire, { ...limited, pdp, search: { resources } }, 'search/resource');
    expect([answer.status, answer.text]).toEqual([500, 'the search could not be completed']);
    expect(decided).toBeLessThan(200);
  });

  it('ends a batch that is decided one by one', async () => {
    const body = { ...wire, options: { evaluations_semantic: 'deny_on_first_deny' }, evaluations: Array(100).fill({}) };
    const { evaluations } = JSON.parse((await send(body, limited, 'evaluations')).text) as { evaluations: object[] };
    expect(evaluations.length).toBeLessThan(50);
    expect(evaluations.at(-1)).toMatchObject({ decision: false, context: { error: { status: 500 } } });
  });

  it('lets others have a turn during a long search', async () => {
    let turns = 0;
    const timer = setInterval(() => (turns += 1), 1);
    const resources = () => Array.from({ length: 1_000 }, (_, index) => ({ id: `${index}` }));
    await send(wire, { pdp: busy(0.1, deny('no_rule')), search: { resources } }, 'search/resource');
    clearInterval(timer);
    expect(turns).toBeGreaterThan(3);
  });
});

describe('what many evaluations share', () => {
  const shared = {
    subject: { ...wire.subject, properties: { department: 'sales' } },
    action: { name: 'read' },
    resource: { ...wire.resource, properties: { owner_id: 'ada' } },
    context: { tenant: 't1' },
  };
  const ids = Array.from({ length: 50 }, (_, index) => ({ id: `${index}` }));

  it.each<[string, object]>([
    ['evaluations', { ...shared, evaluations: Array(50).fill({}) }],
    ['search/resource', shared],
    ['search/subject', shared],
    ['search/action', shared],
  ])('is not copied for each of them: %s', async (api, body) => {
    const asked: AccessRequest[] = [];
    const pdp: PolicyDecisionPoint = {
      decide(request) {
        asked.push(request);
        return allow('rule');
      },
    };
    const search = { subjects: () => ids, resources: () => ids, actions: ids.map(({ id }) => id) };
    await send(body, { pdp, search }, api);
    expect(asked).toHaveLength(50);
    const copies = (part: (request: AccessRequest) => unknown) => new Set(asked.map(part)).size;
    expect(copies(({ environment: { attributes } }) => attributes)).toBe(1);
    expect(copies(({ subject }) => subject)).toBe(api === 'search/subject' ? 50 : 1);
    expect(copies(({ resource }) => resource)).toBe(api === 'search/resource' ? 50 : 1);
  });

  it('is small', async () => {
    const many = Object.fromEntries(Array.from({ length: 1_001 }, (_, index) => [`n${index}`, 1]));
    const answer = await send({ ...shared, context: many, evaluations: [{}] }, {}, 'evaluations');
    expect([answer.status, answer.text]).toEqual([400, 'context must have at most 1000 members']);
    for (const entity of ['subject', 'action', 'resource'] as const) {
      const { status, text } = await send({ ...shared, [entity]: { ...shared[entity], properties: many } });
      expect([status, text]).toEqual([400, `${entity}.properties must have at most 1000 members`]);
    }
  });

  it('becomes no prototype', async () => {
    const seen: (object | undefined)[] = [];
    const pdp: PolicyDecisionPoint = {
      decide({ subject, environment: { attributes } }) {
        seen.push(subject.attributes, attributes);
        return allow('rule');
      },
    };
    const proto = JSON.parse('{"__proto__":{"admin":true},"a":1}') as object;
    const properties = { properties: proto };
    const subject = { ...wire.subject, ...properties };
    await send({ ...wire, subject, action: { ...wire.action, ...properties }, context: proto }, { pdp });
    expect(seen.map((attributes) => Object.getPrototypeOf(attributes))).toEqual([Object.prototype, Object.prototype]);
  });

  it('is looked up once', async () => {
    let lookUps = 0;
    const resolveSubject = async ({ id }: { id: string }) => {
      lookUps += 1;
      return { id, roles: [], attributes: {} };
    };
    await send({ ...shared, evaluations: Array(50).fill({}) }, { resolveSubject }, 'evaluations');
    expect(lookUps).toBe(1);
    await send(shared, { resolveSubject, search: { resources: () => ids } }, 'search/resource');
    expect(lookUps).toBe(2);
  });

  it('believes nobody whom the look-up does not know', async () => {
    for (const nobody of [() => undefined, async () => undefined, () => null as unknown as undefined]) {
      const { text } = await send({ ...shared, evaluations: [{}, {}] }, { resolveSubject: nobody }, 'evaluations');
      expect(text).toBe('{"evaluations":[{"decision":false},{"decision":false}]}');
      expect((await send(shared, { resolveResource: nobody })).text).toBe('{"decision":false}');
    }
  });
});

describe('a batch', () => {
  it('reaches the decision point in one call', async () => {
    const calls: number[] = [];
    const pdp = {
      decide: () => deny('no_rule'),
      decideAll: (requests: readonly AccessRequest[]) => {
        calls.push(requests.length);
        return requests.map(({ resource }) => (resource.id === 'mine' ? allow('rule') : deny('no_rule')));
      },
    };
    const evaluations = ['other', 'mine', 7, 'other', 'mine'].map((id) => ({ resource: { type: 'd', id } }));
    const { text } = await send({ ...wire, evaluations }, { pdp }, 'evaluations');
    const { evaluations: answers } = JSON.parse(text) as { evaluations: { decision: boolean }[] };
    expect(answers.map(({ decision }) => decision)).toEqual([false, true, false, false, true]);
    expect(calls).toEqual([4]);
  });

  it.each<[string, (requests: readonly AccessRequest[]) => unknown]>([
    ['too few answers', (requests) => requests.slice(1).map(() => allow('rule'))],
    ['too many', (requests) => [...requests, ...requests].map(() => allow('rule'))],
    ['no list', () => true],
    ['a promise that never settles', () => new Promise(() => {})],
    ['a rejection', () => Promise.reject(new Error('hunter2'))],
    [
      'a throw',
      () => {
        throw new Error('hunter2');
      },
    ],
  ])('allows nothing where the decision point answers with %s', async (_, decideAll) => {
    const pdp = { ...permit, decideAll: decideAll as () => never };
    const body = { ...wire, evaluations: [{}, {}, {}] };
    const { status, text } = await send(body, { pdp, decisionTimeoutMs: 50 }, 'evaluations');
    expect(status).toBe(200);
    expect(JSON.parse(text)).toEqual({
      evaluations: Array(3).fill({
        decision: false,
        context: { error: { status: 500, message: 'the decision point did not answer' } },
      }),
    });
  });
});

describe('a candidate', () => {
  const suspendedMayNot = {
    decide: ({ subject }: AccessRequest) => (subject.roles.includes('suspended') ? deny('rule') : allow('rule')),
  };
  it.each<[string, object]>([
    ['whose roles are no list', { id: 'eve', properties: { roles: 'suspended' } }],
    ['whose roles are no texts', { id: 'eve', properties: { roles: [{ name: 'suspended' }] } }],
    ['whose id is a number', { id: 7 }],
    ['whose properties are none', { id: 'eve', properties: 'suspended' }],
  ])('%s fails the search like a request of the kind', async (_, candidate) => {
    const subjects = () => [{ id: 'ada' }, candidate] as { id: string }[];
    const answer = await send(wire, { pdp: suspendedMayNot, search: { subjects } }, 'search/subject');
    expect([answer.status, answer.text]).toEqual([500, 'the search could not be completed']);
  });
});

describe('options that would check nothing, or not what they say', () => {
  it.each<[string, object]>([
    ['subjectTypes', { subjectTypes: 'user' }],
    ['subjectTypes', { subjectTypes: ['user', 7] }],
    ['rolesProperty', { rolesProperty: '' }],
    ['rolesProperty', { rolesProperty: ['roles'] }],
    ['token', { token: undefined }],
    ['resolveSubject', { resolveSubject: undefined }],
    ['resolveResource', { resolveResource: undefined }],
    ['resolveSubject', { resolveSubject: { ada: {} } }],
    ['resolveResource', { resolveResource: null }],
    ['search.subjects', { search: { subjects: [{ id: 'ada' }] } }],
    ['search.resources', { search: { resources: 'records' } }],
    ['search.actions', { search: { actions: 'read' } }],
    ['search.actions', { search: { actions: ['read', ''] } }],
  ])('%s of an endpoint: %j', (field, options) => {
    expect(() => createAuthzenEndpoint({ pdp: permit, environment, ...options } as AuthzenEndpointOptions)).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', field }),
    );
  });

  it.each<[string, object]>([
    ['sends.subject', { sends: { subject: 'department' } }],
    ['sends.subject', { sends: { subject: undefined } }],
    ['sends.resource', { sends: { resource: null } }],
    ['sends.environment', { sends: { environment: [7] } }],
  ])('%s of a client: %j', (field, options) => {
    expect(() => createAuthzenClient({ url: 'https://pdp.example.com', ...options })).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', field }),
    );
  });
});

describe('two numbers that are read as one', () => {
  const isOwner = {
    decide: ({ subject, resource }: AccessRequest) =>
      subject.attributes.number === resource.attributes.owner ? allow('rule') : deny('no_rule'),
  };

  it.each([
    '9007199254740993',
    '1234567890123456789',
    '-9007199254740993',
    '9007199254740993.0',
    '90071992547409930e-1',
  ])('make nobody an owner: %s', async (number) => {
    const near = number.replace(/3(?=\.|$|0e)/, '2');
    const properties = (name: string, value: string) => `"properties":{"${name}":${value}}`;
    const body = `{"subject":{"type":"user","id":"a",${properties('number', near)}},"action":{"name":"r"},"resource":{"type":"d","id":"1",${properties('owner', number)}}}`;
    const headers = { 'content-type': 'application/json' };
    const endpoint = createAuthzenEndpoint({ pdp: isOwner, environment });
    const url = 'https://pdp.example/access/v1/evaluation';
    expect((await endpoint(new Request(url, { method: 'POST', headers, body }))).status).toBe(400);
    const call = `{"input":{"subject":{"attributes":{"number":${near}}},"resource":{"attributes":{"owner":${number}}}}}`;
    const data = createDecisionEndpoint({ pdp: isOwner, environment, readInput: readAccessRequestInput });
    const address = 'https://pdp.example/v1/data/authz/allow';
    expect((await data(new Request(address, { method: 'POST', body: call }))).status).toBe(400);
    const file = `{"name":"p","combining":"first-match","rules":[{"id":"a","effect":"allow","when":{"eq":[{"attr":"subject.number"},${number}]}}]}`;
    expect(() => parsePolicy(file)).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID', field: '$' }));
  });

  it('are not sent', async () => {
    const server = await startPdp(() => json({ decision: true }));
    const client = createAuthzenClient({ url: server.url });
    await client.decide({
      subject: { id: 'ada', roles: [], attributes: { far: 2 ** 53, near: 2 ** 53 - 1, half: 0.5 } },
      action: 'read',
      resource: { type: 'd', attributes: {} },
      environment: { time: 0 },
    });
    await client.close();
    await server.close();
    expect(JSON.parse(server.requests[0]?.body ?? '')).toMatchObject({
      subject: { properties: { near: 2 ** 53 - 1, half: 0.5, roles: [] } },
    });
    expect(server.requests[0]?.body).not.toContain('far');
  });
});

describe('a name that stands twice', () => {
  const text =
    '{"name":"p","combining":"first-match","rules":[{"id":"a","effect":"deny","effect":"allow","when":"always"}]}';

  it.each([
    ['a policy', text],
    ['a policy, escaped', text.replace('"effect":"allow"', '"eff\\u0065ct":"allow"')],
    ['a condition', text.replace('"always"', '{"eq":[{"attr":"subject.id","attr":"subject.x"},"a"]}')],
  ])('in the text of %s is refused', (_, file) => {
    const refused = expect.objectContaining({ code: 'CONFIG_INVALID', field: '$' });
    expect(() => parsePolicy(file)).toThrow(refused);
    expect(() => parsePolicy(Buffer.from(file))).toThrow(refused);
  });

  it.each([
    '{"input":{"user":{"role":"viewer","role":"admin"}}}',
    '{"input":{"user":{"role":"viewer","r\\u006fle":"admin"}}}',
    '{"input":{"user":{"role":"viewer"}},"a":[{"b":{"c":1,"c":2}}]}',
  ])('in a call of the data API is refused: %s', async (body) => {
    const endpoint = createDecisionEndpoint({ pdp: permit, environment });
    const response = await endpoint(new Request('http://pdp.example/v1/data/authz/allow', { method: 'POST', body }));
    expect(response.status).toBe(400);
  });
});

describe('the data API', () => {
  it.each<[string, () => never]>([
    [
      'throws',
      () => {
        throw new Error('postgres://root:hunter2@db');
      },
    ],
  ])('answers 500 where the reader of the input %s', async (_, readInput) => {
    const endpoint = createDecisionEndpoint({ pdp: permit, environment, readInput });
    const body = '{"input":{}}';
    const response = await endpoint(new Request('http://pdp.example/v1/data/authz/allow', { method: 'POST', body }));
    expect(response.status).toBe(500);
    expect(await response.text()).not.toContain('hunter2');
  });

  it.each([null, 7, ''])('takes no token %j', (token) => {
    expect(() => createDecisionEndpoint({ pdp: permit, environment, token: token as unknown as string })).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', field: 'token' }),
    );
  });
});

describe('a client', () => {
  it('asks a decision point that has no metadata for them once, however many batches wait', async () => {
    const server = await startPdp(() => json({}, 503));
    const client = createAuthzenClient({ url: server.url, discovery: true, batchSize: 2 });
    const request = {
      subject: { id: 'ada', roles: [], attributes: {} },
      action: 'read',
      resource: { type: 'd', attributes: {} },
      environment: { time: 0 },
    };
    const decisions = await client.decideAll(Array(20).fill(request));
    expect(new Set(decisions.map(({ reason }) => reason))).toEqual(new Set(['unavailable']));
    expect(server.requests).toHaveLength(1);
    await client.close();
    await server.close();
  });
});

describe('a name in Object.prototype', () => {
  const refuse = { decide: () => deny('no_rule') };
  const whileThere = async <T>(name: string, value: unknown, run: () => Promise<T>): Promise<T> => {
    Object.defineProperty(Object.prototype, name, { value, configurable: true, writable: true });
    try {
      return await run();
    } finally {
      Reflect.deleteProperty(Object.prototype, name);
    }
  };

  it.each<[string, unknown]>([
    ['allowed', true],
    ['decision', true],
    ['error', undefined],
    ['evaluations', [{}]],
    ['effect', 'allow'],
    ['kind', 'all'],
  ])('%s allows nothing', async (name, value) => {
    const one = await whileThere(name, value, () => send(wire, { pdp: refuse }));
    expect(one.text).not.toContain('"decision":true');
    for (const semantic of ['execute_all', 'deny_on_first_deny', 'permit_on_first_permit']) {
      const body = { ...wire, evaluations: [{}, {}], options: { evaluations_semantic: semantic } };
      const all = await whileThere(name, value, () => send(body, { pdp: refuse }, 'evaluations'));
      expect(all.text).not.toContain('"decision":true');
    }
    const found = await whileThere(name, value, () =>
      send({ ...wire, action: undefined }, { pdp: refuse, search: { actions: () => ['read'] } }, 'search/action'),
    );
    expect(found.text).not.toContain('"name":"read"');
  });
});
