import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type AccessRequest, environmentSource } from 'doorward';
import { contractDecisionPolicy, createPolicyEngine } from 'doorward/abac';
import { createDecisionEndpoint, createOpaClient, type OpaClient } from 'doorward/opa';
import { contractRoles } from 'doorward/rbac';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { askFor, putModule } from './ask-opa.ts';
import { decisionCalls, ODD_CALLS } from './decision-calls.ts';
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

/** What the policy written by hand says, and the module made from ours; OPA's clock is set to noon. */
async function answersOfOpa(inputs: readonly unknown[]): Promise<readonly (readonly [boolean, boolean])[]> {
  return (await askFor(opa, 'bulk/all', { batch: inputs })) as readonly (readonly [boolean, boolean])[];
}
const answerOfEndpoint = async (input: unknown): Promise<unknown> => {
  const request = new Request(`http://127.0.0.1${PATH}`, { method: 'POST', body: JSON.stringify({ input }) });
  return ((await (await endpoint(request)).json()) as { result: unknown }).result;
};

describe('a real OPA server with the policy of the contract', () => {
  it('finds no fault with the policy in strict mode', () => {
    expect(checkPolicies()).toBe('');
  });

  it('agrees with the endpoint on 184,564 clean and dirty inputs, and so does the module made from the policy', async () => {
    const clock = `with time.now_ns as ${NOON}000000`;
    await putModule(
      opa,
      'bulk',
      `package bulk

all := [[byHand, made] |
	some call in input.batch
	byHand := data.authz.allow with input as call ${clock}
	made := data.decisions.allow with input as call ${clock}
]`,
    );
    const inputs = [...ODD_CALLS, ...decisionCalls()];
    const differences: unknown[] = [];
    let allowed = 0;
    for (let start = 0; start < inputs.length; start += 500) {
      const batch = inputs.slice(start, start + 500);
      const theirs = await answersOfOpa(batch);
      for (const [index, input] of batch.entries()) {
        const ours = await answerOfEndpoint(input);
        const [byHand, made] = theirs[index] ?? [];
        if (ours === true) allowed++;
        if (ours !== byHand || ours !== made) differences.push({ input, ours, byHand, made });
      }
    }
    expect(differences.slice(0, 3)).toEqual([]);
    expect(inputs).toHaveLength(184_564);
    expect(allowed).toBeGreaterThan(1_000);
    expect(allowed).toBeLessThan(inputs.length - 1_000);
  }, 240_000);

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
