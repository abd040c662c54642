import { describe, expect, it } from 'vitest';
import { type Answer, answerOf, BASE, certificationPdp, post } from './certification-pdp.ts';

/**
 * The certification scenario of the Authorization API 1.0, clause by clause.
 * @see https://github.com/openid/authzen/blob/main/certification/authorization-api-1_0-scenario.md
 */
const pdp = certificationPdp();
const alice = { type: 'user', id: 'alice' };
const bob = { type: 'user', id: 'bob' };
const admin = { ...bob, properties: { role: 'admin' } };
const record1 = { type: 'record', id: 'record-1' };
const active = { ...record1, properties: { status: 'active' } };
const archived = { type: 'record', id: 'record-2', properties: { status: 'archived' } };
const read = { name: 'read' };
const write = { name: 'write' };
const context = { time: '2025-06-27T18:03-07:00', ip: '192.168.1.1' };
const permitted = { subject: alice, action: read, resource: record1 };

const evaluation = (body: unknown, headers?: Record<string, string>) =>
  post(pdp, '/access/v1/evaluation', body, headers);
const evaluations = (body: unknown) => post(pdp, '/access/v1/evaluations', body);
const search = (what: string, body: unknown) => post(pdp, `/access/v1/search/${what}`, body);

function expectJson({ status, headers }: Answer): void {
  expect(status).toBe(200);
  expect(headers.get('content-type')).toMatch(/^application\/json/);
}
async function expectDecision(body: unknown, decision: boolean): Promise<void> {
  const answer = await evaluation(body);
  expectJson(answer);
  expect(answer.body).toStrictEqual({ decision });
}
async function expectDecisions(body: unknown, ...decisions: readonly boolean[]): Promise<void> {
  const answer = await evaluations(body);
  expectJson(answer);
  expect(answer.body).toStrictEqual({ evaluations: decisions.map((decision) => ({ decision })) });
}
async function expectResults(what: string, body: unknown, ...results: readonly unknown[]): Promise<void> {
  const answer = await search(what, body);
  expectJson(answer);
  expect(answer.body).toStrictEqual({ results });
}
async function expectRefused(answer: Promise<Answer>, field?: string): Promise<void> {
  const { status, headers, body } = await answer;
  expect(status).toBe(400);
  expect(headers.get('content-type')).toMatch(/^text\/plain/);
  expect(body).toEqual(field === undefined ? expect.any(String) : expect.stringMatching(`^${field} `));
}

