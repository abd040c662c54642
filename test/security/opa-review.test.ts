import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import {
  allOf,
  allow,
  anyOf,
  environmentSource,
  narrowByScopes,
  type PolicyDecisionPoint,
  shadow,
  withFallback,
} from 'doorward';
import { createGate, json } from 'doorward/http';
import { accessRequestInput, accessRequestInputWithoutTime, createDecisionEndpoint } from 'doorward/opa';
import { toNodeListener } from 'doorward/use/node';
import { describe, expect, it } from 'vitest';
import { answerJson, fakeOpa } from '../opa/fake-opa.ts';
import { asking, closing, request, sleep } from '../opa/support.ts';
import { runningTime } from '../running-time.ts';

const { started, clientOf } = closing();

describe('a crowd that waits for a server that hangs', () => {
  it('is told in one go: a hundred thousand equal questions do not hold up everybody else', async () => {
    const opa = started(await fakeOpa(() => undefined));
    const client = clientOf(opa.url, { timeoutMs: 2_000 });
    const decisions = Array.from({ length: 100_000 }, () => client.decide(request));
    let reasons = new Set<string>();
    const spent = await runningTime(async () => {
      reasons = new Set((await Promise.all(decisions)).map(({ reason }) => reason));
    });
    expect(reasons).toEqual(new Set(['timeout']));
    expect(spent).toBeLessThan(2_000 + 1_500);
  }, 120_000);
});

describe('an input that is not there yet', () => {
  it('asks nothing: a policy that only looks for what must not be there would allow the {} of a promise', async () => {
    const opa = started(
      await fakeOpa((response, { body }) => answerJson({ result: JSON.parse(body).input.blocked !== true })(response)),
    );
    const client = clientOf(opa.url, { input: async () => ({ blocked: true }) });
    expect(await client.decide(request)).toMatchObject({ allowed: false, reason: 'error' });
    expect(opa.calls).toHaveLength(0);
  });
});

describe('an endpoint whose options cannot be meant', () => {
  const pdp = { decide: () => allow('rule') };
  const environment = environmentSource();
  const path = '/v1/data/authz/allow';
  it.each<[string, unknown]>([
    ['token', { pdp, environment, token: undefined }],
    ['token', { pdp, environment, token: null }],
    ['tokens', { pdp, environment, tokens: 'a' }],
    ['pdp', { environment }],
    ['environment', { pdp }],
    ['readInput', { pdp, environment, readInput: 'x' }],
    ['path', { pdp, environment, path: 'authz' }],
    ['path', { pdp, environment, path: `${path}?x` }],
    ['path', { pdp, environment, path: 5 }],
  ])('%s is refused when it is built, and not open to everyone', (field, options) => {
    expect(() => createDecisionEndpoint(options as never)).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', field }),
    );
  });

  it('a request that cannot be read is an error of the server, and no rejection', async () => {
    const readInput = () => {
      throw new Error('secret');
    };
    const response = await createDecisionEndpoint({ pdp, environment, readInput })(
      new Request(`http://policy${path}`, { method: 'POST', body: '{"input":{}}' }),
    );
    expect(response.status).toBe(500);
    expect(await response.text()).not.toContain('secret');
  });
});

describe('a caller of many', () => {
  it('one signal for a thousand decisions makes no warning of leaked listeners', async () => {
    const opa = started(await fakeOpa(answerJson({ result: true })));
    const warnings: unknown[] = [];
    const warned = (warning: Error): void => void warnings.push(warning.name);
    process.on('warning', warned);
    const { signal } = new AbortController();
    const requests = Array.from({ length: 1_000 }, (_, index) => asking(`a${index}`));
    const decisions = await clientOf(opa.url).decideAll(requests, { signal });
    await sleep(10);
    process.off('warning', warned);
    expect(decisions.every(({ allowed }) => allowed)).toBe(true);
    expect(warnings).toEqual([]);
  });
});

describe('a mapper', () => {
  it('reads a long text, where the limit allows one', async () => {
    const opa = started(await fakeOpa(answerJson({ result: { allowed: true, text: 'x"\\'.repeat(1_000_000) } })));
    const client = clientOf(opa.url, {
      maxResponseBytes: 50_000_000,
      timeoutMs: 10_000,
      decision: (result) => ({ allowed: (result as { allowed: boolean }).allowed }),
    });
    expect(await client.decide(request)).toMatchObject({ allowed: true });
  });
});

