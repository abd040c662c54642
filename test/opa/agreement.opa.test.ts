import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type AccessRequest, environmentSource } from 'doorward';
import { contractDecisionPolicy, createPolicyEngine } from 'doorward/abac';
import { createDecisionEndpoint, createOpaClient, type OpaClient } from 'doorward/opa';
import { contractRoles } from 'doorward/rbac';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkPolicies, type RealOpa, startOpa } from './real-opa.ts';

const PATH = '/v1/data/authz/allow';
const NOON = Date.parse('2026-03-02T12:00:00Z');
const engine = createPolicyEngine(contractDecisionPolicy(contractRoles.grants));
const endpoint = createDecisionEndpoint({ pdp: engine, environment: environmentSource({ clock: () => NOON }) });

/** The endpoint on a socket of its own, as a service would run it. */
function served(): Server {
  return createServer((incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', async () => {
      const { method = 'GET', url = '/' } = incoming;
      const body = method === 'GET' ? null : Buffer.concat(chunks);
      const response = await endpoint(new Request(`http://127.0.0.1${url}`, { method, body }));
      outgoing.writeHead(response.status, Object.fromEntries(response.headers)).end(await response.text());
    });
  });
}

let opa: RealOpa;
let own: Server;
let ownUrl: string;
const clients: OpaClient[] = [];
const clientOf = (url: string, options: { readonly path?: string; readonly token?: string } = {}): OpaClient => {
  const client = createOpaClient({ url, timeoutMs: 20_000, ...options });
  clients.push(client);
  return client;
};
beforeAll(async () => {
  opa = await startOpa();
  own = served();
  await new Promise<void>((resolve) => own.listen(0, '127.0.0.1', resolve));
  ownUrl = `http://127.0.0.1:${(own.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await Promise.all(clients.map((client) => client.close()));
  own?.closeAllConnections();
  own?.close();
  await opa?.stop();
});

type Pair = readonly [unknown, unknown];
const ROLES = [
  'admin',
  'editor',
  'viewer',
  'moderator',
  'nobody',
  '',
  'Admin',
  'constructor',
  undefined,
  null,
  ['admin'],
  5,
];
const ACTIONS = ['read', 'delete', 'manage_users', 'READ', undefined, null, ['read']];
const PAIRS: readonly Pair[] = [
  ['a', 'a'],
  ['a', 'b'],
  ['a', 'A'],
  ['', ''],
  ['a', ''],
  [null, null],
  [undefined, undefined],
  ['a', undefined],
  [1, 1],
  [1, '1'],
  [true, true],
  [['a'], ['a']],
  [{}, {}],
];
const HOURS = [8, 9, 12.5, 18, 18.5, 19, -1, '10', null, [10], undefined];

function* grid(): Generator<unknown> {
  for (const role of ROLES)
    for (const action of ACTIONS)
      for (const [id, ownerId] of PAIRS)
        for (const [department, resourceDepartment] of PAIRS)
          for (const sensitivity of ['high', 'low', null])
            for (const hour of sensitivity === 'high' ? HOURS : [10])
              yield {
                user: { id, role, department },
                resource: { id: 'd1', owner_id: ownerId, department: resourceDepartment, sensitivity },
                action,
                environment: { hour },
              };
}
const ODD_INPUTS: readonly unknown[] = [
  {},
  [],
  ['admin'],
  'admin',
  5,
  true,
  { user: null, resource: null, action: null, environment: null },
  { user: 'admin', resource: 'd1' },
  { user: ['admin'], action: 'read' },
  { user: { role: { admin: true } }, action: 'read' },
  { user: { role: 'viewer' }, action: 'read', environment: 'noon' },
  { user: { role: 'admin' }, environment: { hour: {} } },
  { user: { id: 'ä\u0000"\\/😀' }, resource: { owner_id: 'ä\u0000"\\/😀' } },
  { user: { id: 'a\u0308' }, resource: { owner_id: 'ä' } },
  { user: { id: 'constructor' }, resource: { owner_id: '__proto__' } },
  { user: { department: 'a' }, resource: { department: 'a', sensitivity: 'high' } },
];

/** Asks OPA for many inputs in one call; its clock is set to noon. */
async function answersOfOpa(inputs: readonly unknown[]): Promise<readonly boolean[]> {
  const response = await fetch(`${opa.url}/v1/data/bulk/all`, {
    method: 'POST',
    body: JSON.stringify({ input: { batch: inputs } }),
  });
  return ((await response.json()) as { result: boolean[] }).result;
}
const answerOfEndpoint = async (input: unknown): Promise<unknown> => {
  const request = new Request(`http://127.0.0.1${PATH}`, { method: 'POST', body: JSON.stringify({ input }) });
  return ((await (await endpoint(request)).json()) as { result: unknown }).result;
};

describe('a real OPA server with the policy of the contract', () => {
  it('finds no fault with the policy in strict mode', () => {
    expect(checkPolicies()).toBe('');
  });

  it('agrees with the endpoint on 184,548 clean and dirty inputs', async () => {
    const rule = `package bulk\n\nall := [r | some q in input.batch; r := data.authz.allow with input as q with time.now_ns as ${NOON}000000]`;
    const put = await fetch(`${opa.url}/v1/policies/bulk`, { method: 'PUT', body: rule });
    expect(put.status).toBe(200);
    const inputs = [...ODD_INPUTS, ...grid()];
    const differences: unknown[] = [];
    let allowed = 0;
    for (let start = 0; start < inputs.length; start += 500) {
      const batch = inputs.slice(start, start + 500);
      const theirs = await answersOfOpa(batch);
      for (const [index, input] of batch.entries()) {
        const ours = await answerOfEndpoint(input);
        if (ours === true) allowed++;
        if (ours !== theirs[index]) differences.push({ input, ours, theirs: theirs[index] });
      }
    }
    expect(differences.slice(0, 3)).toEqual([]);
    expect(inputs).toHaveLength(ODD_INPUTS.length + 12 * 7 * 13 * 13 * 13);
    expect(allowed).toBeGreaterThan(1_000);
    expect(allowed).toBeLessThan(inputs.length - 1_000);
  }, 120_000);

  it('answers the client as the endpoint does, and as the engine in the process does', async () => {
    const [theirs, ours] = [clientOf(opa.url), clientOf(ownUrl)];
    const text = fc.constantFrom<unknown>('a', 'b', '', 'high', 'low', null, undefined, ['a'], 'read', 'sales');
    const requests = fc.record({
      subject: fc.record({
        id: text,
        roles: fc.array(fc.constantFrom<unknown>('admin', 'editor', 'viewer', 'moderator', 'nobody', null), {
          maxLength: 3,
        }),
        attributes: fc.record({ department: text }),
      }),
      action: fc.constantFrom('read', 'update', 'delete', 'create', 'manage_users', 'READ'),
      resource: fc.record({
        type: fc.constant('document'),
        id: text,
        attributes: fc.record({ owner_id: text, department: text, sensitivity: text }),
      }),
      environment: fc.record({ time: fc.constant(NOON), hour: fc.integer({ min: 0, max: 23 }) }),
    });
    const sample = fc.sample(requests, 3_000) as unknown as AccessRequest[];
    const answers = async (client: OpaClient) => {
      const decisions = await Promise.all(sample.map((request) => client.decide(request)));
      return decisions.map(({ allowed, reason }) => `${allowed} ${reason}`);
    };
    const local = sample.map((request) => (engine.decide(request).allowed ? 'true rule' : 'false no_rule'));
    expect(await answers(theirs)).toEqual(local);
    expect(await answers(ours)).toEqual(local);
    expect(new Set(local).size).toBe(2);
  }, 60_000);
});

describe('what a real OPA server says on the wire', () => {
  const request: AccessRequest = {
    subject: { id: 'ada', roles: ['admin'], attributes: {} },
    action: 'read',
    resource: { type: 'document', attributes: {} },
    environment: { time: NOON },
  };
  const both = async (body: string | null) => {
    const call = async (url: string) => {
      const response = await fetch(url + PATH, { method: 'POST', body });
      return { status: response.status, body: (await response.json()) as { code?: string } };
    };
    return [await call(opa.url), await call(ownUrl)] as const;
  };

  it.each([
    [null],
    ['{}'],
    ['null'],
    ['{"input":null}'],
    ['{"input":{"user":{"role":"admin"}}}'],
    ['{"input":5}'],
    ['{"input":{},"more":1}'],
  ])('the endpoint answers the body %j alike, warning included', async (body) => {
    const [theirs, ours] = await both(body);
    expect(theirs.status).toBe(200);
    expect(ours).toEqual(theirs);
  });

  it.each([['{'], ['[]'], ['5'], ['"x"'], ['{"input":'], ['\u0000']])(
    'the endpoint refuses the body %j alike',
    async (body) => {
      const [theirs, ours] = await both(body);
      expect([theirs.status, theirs.body.code]).toEqual([400, 'invalid_parameter']);
      expect([ours.status, ours.body.code]).toEqual([400, 'invalid_parameter']);
    },
  );

  it('the endpoint is stricter where OPA is lenient', async () => {
    const [theirs, ours] = await both('{"INPUT":{"user":{"role":"admin"}}}');
    expect([theirs.body, ours.body]).toMatchObject([{ result: true }, { result: false }]);
    const [trailing, refused] = await both('{"input":{"user":{"role":"admin"}}} x');
    expect([trailing.status, refused.status]).toEqual([200, 400]);
  });

  it('an allow is an allow', async () => {
    expect(await clientOf(opa.url).decide(request)).toMatchObject({ allowed: true, reason: 'rule' });
  });

  it('PDP-04 a rule that does not exist is undefined, and no answer', async () => {
    for (const path of ['authz/nothing', 'nowhere/allow']) {
      expect(await clientOf(opa.url, { path }).decide(request)).toMatchObject({
        allowed: false,
        reason: 'undefined_decision',
      });
    }
  });

  it('a rule that is no boolean is an invalid answer', async () => {
    expect(await clientOf(opa.url, { path: 'authz' }).decide(request)).toMatchObject({
      allowed: false,
      reason: 'invalid_answer',
    });
  });

  it("a server that asks for a token refuses the client without it, and that is the server's own matter", async () => {
    const guarded = await startOpa('--authentication=token', '--authorization=basic');
    try {
      expect((await fetch(guarded.url + PATH, { method: 'POST', body: '{}' })).status).toBe(401);
      expect(await clientOf(guarded.url).decide(request)).toMatchObject({ allowed: false, reason: 'unavailable' });
      const trusted = clientOf(guarded.url, { token: 'a-token-for-the-test' });
      expect(await trusted.decide(request)).toMatchObject({ allowed: true });
    } finally {
      await guarded.stop();
    }
  });

  it('a server that stops is unavailable', async () => {
    const brief = await startOpa();
    const client = clientOf(brief.url);
    expect((await client.decide(request)).allowed).toBe(true);
    await brief.stop();
    expect(await client.decide(request)).toMatchObject({ allowed: false, reason: 'unavailable' });
  });
});