describe('Basic Core', () => {
  it('c-2-2-1 permits a fixture request', () => expectDecision(permitted, true));
  it('c-2-2-2 denies a fixture request', () =>
    expectDecision({ subject: bob, action: write, resource: record1 }, false));
  it('c-1-4 rules 2 and 3 hold', async () => {
    await expectDecision({ ...permitted, action: write }, true);
    await expectDecision({ ...permitted, subject: bob }, true);
  });
  it('c-2-2-3 accepts a context, which changes nothing', () => expectDecision({ ...permitted, context }, true));
  it('c-2-2-8 accepts further properties', () =>
    expectDecision(
      {
        subject: { ...alice, properties: { department: 'Sales', role: 'manager' } },
        action: { name: 'read', properties: { method: 'GET' } },
        resource: { ...record1, properties: { status: 'active', owner: 'bob' } },
      },
      true,
    ));
  it('c-2-2-9 ignores unknown fields', () =>
    expectDecision({ ...permitted, foo: 'bar', futureField: { nested: true } }, true));
  it('c-2-3-1 answers with a boolean decision', async () => {
    expect(typeof (await evaluation(permitted).then(({ body }) => body as { decision: unknown })).decision).toBe(
      'boolean',
    );
  });
  it('c-2-3-2 answers with a context that is an object', async () => {
    const answer = await post(certificationPdp({ reasons: true }), '/access/v1/evaluation', permitted);
    expect(answer.body).toStrictEqual({
      decision: true,
      context: { reason: 'rule', rule_id: 'known-subjects-read' },
    });
  });
  it.each(['subject', 'action', 'resource'])('c-2-4-1 refuses a request without %s', (field) => {
    const { [field]: _, ...rest } = permitted as Record<string, unknown>;
    return expectRefused(evaluation(rest), field);
  });
  it.each([
    ['subject.type', { ...permitted, subject: { id: 'alice' } }],
    ['subject.id', { ...permitted, subject: { type: 'user' } }],
    ['action.name', { ...permitted, action: {} }],
    ['resource.type', { ...permitted, resource: { id: 'record-1' } }],
    ['resource.id', { ...permitted, resource: { type: 'record' } }],
  ])('c-2-4-2 refuses a request without %s', (field, body) => expectRefused(evaluation(body), field));
  it.each(['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp', 'application/json; charset=latin1'])(
    'c-2-4-3 refuses the content type %s',
    (type) => expectRefused(evaluation(permitted, { 'content-type': type })),
  );
  it.each(['{', '{"subject":', 'nonsense', '[]', '"text"', 'null', '{} {}'])('c-2-4-4 refuses the body %s', (body) =>
    expectRefused(evaluation(body)),
  );
  it('c-2-4-5 refuses an empty body', () => expectRefused(evaluation('')));
  it.each([
    ['subject', { ...permitted, subject: 'alice' }],
    ['subject', { ...permitted, subject: [alice] }],
    ['action.name', { ...permitted, action: { name: 123 } }],
    ['resource.id', { ...permitted, resource: { type: 'record', id: 1 } }],
    ['subject.properties', { ...permitted, subject: { ...alice, properties: ['role'] } }],
    ['context', { ...permitted, context: 'now' }],
  ])('c-2-4-6 refuses %s of a wrong type', (field, body) => expectRefused(evaluation(body), field));
  it('c-2-5-1 sends the request id back, of a refused request too', async () => {
    const id = 'bfe9eb29-ab87-4ca3-be83-a1d5d8305716';
    for (const body of [permitted, {}, '{']) {
      expect((await evaluation(body, { 'x-request-id': id })).headers.get('x-request-id')).toBe(id);
    }
  });
  it('c-2-5-2 needs no request id', async () => {
    expect((await evaluation(permitted)).headers.has('x-request-id')).toBe(false);
  });
  it('c-2-6 decides the same each time', async () => {
    for (let time = 0; time < 5; time += 1) await expectDecision(permitted, true);
  });
});

describe('Basic Properties', () => {
  it('c-2-2-4 denies by a property of the resource', () =>
    expectDecision({ subject: alice, action: write, resource: archived }, false));
  it('c-2-2-5 permits by a property of the subject', () =>
    expectDecision({ subject: admin, action: write, resource: archived }, true));
  it('c-2-2-6 permits by a property of the action', () =>
    expectDecision({ ...permitted, action: { name: 'delete', properties: { soft: true } } }, true));
  it('c-2-2-7 denies by a property of the action', () =>
    expectDecision({ ...permitted, action: { name: 'delete', properties: { soft: false } } }, false));
});

