import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runningTime } from '../running-time.ts';
import { bearer, type Service, startService } from './harness.ts';

const PATH = '/v1/data/authz/allow';

let service: Service;
let noon: number;
beforeAll(async () => {
  service = await startService();
  noon = Math.floor(service.clock.now / 86_400_000) * 86_400_000 + 12 * 3_600_000;
});
afterAll(() => service.close());

interface Input {
  user?: Record<string, unknown>;
  resource?: Record<string, unknown>;
  action?: unknown;
  environment?: Record<string, unknown>;
}
const decide = async (input: Input, at: Service = service) => at.postJson(PATH, { input });

describe('the policy decision call', () => {
  const user = { id: 'u1', role: 'viewer', department: 'sales' };
  const resource = { id: 'r1', owner_id: 'u2', department: 'sales', sensitivity: 'low' };

  it.each([
    ['rule 1: role admin', { user: { ...user, role: 'admin' }, resource, action: 'manage_users' }, true],
    ['rule 2: the action is in the list of the role', { user, resource, action: 'read' }, true],
    ['rule 2: the action is not in the list of the role', { user, resource, action: 'delete' }, false],
    [
      'rule 3: high, same department, 09',
      { user, resource: { ...resource, sensitivity: 'high' }, action: 'delete', environment: { hour: 9 } },
      true,
    ],
    [
      'rule 3: high, same department, 18',
      { user, resource: { ...resource, sensitivity: 'high' }, action: 'delete', environment: { hour: 18 } },
      true,
    ],
    [
      'rule 3: high, same department, 8',
      { user, resource: { ...resource, sensitivity: 'high' }, action: 'delete', environment: { hour: 8 } },
      false,
    ],
    [
      'rule 3: high, same department, 19',
      { user, resource: { ...resource, sensitivity: 'high' }, action: 'delete', environment: { hour: 19 } },
      false,
    ],
    [
      'rule 3: high, other department, 12',
      {
        user,
        resource: { ...resource, sensitivity: 'high', department: 'hr' },
        action: 'delete',
        environment: { hour: 12 },
      },
      false,
    ],
    ['rule 4: the owner', { user, resource: { ...resource, owner_id: 'u1' }, action: 'delete' }, true],
    ['otherwise', { user: { id: 'u1', role: 'nobody', department: 'sales' }, resource, action: 'read' }, false],
    ['no ids on either side', { user: { role: 'nobody' }, resource: {}, action: 'delete' }, false],
    [
      'null ids on both sides',
      { user: { id: null, role: 'nobody' }, resource: { owner_id: null }, action: 'delete' },
      false,
    ],
  ])('answers %s', async (_, input, result) => {
    const answer = await decide(input);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ result });
  });

  it('takes the hour of the configured zone when the call names none', async () => {
    const sensitive = { user, resource: { ...resource, sensitivity: 'high' }, action: 'delete' };
    service.clock.now = noon;
    expect((await decide(sensitive)).body).toEqual({ result: true });
    service.clock.now = noon + 10 * 3_600_000;
    expect((await decide(sensitive)).body).toEqual({ result: false });
    service.clock.reset();
  });

  it('answers malformed JSON as OPA does', async () => {
    const answer = await service.fetch(PATH, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"input":',
    });
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ code: 'invalid_parameter', message: expect.any(String) });
  });
});

describe('who may call it', () => {
  it('PDP_TOKEN makes it ask for that bearer token', async () => {
    const guarded = await startService({ PDP_TOKEN: 'a-token-for-the-decision-point' });
    expect((await decide({ action: 'read' }, guarded)).status).toBe(401);
    const wrong = await guarded.postJson(PATH, { input: {} }, 'a-token-for-the-decision-poinT');
    expect(wrong.status).toBe(401);
    expect((await guarded.postJson(PATH, { input: {} }, 'a-token-for-the-decision-point')).body).toEqual({
      result: false,
    });
    await guarded.close();
  });

  it('in production it is served only when PDP_TOKEN is set', async () => {
    const production = await startService({ NODE_ENV: 'production' });
    expect((await decide({ action: 'read' }, production)).status).toBe(404);
    await production.close();
  });
});