describe('a request as the input', () => {
  const at = (time: number) => ({ ...request, environment: { ...request.environment, time } });

  it('without its time is remembered and shared, and never said to be at another time', async () => {
    const opa = started(await fakeOpa(answerJson({ result: true })));
    const cache = { maxEntries: 10, ttlMs: 60_000 };
    const [timed, timeless] = [
      clientOf(opa.url, { cache, input: accessRequestInput }),
      clientOf(opa.url, { cache, input: accessRequestInputWithoutTime }),
    ];
    for (const time of [1, 2, 3]) await timed.decide(at(time));
    expect(opa.calls).toHaveLength(3);
    for (const time of [1, 2, 3]) await timeless.decide(at(time));
    expect(opa.calls).toHaveLength(4);
    const { environment, ...rest } = JSON.parse(opa.calls[3]?.body ?? '').input;
    expect(environment).toEqual({ hour: 10 });
    expect(rest).toMatchObject({ subject: { id: 'ada' }, action: 'read', resource: { id: 'd1' } });
  });
});

describe('PDP-15 a caller of the service that goes away while the policy server is asked', () => {
  const yes: PolicyDecisionPoint = { decide: () => allow('rule') };
  it.each<[string, (opa: PolicyDecisionPoint) => PolicyDecisionPoint]>([
    ['alone', (opa) => opa],
    ['anyOf', (opa) => anyOf(opa)],
    ['allOf', (opa) => allOf(yes, opa)],
    ['narrowByScopes', (opa) => narrowByScopes(opa)],
    ['withFallback', (opa) => withFallback(opa, { decide: () => ({ ...allow('rule'), allowed: false }) })],
    ['shadow', (opa) => shadow(opa, yes, { onDivergence: () => undefined })],
  ])('ends the call, and no handler runs: %s', async (_, combined) => {
    const opa = started(await fakeOpa(() => undefined));
    let handled = 0;
    const gate = createGate({
      authenticate: () => ({ ok: true, principal: { id: 'ada', roles: ['viewer'], attributes: {} } }),
      pdp: combined(clientOf(opa.url)),
      decisionTimeoutMs: 60_000,
    });
    const handler = gate.requirePermission('read', () => {
      handled++;
      return json(200, {});
    });
    const server = createServer(toNodeListener((call, info) => handler(call, info)));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    started({
      close: () => {
        server.closeAllConnections();
        return new Promise<void>((resolve) => server.close(() => resolve()));
      },
    });
    const caller = connect((server.address() as AddressInfo).port, '127.0.0.1');
    caller.write('GET / HTTP/1.1\r\nhost: a\r\nauthorization: Bearer a\r\n\r\n');
    await expect.poll(() => opa.calls.length).toBe(1);
    const [carrier] = [...opa.sockets];
    expect(carrier?.destroyed).toBe(false);
    caller.destroy();
    await expect.poll(() => carrier?.destroyed).toBe(true);
    expect(handled).toBe(0);
    expect(opa.calls).toHaveLength(1);
  });
});

describe('a question that is made so that its answer cannot be taken', () => {
  const answers = {
    'is too long': (text: string) => JSON.stringify({ result: { allowed: true, echo: text } }),
    'says a name twice': () => '{"result":{"allowed":true,"allowed":true}}',
  };
  it.each(Object.entries(answers))('does not shut off the server for everybody: it %s', async (_, answer) => {
    const opa = started(
      await fakeOpa((response, { body }) => {
        const { action } = JSON.parse(body).input;
        const text = action === 'read' ? '{"result":{"allowed":true}}' : answer(action);
        response.writeHead(200, { 'content-type': 'application/json' }).end(text);
      }),
    );
    const client = clientOf(opa.url, {
      decision: (result) => ({ allowed: (result as { allowed: boolean }).allowed }),
    });
    for (let times = 0; times < 10; times++)
      expect(await client.decide(asking(`${times}`.padEnd(70_000, 'x')))).toMatchObject({
        allowed: false,
        reason: 'invalid_answer',
      });
    expect(client.state()).toBe('closed');
    expect(await client.decide(request)).toMatchObject({ allowed: true });
  });
});