describe('Batch Core', () => {
  it('c-3-2-1, c-3-3-1, c-3-3-3 and c-3-3-4 answer an array with a decision for each', () =>
    expectDecisions(
      {
        subject: alice,
        action: read,
        evaluations: [{ resource: record1 }, { resource: { ...record1, id: 'record-2' } }],
      },
      true,
      true,
    ));
  it('c-3-2-2 and c-3-3-2 keep the order', async () => {
    const items = [{ action: read }, { action: write }];
    await expectDecisions({ subject: bob, resource: record1, evaluations: items }, true, false);
    await expectDecisions({ subject: bob, resource: record1, evaluations: items.toReversed() }, false, true);
  });
  it('c-3-2-5 accepts evaluations without defaults', () =>
    expectDecisions({ evaluations: [permitted, { subject: bob, action: write, resource: record1 }] }, true, false));
  it('c-3-2-6 lets evaluations inherit and replace the context', () =>
    expectDecisions(
      {
        subject: alice,
        action: read,
        context,
        evaluations: [{ resource: record1 }, { resource: record1, context: { source: 'batch-override' } }],
      },
      true,
      true,
    ));
  it('c-3-4-1 fails a single evaluation in its place', async () => {
    const { status, body } = await evaluations({
      subject: alice,
      action: read,
      options: { evaluations_semantic: 'execute_all' },
      evaluations: [{ resource: record1 }, {}],
    });
    expect(status).toBe(200);
    expect(body).toStrictEqual({
      evaluations: [
        { decision: true },
        { decision: false, context: { error: { status: 400, message: 'evaluations[1].resource is required' } } },
      ],
    });
  });
  it.each([
    ['c-3-4-2', 'missing', permitted],
    ['c-3-4-3', 'empty', { ...permitted, evaluations: [] }],
  ])('%s takes %s evaluations for a single one', async (_, __, body) => {
    expect((await evaluations(body)).body).toStrictEqual({ decision: true });
  });
});

describe('Batch Properties', () => {
  it('c-3-2-3 evaluates the properties of each resource', () =>
    expectDecisions(
      { subject: alice, action: write, evaluations: [{ resource: active }, { resource: archived }] },
      true,
      false,
    ));
  it('c-3-2-4 evaluates the properties of each subject', () =>
    expectDecisions(
      { action: write, resource: archived, evaluations: [{ subject: alice }, { subject: admin }] },
      false,
      true,
    ));
  it('c-3-2-7 inherits whole entities and merges nothing', async () => {
    const shared = { subject: alice, action: write, resource: active };
    await expectDecisions({ ...shared, evaluations: [{}, { resource: archived }] }, true, false);
    const { body } = await evaluations({ ...shared, evaluations: [{ resource: { id: 'record-1' } }] });
    expect(body).toMatchObject({ evaluations: [{ decision: false, context: { error: { status: 400 } } }] });
  });
});