describe('asking a policy server instead (OPA_URL)', () => {
  let answer: { status: number; type: string; body: string; delayMs: number };
  let asked: unknown[] = [];
  const opa = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      asked.push({ path: request.url, method: request.method, body: JSON.parse(Buffer.concat(chunks).toString()) });
      const { status, type, body, delayMs } = answer;
      setTimeout(() => response.writeHead(status, { 'content-type': type }).end(body), delayMs);
    });
  });
  let remote: Service;
  beforeAll(async () => {
    await new Promise<void>((resolve) => opa.listen(0, '127.0.0.1', resolve));
    remote = await startService({ OPA_URL: `http://127.0.0.1:${(opa.address() as AddressInfo).port}` });
  });
  afterAll(async () => {
    await remote.close();
    opa.closeAllConnections();
    opa.close();
  });
  const read = async (next: Partial<typeof answer>) => {
    asked = [];
    answer = { status: 200, type: 'application/json', body: '{}', delayMs: 0, ...next };
    return remote.fetch('/api/documents/plan', { headers: bearer(await remote.token('viewer')) });
  };

  it('sends the fields of the contract exactly as named, and user.roles and environment beside them', async () => {
    expect((await read({ body: '{"result":true}' })).status).toBe(200);
    expect(asked).toEqual([
      {
        path: PATH,
        method: 'POST',
        body: {
          input: {
            user: { id: expect.any(String), role: 'viewer', department: 'sales', roles: ['viewer'] },
            resource: { id: 'plan', owner_id: expect.any(String), department: 'engineering', sensitivity: 'low' },
            action: 'read',
            environment: { hour: expect.any(Number), ip: '127.0.0.1', user_agent: expect.any(String) },
          },
        },
      },
    ]);
  });

  it('false is 403', async () => {
    expect(await read({ body: '{"result":false}' })).toMatchObject({ status: 403, body: { error: 'Forbidden' } });
  });

  it.each([
    ['an undefined decision', { body: '{}' }],
    ['a string', { body: '{"result":"true"}' }],
    ['an object', { body: '{"result":{"allow":true}}' }],
    ['a number', { body: '{"result":1}' }],
    ['no JSON', { body: 'true', type: 'text/plain' }],
    ['HTML', { status: 502, body: '<html></html>', type: 'text/html' }],
    ['true with status 500', { status: 500, body: '{"result":true}' }],
    ['true with status 201', { status: 201, body: '{"result":true}' }],
    ['an answer over 64 KiB', { body: JSON.stringify({ result: true, pad: 'x'.repeat(70_000) }) }],
  ])('%s is 503 {error}', async (_, next) => {
    expect(await read(next)).toMatchObject({ status: 503, body: { error: 'Service Unavailable' } });
  });

  it('a timeout is 503 within 2.5 seconds', async () => {
    await remote.token('viewer');
    let status: number | undefined;
    const spent = await runningTime(async () => {
      status = (await read({ body: '{"result":true}', delayMs: 5_000 })).status;
    });
    expect(status).toBe(503);
    expect(spent).toBeLessThan(2_500);
  });

  it('a refused connection is 503', async () => {
    const nowhere = await startService({ OPA_URL: 'http://127.0.0.1:1' });
    const answerOfNowhere = await nowhere.fetch('/api/documents/plan', {
      headers: bearer(await nowhere.token('admin')),
    });
    expect(answerOfNowhere).toMatchObject({ status: 503, body: { error: 'Service Unavailable' } });
    await nowhere.close();
  });

  it('asks again with the next role when an account has several, the most privileged first', async () => {
    const { token, id } = await remote.newcomer();
    await remote.fetch(`/api/users/${id}`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json', ...bearer(await remote.token('admin')) },
      body: JSON.stringify({ roles: ['viewer', 'admin', 'moderator'] }),
    });
    asked = [];
    answer = { status: 200, type: 'application/json', body: '{"result":false}', delayMs: 0 };
    expect((await remote.fetch('/api/documents/plan', { headers: bearer(token) })).status).toBe(403);
    const roles = asked.map((call) => (call as { body: { input: { user: { role: string } } } }).body.input.user.role);
    expect(roles).toEqual(['admin', 'moderator', 'viewer']);
  });
});
