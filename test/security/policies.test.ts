import { type AccessRequest, allOf, anyOf, ask, type Decision, denialOf, environmentSource } from 'doorward';
import { contractDecisionPolicy, contractPolicy, createPolicyEngine, parsePolicy } from 'doorward/abac';
import { createDecisionEndpoint, createOpaClient } from 'doorward/opa';
import { contractRoles, defineRoles } from 'doorward/rbac';
import { afterEach, describe, expect, it } from 'vitest';
import { fakeOpa, rawOpa } from '../opa/fake-opa.ts';

const request: AccessRequest = {
  subject: { id: 'u1', roles: ['viewer'], attributes: {} },
  action: 'read',
  resource: { type: 'post', attributes: {} },
  environment: { time: 0 },
};
const ALLOW = { allowed: true, effect: 'allow', reason: 'rule' } as const;
const answering = (answer: unknown) => ({ decide: () => answer as Decision });

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** A name that linters would rather not see as a property. */
const THEN = 'then';
const throwing = {
  get allowed() {
    throw new Error('x');
  },
};

describe('an answer that is no honest decision', () => {
  it.each<[string, unknown]>([
    ['whose allowed throws when it is read', throwing],
    ['that resolves to one whose allowed throws', Promise.resolve(throwing)],
    [
      'whose then throws',
      {
        ...ALLOW,
        [THEN]: () => {
          throw new Error('x');
        },
      },
    ],
    ['whose then returns an allow and settles never', { ...ALLOW, [THEN]: () => ALLOW }],
    ['whose then settles with something else', { ...ALLOW, [THEN]: (settle: (value: unknown) => void) => settle({}) }],
    [
      'whose then settles twice',
      {
        [THEN](settle: (value: unknown) => void) {
          settle({});
          settle(ALLOW);
        },
      },
    ],
    ['that inherits its allow', Object.create(ALLOW)],
    ['that is a function', Object.assign(() => ALLOW, ALLOW)],
  ])('AZ-06 %s never allows', async (_name, answer) => {
    for (const pdp of [answering(answer), anyOf(answering(answer)), allOf(answering(answer))]) {
      expect(denialOf(request.subject, await ask(pdp, request, 20))).toBe('unavailable');
    }
  });

  it('AZ-06 an allow on a polluted Object.prototype allows nobody', async () => {
    Object.defineProperty(Object.prototype, 'allowed', { value: true, configurable: true });
    try {
      expect(denialOf(request.subject, await ask(answering({}), request))).toBe('unavailable');
      expect(denialOf(request.subject, await ask(answering(Promise.resolve({})), request))).toBe('unavailable');
    } finally {
      Reflect.deleteProperty(Object.prototype, 'allowed');
    }
  });
});

describe('an OPA answer that two parsers read in two ways', () => {
  it.each([
    '{"result":false,"result":true}',
    '{"result":true,"result":true}',
    '{"result":false,"res\\u0075lt":true}',
    '{"decision_id":"a","result":true,"decision_id":"b"}',
    '\uFEFF{"result":true}',
    '{"result":true}{"result":false}',
    '{"result":true,}',
  ])('PDP-02 %j never allows', async (body) => {
    const opa = await fakeOpa((response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(body);
    });
    closers.push(() => opa.close());
    const client = createOpaClient({ url: opa.url });
    closers.push(() => client.close());
    expect(await client.decide(request)).toMatchObject({ allowed: false, reason: 'invalid_answer' });
  });

  it('PDP-02 bytes that are no UTF-8 never allow', async () => {
    const opa = await fakeOpa((response) => {
      const body = Buffer.concat([Buffer.from('{"result":true,"x":"'), Buffer.from([0xff]), Buffer.from('"}')]);
      response.writeHead(200, { 'content-type': 'application/json' }).end(body);
    });
    closers.push(() => opa.close());
    const client = createOpaClient({ url: opa.url });
    closers.push(() => client.close());
    expect(await client.decide(request)).toMatchObject({ allowed: false, reason: 'invalid_answer' });
  });
});