describe('Search', () => {
  const subjects = { subject: { type: 'user' }, action: read, resource: record1 };
  const resources = { subject: alice, action: read, resource: { type: 'record' } };
  const actions = { subject: alice, resource: record1 };
  const records = ['record-1', 'record-2'].map((id) => ({ type: 'record', id }));

  it('c-4-2-1 finds subjects', () => expectResults('subject', subjects, alice, bob));
  it('c-4-2-2 accepts a context', () => expectResults('subject', { ...subjects, context }, alice, bob));
  it('c-4-2-3 ignores the id of the subject', () =>
    expectResults('subject', { ...subjects, subject: alice }, alice, bob));
  it('c-4-2-4 finds subjects by properties', () =>
    expectResults('subject', { ...subjects, action: write, resource: archived }, bob));
  it('c-4-3-1 finds resources', () => expectResults('resource', resources, ...records));
  it('c-4-3-2 accepts a context', () => expectResults('resource', { ...resources, context }, ...records));
  it('c-4-3-3 ignores the id of the resource', () =>
    expectResults('resource', { ...resources, resource: record1 }, ...records));
  it('c-4-3-4 finds resources by properties', () =>
    expectResults('resource', { ...resources, subject: admin, action: write }, { type: 'record', id: 'record-2' }));
  it('c-4-4-1 finds actions', () => expectResults('action', actions, read, write));
  it('c-4-4-2 accepts a context', () => expectResults('action', { ...actions, context }, read, write));
  it('c-4-4-3 finds actions by properties', () =>
    expectResults('action', { subject: admin, resource: archived }, read, write));

  it('c-4-5-1, c-4-5-2 and c-4-5-3 page, the limit repeated or not', async () => {
    const first = await search('subject', { ...subjects, page: { limit: 1 } });
    expect(first.body).toStrictEqual({ page: { next_token: expect.any(String), count: 1 }, results: [alice] });
    const { next_token: token } = (first.body as { page: { next_token: string } }).page;
    for (const page of [{ token }, { token, limit: 1 }]) {
      const second = await search('subject', { ...subjects, page });
      expect(second.body).toStrictEqual({ page: { next_token: '', count: 1 }, results: [bob] });
    }
  });
  it('c-4-5-4 accepts a page object that asks for nothing', async () => {
    expect((await search('subject', { ...subjects, page: {} })).body).toStrictEqual({
      page: { next_token: '', count: 2 },
      results: [alice, bob],
    });
  });
  it('c-4-6-1 finds nothing for unknown ids', async () => {
    await expectResults('subject', { ...subjects, resource: { type: 'record', id: 'nonexistent-record' } });
    await expectResults('action', { subject: { type: 'user', id: 'nonexistent-user' }, resource: record1 });
    await expectResults('resource', { ...resources, subject: { type: 'user', id: 'nonexistent-user' } });
  });
  it('c-4-6-2 finds nothing for unknown types', async () => {
    await expectResults('subject', { ...subjects, subject: { type: 'spaceship' } });
    await expectResults('resource', { ...resources, resource: { type: 'spaceship' } });
    await expectResults('subject', { ...subjects, resource: { type: 'spaceship', id: 'record-1' } });
    await expectResults('resource', { ...resources, subject: { type: 'spaceship', id: 'alice' } });
    await expectResults('action', { ...actions, subject: { type: 'spaceship', id: 'alice' } });
    await expectResults('action', { ...actions, resource: { type: 'spaceship', id: 'record-1' } });
  });
  it.each([
    ['subject', 'action', { subject: { type: 'user' }, resource: record1 }],
    ['resource', 'subject', { action: read, resource: { type: 'record' } }],
    ['action', 'resource', { subject: alice }],
  ])('c-4-7-1 refuses a %s search without %s', (what, field, body) => expectRefused(search(what, body), field));
  it.each([
    ['subject', 'resource.id', { ...subjects, resource: { type: 'record' } }],
    ['resource', 'subject.id', { ...resources, subject: { type: 'user' } }],
    ['action', 'subject.id', { ...actions, subject: { type: 'user' } }],
    ['action', 'resource.id', { ...actions, resource: { type: 'record' } }],
    ['subject', 'subject.type', { ...subjects, subject: {} }],
  ])('c-4-7-2 refuses a %s search without %s', (what, field, body) => expectRefused(search(what, body), field));
});

describe('Transport (c-5), of every API', () => {
  const apis: readonly (readonly [string, string, Record<string, unknown>, string])[] = [
    ['c-2-1', 'evaluation', permitted, 'action'],
    ['c-3-1', 'evaluations', { ...permitted, evaluations: [{}] }, 'resource'],
    ['c-4-1', 'search/subject', { subject: { type: 'user' }, action: read, resource: record1 }, 'action'],
    ['c-4-1', 'search/resource', { subject: alice, action: read, resource: { type: 'record' } }, 'subject'],
    ['c-4-1', 'search/action', { subject: alice, resource: record1 }, 'resource'],
  ];
  const id = 'bfe9eb29-ab87-4ca3-be83-a1d5d8305716';

  it.each(apis)('%s and c-5-1: POST /access/v1/%s takes JSON, with a charset and in any case', async (_, api, body) => {
    for (const type of ['application/json', 'Application/JSON; charset="utf-8"']) {
      const answer = await post(pdp, `/access/v1/${api}`, body, { 'content-type': type });
      expectJson(answer);
      expect(Object.keys(answer.body as object)).toContain(
        api.startsWith('search') ? 'results' : api === 'evaluation' ? 'decision' : 'evaluations',
      );
    }
    const { status } = await post(pdp, `/access/v1/${api}`, body, { 'content-type': 'text/plain' });
    expect(status).toBe(400);
  });
  it.each(apis)('%s and c-5-2: /access/v1/%s answers 200 with JSON', async (_, api, body) =>
    expectJson(await post(pdp, `/access/v1/${api}`, body)),
  );
  it.each(apis)('%s and c-5-3: /access/v1/%s answers 400 where a field is missing', async (_, api, body, field) => {
    if (api === 'evaluations') {
      const { evaluations: __, [field]: ___, ...single } = body;
      await expectRefused(post(pdp, `/access/v1/${api}`, single), field);
      return;
    }
    const { [field]: __, ...rest } = body;
    await expectRefused(post(pdp, `/access/v1/${api}`, rest), field);
  });
  it.each(apis)('%s and c-5-4: /access/v1/%s sends the request id back', async (_, api, body) => {
    for (const each of [body, {}]) {
      const { headers } = await post(pdp, `/access/v1/${api}`, each, { 'x-request-id': id });
      expect(headers.get('x-request-id')).toBe(id);
    }
  });
  it.each(apis)('%s and c-5-5: /access/v1/%s ignores unknown fields', async (_, api, body) => {
    const known = await post(pdp, `/access/v1/${api}`, body);
    const unknown = await post(pdp, `/access/v1/${api}`, { ...body, foo: 'bar', futureField: { nested: true } });
    expect([unknown.status, unknown.body]).toEqual([200, known.body]);
  });
});

