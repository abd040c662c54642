import type { ServerResponse } from 'node:http';
import type { Decision } from 'doorward';
import { describe, expect, it } from 'vitest';
import { answerJson, fakeOpa, rawOpa } from './fake-opa.ts';
import { asking, closing, heldTime, request, sleep } from './support.ts';

const { started, clientOf } = closing();

/** A server that answers when it is told to. */
async function patientOpa() {
  const held: ServerResponse[] = [];
  const opa = started(await fakeOpa((response) => void held.push(response)));
  return {
    opa,
    arrived: (count: number) => expect.poll(() => held.length).toBe(count),
    answer: (body: unknown) => {
      for (const response of held.splice(0)) answerJson(body)(response);
    },
  };
}

describe('equal questions at the same time', () => {
  it('share one call and its answer', async () => {
    const { opa, arrived, answer } = await patientOpa();
    const client = clientOf(opa.url);
    const decisions = Array.from({ length: 100 }, () => client.decide(structuredClone(request)));
    await arrived(1);
    answer({ result: true, decision_id: 'one' });
    for (const decision of await Promise.all(decisions)) expect(decision).toMatchObject({ allowed: true, id: 'one' });
    expect(opa.calls).toHaveLength(1);
  });

  it('an answer that several get cannot be changed by one of them', async () => {
    const { opa, arrived, answer } = await patientOpa();
    const client = clientOf(opa.url);
    const both = [client.decide(request), client.decide(request)] as const;
    await arrived(1);
    answer({ result: false });
    const [mine, theirs] = await Promise.all(both);
    expect(() => Object.assign(mine as { allowed: boolean }, { allowed: true })).toThrow(TypeError);
    expect(theirs.allowed).toBe(false);
  });

  it('are asked one by one when it is switched off, and once the answer was there', async () => {
    const opa = started(await fakeOpa(answerJson({ result: true })));
    const apart = clientOf(opa.url, { singleFlight: false });
    await Promise.all([apart.decide(request), apart.decide(request)]);
    expect(opa.calls).toHaveLength(2);
    const client = clientOf(opa.url);
    await client.decide(request);
    await client.decide(request);
    expect(opa.calls).toHaveLength(4);
  });

  it('only wholly equal questions are equal: no two texts that join to the same one', async () => {
    const opa = started(
      await fakeOpa((response, { body }) => answerJson({ result: body.includes('"alice"') })(response)),
    );
    const client = clientOf(opa.url, { cache: { maxEntries: 10, ttlMs: 60_000 } });
    const of = (id: string, resource: string) => ({
      ...request,
      subject: { ...request.subject, id },
      resource: { type: 'document', id: resource, attributes: {} },
    });
    const pairs = [
      ['alice', 'doc$$x'],
      ['alice$$doc', 'x'],
      ['alice","role":"admin', 'x'],
      ['alice\\', '"x'],
    ] as const;
    const ask = () => Promise.all(pairs.map(([id, resource]) => client.decide(of(id, resource))));
    const allowed = (decisions: readonly Decision[]) => decisions.map((decision) => decision.allowed);
    expect(allowed(await ask())).toEqual([true, false, false, false]);
    expect(allowed(await ask())).toEqual([true, false, false, false]);
    expect(opa.calls).toHaveLength(4);
  });

  it('a failure is shared, and the next question is a new one', async () => {
    let calls = 0;
    const opa = started(
      await fakeOpa((response) => {
        calls++;
        if (calls === 1) setTimeout(() => response.socket?.destroy(), 20);
        else answerJson({ result: true })(response);
      }),
    );
    const client = clientOf(opa.url);
    const decisions = await Promise.all([client.decide(request), client.decide(request)]);
    expect(decisions.map(({ reason }) => reason)).toEqual(['unavailable', 'unavailable']);
    expect((await client.decide(request)).allowed).toBe(true);
  });

  it('each has its own deadline, and the call lives as long as anybody waits', async () => {
    const { opa, arrived, answer } = await patientOpa();
    const time = heldTime();
    const client = clientOf(opa.url, { timeoutMs: 100 });
    const early = client.decide(request);
    await arrived(1);
    time.pass(20);
    const late = client.decide(request);
    time.pass(80);
    expect(await early).toMatchObject({ reason: 'timeout' });
    answer({ result: true });
    expect(await late).toMatchObject({ allowed: true });
    expect(opa.calls).toHaveLength(1);
  });

  it('a call that hangs does not take along those who come later', async () => {
    let calls = 0;
    const opa = started(
      await fakeOpa((response) => {
        calls++;
        if (calls > 1) answerJson({ result: true })(response);
      }),
    );
    const time = heldTime();
    const client = clientOf(opa.url, { timeoutMs: 100 });
    const hanging = client.decide(request);
    time.pass(25);
    expect(await client.decide(request)).toMatchObject({ allowed: true });
    time.pass(75);
    expect(await hanging).toMatchObject({ reason: 'timeout' });
  });

  it('clear keeps later questions from a call that is under way', async () => {
    const { opa, arrived, answer } = await patientOpa();
    const client = clientOf(opa.url);
    const before = client.decide(request);
    await arrived(1);
    client.clear();
    const after = client.decide(request);
    await arrived(2);
    answer({ result: true });
    expect((await before).allowed && (await after).allowed).toBe(true);
  });
});

describe('PDP-15 a caller that goes away', () => {
  it('ends the call when nobody else waits for it', async () => {
    const { opa, arrived } = await patientOpa();
    const client = clientOf(opa.url);
    const [first, second] = [new AbortController(), new AbortController()];
    const decisions = [client.decide(request, first), client.decide(request, second)];
    await arrived(1);
    const [carrier] = [...opa.sockets];
    first.abort();
    expect(await decisions[0]).toMatchObject({ allowed: false, reason: 'unavailable' });
    await sleep(30);
    expect(carrier?.destroyed).toBe(false);
    second.abort();
    expect(await decisions[1]).toMatchObject({ allowed: false, reason: 'unavailable' });
    await expect.poll(() => carrier?.destroyed).toBe(true);
    expect(opa.calls).toHaveLength(1);
    expect(client.state()).toBe('closed');
  });

  it('asks nothing when it was gone before, and an abort after the answer changes nothing', async () => {
    const opa = started(await fakeOpa(answerJson({ result: true })));
    const client = clientOf(opa.url);
    expect(await client.decide(request, { signal: AbortSignal.abort() })).toMatchObject({ reason: 'unavailable' });
    expect(opa.calls).toHaveLength(0);
    const gone = new AbortController();
    const decision = await client.decide(request, gone);
    gone.abort();
    expect(decision.allowed).toBe(true);
    expect((await client.decide(request)).allowed).toBe(true);
  });

  it('a call that still waits for a connection is never sent', async () => {
    let arrived = 0;
    const opa = started(await rawOpa(() => void arrived++));
    const time = heldTime();
    const client = clientOf(opa.url, { connections: 1, timeoutMs: 50 });
    const gone = new AbortController();
    const decisions = [client.decide(asking('a')), client.decide(asking('b'), gone)];
    await expect.poll(() => arrived).toBe(1);
    gone.abort();
    await decisions[1];
    time.pass(50);
    await Promise.all(decisions);
    await sleep(50);
    expect(arrived).toBe(1);
  });
});