describe('an OPA answer that is more, or less, than one answer', () => {
  const head = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n';
  const yes = '{"result":true}';
  it.each([
    [
      'a yes in an early hint before a no',
      `HTTP/1.1 103 Early Hints\r\nX: ${yes}\r\n\r\n${head}Content-Length: 16\r\n\r\n{"result":false}`,
    ],
    [
      'a no with a yes behind it',
      `${head}Content-Length: 16\r\n\r\n{"result":false}${head}Content-Length: 15\r\n\r\n${yes}`,
    ],
    ['a yes that is cut short', `${head}Content-Length: 99\r\n\r\n${yes}`],
    ['a yes in a chunk that never ends', `${head}Transfer-Encoding: chunked\r\n\r\nf\r\n${yes}\r\n`],
    ['a length and chunks', `${head}Content-Length: 15\r\nTransfer-Encoding: chunked\r\n\r\n${yes}`],
    ['two lengths', `${head}Content-Length: 15\r\nContent-Length: 16\r\n\r\n${yes}`],
    ['two content types', `${head}Content-Type: text/html\r\nContent-Length: 15\r\n\r\n${yes}`],
    ['a yes behind a header of 64 KiB', `${head}X: ${'x'.repeat(65_536)}\r\nContent-Length: 15\r\n\r\n${yes}`],
    ['a yes behind 20,000 headers', `${head}${'X: x\r\n'.repeat(20_000)}Content-Length: 15\r\n\r\n${yes}`],
    ['a yes without a head', yes],
    ['a yes of another protocol', `HTTP/3.7 200 OK\r\nContent-Length: 15\r\n\r\n${yes}`],
    ['a yes in a 204', `HTTP/1.1 204 No Content\r\nContent-Type: application/json\r\n\r\n${yes}`],
    ['a switch of protocols', `HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n${yes}`],
  ])('PDP-12 %s never allows', async (_, answer) => {
    const opa = await rawOpa((socket) => socket.end(answer));
    closers.push(() => opa.close());
    const client = createOpaClient({ url: opa.url, timeoutMs: 500 });
    closers.push(() => client.close());
    expect((await client.decide(request)).allowed).toBe(false);
  });
});

describe('the decision endpoint', () => {
  it.each([
    '{"input":{},"input":{"user":{"role":"admin"}}}',
    '{"input":{},"\\u0069nput":{"user":{"role":"admin"}}}',
    '\uFEFF{"input":{"user":{"role":"admin"}}}',
  ])('refuses a call that two parsers read in two ways: %j', async (body) => {
    const endpoint = createDecisionEndpoint({
      pdp: createPolicyEngine(contractPolicy),
      environment: environmentSource(),
    });
    const response = await endpoint(new Request('http://x/v1/data/authz/allow', { method: 'POST', body }));
    expect(response.status).toBe(400);
  });

  it('AZ-11 refuses ids that are no UTF-8, which would all be one', async () => {
    const endpoint = createDecisionEndpoint({
      pdp: createPolicyEngine(contractPolicy),
      environment: environmentSource(),
    });
    const text = '{"input":{"user":{"id":"\xff"},"resource":{"owner_id":"\xfe"}}}';
    const body = Buffer.from(text, 'latin1');
    const response = await endpoint(new Request('http://x/v1/data/authz/allow', { method: 'POST', body }));
    expect(response.status).toBe(400);
  });

  it('AZ-06 answers 500 for a decision point that never does', async () => {
    const endpoint = createDecisionEndpoint({
      pdp: { decide: () => new Promise(() => {}) },
      environment: environmentSource(),
      decisionTimeoutMs: 20,
    });
    const response = await endpoint(
      new Request('http://x/v1/data/authz/allow', { method: 'POST', body: '{"input":{}}' }),
    );
    expect(response.status).toBe(500);
  });
});