describe('Discovery', () => {
  const get = async (path: string, options = {}) =>
    answerOf(await certificationPdp(options)(new Request(`${BASE}${path}`)));

  it('c-6-1 and c-6-2 publish metadata as JSON', async () =>
    expectJson(await get('/.well-known/authzen-configuration')));
  it('c-6-3, c-6-4 and c-6-5 name the decision point and its APIs', async () => {
    const answer = await get('/.well-known/authzen-configuration');
    expect(answer.body).toStrictEqual({
      policy_decision_point: BASE,
      access_evaluation_endpoint: `${BASE}/access/v1/evaluation`,
      access_evaluations_endpoint: `${BASE}/access/v1/evaluations`,
      search_subject_endpoint: `${BASE}/access/v1/search/subject`,
      search_resource_endpoint: `${BASE}/access/v1/search/resource`,
      search_action_endpoint: `${BASE}/access/v1/search/action`,
    });
  });
  it('c-6-1 puts the path of a tenant behind the well-known part', async () => {
    const tenant = { baseUrl: `${BASE}/tenant1` };
    const { body } = await get('/.well-known/authzen-configuration/tenant1', tenant);
    expect(body).toMatchObject({
      policy_decision_point: `${BASE}/tenant1`,
      access_evaluation_endpoint: `${BASE}/tenant1/access/v1/evaluation`,
    });
    const endpoint = certificationPdp(tenant);
    expect((await post(endpoint, '/tenant1/access/v1/evaluation', permitted)).body).toStrictEqual({ decision: true });
    expect((await post(endpoint, '/access/v1/evaluation', permitted)).status).toBe(404);
  });
  it('c-6-4 names only what is offered', async () => {
    const { body } = await get('/.well-known/authzen-configuration', { search: {} });
    expect(Object.keys(body as object)).toEqual([
      'policy_decision_point',
      'access_evaluation_endpoint',
      'access_evaluations_endpoint',
    ]);
    const { status } = await post(certificationPdp({ search: {} }), '/access/v1/search/subject', permitted);
    expect(status).toBe(404);
  });
  it('c-6-6 answers 404 where there are no metadata', async () => {
    const { environmentSource } = await import('doorward');
    const { createAuthzenEndpoint } = await import('doorward/authzen');
    const { contractRoles } = await import('doorward/rbac');
    const endpoint = createAuthzenEndpoint({ pdp: contractRoles, environment: environmentSource() });
    const response = await endpoint(new Request(`${BASE}/.well-known/authzen-configuration`));
    expect(response.status).toBe(404);
  });
});
