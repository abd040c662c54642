import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { ServerResponse } from 'node:http';
import { AUDIT_CHANNEL, type AuditEvent } from 'doorward';
import type { OpaClientOptions } from 'doorward/opa';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { answerJson, fakeOpa } from './fake-opa.ts';
import { asking, closing, heldTime, request, sleep } from './support.ts';

const { started, clientOf } = closing();
const events: AuditEvent[] = [];
const gather = (event: unknown) => void events.push(event as AuditEvent);
beforeEach(() => {
  events.length = 0;
  subscribe(AUDIT_CHANNEL, gather);
});
afterEach(() => void unsubscribe(AUDIT_CHANNEL, gather));

type Act = (response: ServerResponse) => void;
const isWell: Act = answerJson({ result: true });
const breaks: Act = (response) => void response.socket?.destroy();

async function circuit(act: Act, options: Partial<OpaClientOptions> = {}) {
  const now = { act, time: 0 };
  const opa = started(await fakeOpa((response) => now.act(response)));
  const client = clientOf(opa.url, { clock: () => now.time, ...options });
  const ask = async (times: number) => {
    const reasons: string[] = [];
    for (let index = 0; index < times; index++) reasons.push((await client.decide(asking(`a${index}`))).reason);
    return reasons;
  };
  return { now, opa, client, ask };
}

describe('PDP-16 the circuit', () => {
  it.each<[string, Act]>([
    ['closes the connection', breaks],
    ['says 503', answerJson({ code: 'x' }, 503)],
    ['says 500 in a page', (response) => response.writeHead(500, { 'content-type': 'text/html' }).end('<html>')],
    ['answers with a page', (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>')],
    ['redirects', (response) => response.writeHead(302, { location: 'http://127.0.0.1/' }).end()],
    ['answers without an end', (response) => response.writeHead(200).end('x'.repeat(70_000))],
  ])('opens after five failures of a server that %s, and then asks nothing', async (_, act) => {
    const { opa, client, ask } = await circuit(act);
    await ask(4);
    expect(client.state()).toBe('closed');
    await ask(1);
    expect(client.state()).toBe('open');
    expect(new Set(await ask(500))).toEqual(new Set(['unavailable']));
    expect(opa.calls).toHaveLength(5);
  });

  it('opens when a server does not answer in time', async () => {
    const time = heldTime();
    const { opa, client } = await circuit(() => undefined, { timeoutMs: 50 });
    const decisions = Array.from({ length: 5 }, (_, index) => client.decide(asking(`a${index}`)));
    await expect.poll(() => opa.calls.length).toBe(5);
    time.pass(50);
    await Promise.all(decisions);
    expect(client.state()).toBe('open');
    expect(await client.decide(request)).toMatchObject({ reason: 'unavailable' });
    expect(opa.calls).toHaveLength(5);
  });

  it.each<[string, Act]>([
    ['a no', answerJson({ result: false })],
    ['nothing', answerJson({})],
    ['a text', answerJson({ result: 'true' })],
    ['400', answerJson({ code: 'invalid_parameter', message: 'x' }, 400)],
    ['401', answerJson({ code: 'unauthorized', message: 'x' }, 401)],
    ['404', answerJson({ code: 'undefined_document' }, 404)],
    ['an error about this one question', answerJson({ code: 'internal_error', message: 'x' }, 500)],
  ])('%s is an answer and does not open it', async (_, act) => {
    const { opa, client, ask } = await circuit(act);
    await ask(10);
    expect(client.state()).toBe('closed');
    expect(opa.calls).toHaveLength(10);
  });

  it('an answer in between starts the count anew', async () => {
    const { now, client, ask } = await circuit(breaks);
    await ask(4);
    now.act = answerJson({ result: false });
    await ask(1);
    now.act = breaks;
    await ask(4);
    expect(client.state()).toBe('closed');
  });

  it('lets one question a second through, and closes after one answer', async () => {
    const { now, opa, client, ask } = await circuit(breaks);
    await ask(5);
    now.time += 999;
    await ask(10);
    expect(opa.calls).toHaveLength(5);
    now.time += 1;
    await ask(10);
    expect(opa.calls).toHaveLength(6);
    now.act = isWell;
    now.time += 1_000;
    expect(await ask(3)).toEqual(['rule', 'rule', 'rule']);
    expect(client.state()).toBe('closed');
    expect(opa.calls).toHaveLength(9);
  });

  it('a probe whose caller goes away does not keep it open for ever', async () => {
    const { now, client, ask } = await circuit(breaks);
    await ask(5);
    now.act = () => undefined;
    now.time += 1_000;
    const gone = new AbortController();
    const probe = client.decide(request, gone);
    await sleep(20);
    gone.abort();
    await probe;
    now.act = isWell;
    now.time += 1_000;
    expect((await client.decide(request)).allowed).toBe(true);
    expect(client.state()).toBe('closed');
  });

  it('a clock that is set back does not keep it open', async () => {
    const { now, client, ask } = await circuit(breaks);
    now.time = 10_000_000;
    await ask(5);
    now.act = isWell;
    now.time = 0;
    expect((await client.decide(request)).allowed).toBe(true);
  });

  it('failures of calls from before the recovery do not open it again', async () => {
    const held: ServerResponse[] = [];
    const { now, client, ask } = await circuit((response) => void held.push(response));
    const old = Array.from({ length: 20 }, (_, index) => client.decide(asking(`old${index}`)));
    await expect.poll(() => held.length).toBe(20);
    now.act = breaks;
    await ask(5);
    expect(client.state()).toBe('open');
    now.act = isWell;
    now.time += 1_000;
    expect(await ask(1)).toEqual(['rule']);
    for (const response of held) response.socket?.destroy();
    await Promise.all(old);
    expect(client.state()).toBe('closed');
  });

  it('tells when it opens and closes, without what was asked', async () => {
    const { now, opa, ask } = await circuit(breaks);
    await ask(5);
    now.act = isWell;
    now.time += 1_000;
    await ask(1);
    const source = `${opa.url}/v1/data/authz/allow`;
    expect(events).toEqual([
      ...Array(4).fill({ type: 'pdp.failed', source, reason: 'connection' }),
      { type: 'pdp.failed', source, reason: 'circuit_open' },
      { type: 'pdp.failed', source, reason: 'connection' },
      { type: 'pdp.recovered', source },
    ]);
  });

  it('PDP-04 nothing, and a warning, are told too', async () => {
    const { opa, ask } = await circuit(answerJson({ warning: { code: 'api_usage_warning', message: 'x' } }));
    await ask(1);
    const source = `${opa.url}/v1/data/authz/allow`;
    expect(events).toEqual([
      { type: 'pdp.warning', source, reason: 'api_usage_warning' },
      { type: 'pdp.failed', source, reason: 'undefined_decision' },
    ]);
  });

  it('can be switched off, and set', async () => {
    const opa = started(await fakeOpa(breaks));
    const never = clientOf(opa.url, { circuitBreaker: false });
    for (let index = 0; index < 10; index++) await never.decide(request);
    expect(never.state()).toBe('closed');
    const once = clientOf(opa.url, { circuitBreaker: { failures: 1 } });
    await once.decide(request);
    expect(once.state()).toBe('open');
    expect(() => clientOf(opa.url, { circuitBreaker: { failures: 0 } })).toThrow('circuitBreaker.failures');
    expect(() => clientOf(opa.url, { circuitBreaker: { probeMs: -1 } })).toThrow('circuitBreaker.probeMs');
  });
});