describe('odd role arrays', () => {
  it.each<[string, unknown]>([
    ['sparse', Object.assign(new Array(3), { length: 100_000 })],
    ['of 100,000 unknown names', Array.from({ length: 100_000 }, (_, n) => `role-${n}`)],
    ['of objects that turn into admin', [{ toString: () => 'admin' }, ['admin'], Object('admin')]],
    ['that is a typed array', new Uint8Array(4)],
    ['that is only like an array', { 0: 'admin', length: 1 }],
    ['that is a Set', new Set(['admin'])],
    ['of prototypes', ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty']],
    ['of look-alikes', ['Admin', 'admin ', 'admin\u0000', 'a\u0501min', '\uFF41dmin', 'admin\u200B']],
  ])('AZ-03 %s grant nothing', (_, roles) => {
    for (const permission of contractRoles.permissions) {
      expect(contractRoles.can(roles as readonly string[], permission)).toBe(false);
    }
    const subject = { id: 'u1', roles: roles as readonly string[], attributes: {} };
    expect(contractRoles.decide({ ...request, subject, action: 'delete' }).allowed).toBe(false);
    const engine = createPolicyEngine(contractDecisionPolicy(contractRoles.grants));
    expect(engine.decide({ ...request, subject, action: 'delete' }).allowed).toBe(false);
  });

  it('AZ-03 a role is decided by its name alone, also behind a proxy', () => {
    const roles = new Proxy(['viewer'], { get: (target, key, self) => Reflect.get(target, key, self) });
    expect(contractRoles.can(roles, 'read')).toBe(true);
    expect(contractRoles.can(roles, 'delete')).toBe(false);
  });

  it('AZ-04 permissions named like members of every object are granted only where they are listed', () => {
    const table = defineRoles({ viewer: ['constructor'], other: ['__proto__'] });
    expect(table.can(['viewer'], 'constructor')).toBe(true);
    expect(table.can(['viewer'], '__proto__')).toBe(false);
    expect(table.can(['viewer'], 'toString' as never)).toBe(false);
  });
});

describe('hostile attributes', () => {
  const engine = createPolicyEngine(contractPolicy);
  const about = (subject: object, resource: object): AccessRequest => ({
    ...request,
    subject: { id: 'u1', roles: [], ...subject, attributes: { department: 'sales', ...subject } },
    resource: { type: 'document', attributes: resource as Record<string, unknown> },
  });

  it('AZ-10 what is written under __proto__ in JSON is no attribute', () => {
    const attributes = JSON.parse('{"__proto__":{"owner_id":"u1","department":"sales"}}');
    expect(engine.decide(about({}, attributes))).toMatchObject({ allowed: false, reason: 'no_rule' });
  });

  it('AZ-10 an attribute that throws is no answer, and never an allow', async () => {
    const attributes = {
      get owner_id(): string {
        throw new Error('db pass=hunter2');
      },
    };
    expect(await ask(engine, about({}, attributes))).toEqual({ allowed: false, effect: 'deny', reason: 'error' });
  });

  it('AZ-11 objects that turn into the right text are not the right text', () => {
    const alike = { toString: () => 'u1', valueOf: () => 'u1', [Symbol.toPrimitive]: () => 'u1' };
    expect(engine.decide(about({}, { owner_id: alike })).allowed).toBe(false);
    expect(engine.decide(about({}, { owner_id: Object('u1') })).allowed).toBe(false);
    expect(engine.decide(about({}, { owner_id: ['u1'] })).allowed).toBe(false);
  });

  it('AUD-08 an error or a trace of a policy never runs on over lines', () => {
    const decision = engine.decide(about({ department: 'x\n{"ev":"allow"}' }, { department: '\u001b[2J' }));
    const details = decision.trace?.().rules.map(({ detail }) => detail) ?? [];
    expect(details).toHaveLength(4);
    for (const detail of details) expect(detail).not.toMatch(/[\p{Cc}]/u);
  });
});

describe('policies that are no trees', () => {
  const rules = (when: unknown): unknown => ({
    name: 'p',
    combining: 'first-match',
    rules: [{ id: 'r', effect: 'allow', when }],
  });

  it.each<[string, () => unknown]>([
    [
      'one that contains itself',
      () => {
        const and: unknown[] = [];
        and.push({ and }, { and });
        return { and };
      },
    ],
    ['one nested 100,000 deep', () => Array.from({ length: 100_000 }).reduce<unknown>((not) => ({ not }), {})],
    ['one with an operator that is inherited', () => Object.create({ present: { attr: 'action' } })],
    ['one with a prototype for an operator', () => JSON.parse('{"__proto__":{"present":{"attr":"action"}}}')],
    ['a proxy with changing operators', () => new Proxy({}, { ownKeys: () => ['or', 'and'] })],
  ])('DOS %s is refused', (_, when) => {
    expect(() => parsePolicy(rules(when()))).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
  });

  it('a policy is read once: what it turns into later does not count', () => {
    let reads = 0;
    const attr = {
      get attr() {
        reads += 1;
        return reads === 1 ? 'subject.id' : 'subject.__proto__';
      },
    };
    const parsed = parsePolicy(rules({ present: attr }));
    expect(parsed.rules[0]?.when).toEqual({ present: { attr: 'subject.id' } });
    expect(reads).toBe(1);
  });
});
