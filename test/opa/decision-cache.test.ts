import { allow, type Decision } from 'doorward';
import { describe, expect, it } from 'vitest';
import { decisionCache } from '../../src/opa/decision-cache.ts';
import { answerJson, fakeOpa } from './fake-opa.ts';
import { asking, closing, request } from './support.ts';

const { started, clientOf } = closing();

async function cachedOpa(
  answer: (body: string) => unknown,
  cache: { maxEntries?: number; revision?: () => string } = {},
) {
  let time = 1_000_000;
  const opa = started(await fakeOpa((response, { body }) => answerJson(answer(body))(response)));
  const client = clientOf(opa.url, {
    cache: { maxEntries: 100, ttlMs: 5_000, ...cache },
    clock: () => time,
    decision: (result) => (typeof result === 'boolean' ? { allowed: result } : (result as { allowed: boolean })),
  });
  const pass = (ms: number): void => {
    time += ms;
  };
  return { opa, client, pass };
}

describe('PDP-14 the cache', () => {
  it('is off unless asked for', async () => {
    const opa = started(await fakeOpa(answerJson({ result: true })));
    const client = clientOf(opa.url);
    for (let times = 0; times < 3; times++) await client.decide(request);
    expect(opa.calls).toHaveLength(3);
  });

  it.each([true, false])('keeps an answer of %s until its time is up', async (result) => {
    const { opa, client, pass } = await cachedOpa(() => ({ result }));
    await client.decide(request);
    pass(4_999);
    expect((await client.decide(request)).allowed).toBe(result);
    expect(opa.calls).toHaveLength(1);
    pass(1);
    await client.decide(request);
    expect(opa.calls).toHaveLength(2);
  });

  it('another resource, role, attribute or hour is another question', async () => {
    const { opa, client } = await cachedOpa((body) => ({ result: body.includes('"d1"') && body.includes('"viewer"') }));
    const decisions: Decision[] = [];
    for (const asked of [
      request,
      { ...request, resource: { ...request.resource, id: 'd2' } },
      { ...request, subject: { ...request.subject, roles: ['guest'] } },
      { ...request, subject: { ...request.subject, attributes: { department: 'hr' } } },
      { ...request, environment: { time: 0, hour: 11 } },
    ])
      decisions.push(await client.decide(asked));
    expect(decisions.map(({ allowed }) => allowed)).toEqual([true, false, false, true, true]);
    expect(opa.calls).toHaveLength(5);
  });

  it.each<[string, unknown]>([
    ['nothing', {}],
    ['a text', { result: 'true' }],
    ['null', { result: null }],
  ])('never keeps %s', async (_, body) => {
    let isWell = false;
    const { client } = await cachedOpa(() => (isWell ? { result: true } : body));
    expect((await client.decide(request)).allowed).toBe(false);
    isWell = true;
    expect((await client.decide(request)).allowed).toBe(true);
  });

  it('never keeps an error of the server, even one that carries a result', async () => {
    let status = 500;
    const opa = started(await fakeOpa((response) => answerJson({ result: status === 200 }, status)(response)));
    const client = clientOf(opa.url, { cache: { maxEntries: 10, ttlMs: 60_000 } });
    expect((await client.decide(request)).reason).toBe('unavailable');
    status = 200;
    expect((await client.decide(request)).allowed).toBe(true);
  });

  it('keeps an answer no longer than it says that it is good', async () => {
    const { opa, client, pass } = await cachedOpa(() => ({ result: { allowed: true, validUntil: 1_002_000 } }));
    expect(await client.decide(request)).toMatchObject({ allowed: true, validUntil: 1_002_000 });
    pass(1_999);
    await client.decide(request);
    expect(opa.calls).toHaveLength(1);
    pass(1);
    await client.decide(request);
    expect(opa.calls).toHaveLength(2);
  });

  it('counts from the question, not from the answer', async () => {
    let time = 0;
    const opa = started(
      await fakeOpa((response) => {
        time += 4_000;
        answerJson({ result: true })(response);
      }),
    );
    const client = clientOf(opa.url, { cache: { maxEntries: 10, ttlMs: 5_000 }, clock: () => time });
    await client.decide(request);
    time += 1_000;
    await client.decide(request);
    expect(opa.calls).toHaveLength(2);
  });

  it('a clock that is set back makes nothing live longer', async () => {
    const { opa, client, pass } = await cachedOpa(() => ({ result: true }));
    await client.decide(request);
    pass(-1);
    await client.decide(request);
    expect(opa.calls).toHaveLength(2);
  });

  it('forgets all when the revision changes, when it cannot be told, and by clear', async () => {
    let revision: string | Error = 'one';
    const { opa, client } = await cachedOpa(() => ({ result: true }), {
      revision: () => {
        if (revision instanceof Error) throw revision;
        return revision;
      },
    });
    await client.decide(request);
    await client.decide(request);
    expect(opa.calls).toHaveLength(1);
    revision = 'two';
    await client.decide(request);
    expect(opa.calls).toHaveLength(2);
    client.clear();
    await client.decide(request);
    expect(opa.calls).toHaveLength(3);
    revision = new Error('unknown');
    await client.decide(request);
    await client.decide(request);
    expect(opa.calls).toHaveLength(5);
  });

  it('an answer that was asked for before the change is not kept after it', async () => {
    const held: (() => void)[] = [];
    const opa = started(await fakeOpa((response) => void held.push(() => answerJson({ result: true })(response))));
    const client = clientOf(opa.url, { cache: { maxEntries: 10, ttlMs: 60_000 } });
    const before = client.decide(request);
    await expect.poll(() => held.length).toBe(1);
    client.clear();
    for (const answer of held.splice(0)) answer();
    expect((await before).allowed).toBe(true);
    const after = client.decide(request);
    await expect.poll(() => held.length).toBe(1);
    for (const answer of held.splice(0)) answer();
    await after;
    expect(opa.calls).toHaveLength(2);
  });

  it('is bounded: the least recently used goes first', async () => {
    const { opa, client } = await cachedOpa(() => ({ result: true }), { maxEntries: 2 });
    const ask = async (action: string) => {
      const before = opa.calls.length;
      await client.decide(asking(action));
      return opa.calls.length > before ? 'asked' : 'known';
    };
    expect([await ask('a'), await ask('b'), await ask('a'), await ask('c'), await ask('a'), await ask('b')]).toEqual([
      'asked',
      'asked',
      'known',
      'asked',
      'known',
      'asked',
    ]);
  });

  it('stays bounded over a million questions', () => {
    const cache = decisionCache({
      maxEntries: 1_000,
      ttlMs: 60_000,
      revision: undefined,
      clock: () => 0,
      onForget: () => undefined,
    });
    const isKept = (index: number) => cache.find(`question ${index}`) !== undefined;
    let kept = 0;
    for (let index = 0; index < 1_000_000; index++) {
      cache.keeping(`question ${index}`, () => undefined)(allow('rule'));
      if (isKept(index - 1_000)) kept++;
    }
    expect(kept).toBe(0);
    expect(Array.from({ length: 2_000 }, (_, index) => isKept(999_999 - index)).filter(Boolean)).toHaveLength(1_000);
  });

  it('does not keep a question that is very long', async () => {
    const { opa, client } = await cachedOpa(() => ({ result: true }));
    await client.decide(asking('x'.repeat(9_000)));
    await client.decide(asking('x'.repeat(9_000)));
    expect(opa.calls).toHaveLength(2);
  });

  it('several roles: each answer is kept by itself', async () => {
    const { opa, client } = await cachedOpa((body) => ({ result: body.includes('"role":"editor"') }));
    const asked = { ...request, subject: { ...request.subject, roles: ['viewer', 'editor'] } };
    expect((await client.decide(asked)).allowed).toBe(true);
    expect((await client.decide(asked)).allowed).toBe(true);
    expect(opa.calls).toHaveLength(2);
  });

  it.each<[string, unknown]>([
    ['cache.maxEntries', { maxEntries: 0, ttlMs: 1 }],
    ['cache.maxEntries', { ttlMs: 1 }],
    ['cache.ttlMs', { maxEntries: 1, ttlMs: Infinity }],
    ['cache.revision', { maxEntries: 1, ttlMs: 1, revision: 'one' }],
    ['ttl', { maxEntries: 1, ttl: 1 }],
  ])('%s is checked', (field, cache) => {
    expect(() => clientOf('http://policy', { cache: cache as never })).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', field }),
    );
  });
});
