import {
  type AccessRequest,
  allow,
  askAll,
  type Decision,
  deny,
  isPromise,
  type PolicyDecisionPoint,
  withFallback,
} from 'doorward';
import { describe, expect, it } from 'vitest';

const request: AccessRequest = {
  subject: { id: 'ada', roles: [], attributes: {} },
  action: 'read',
  resource: { type: 'document', attributes: {} },
  environment: { time: 0 },
};
const says = (decision: unknown): PolicyDecisionPoint => ({ decide: () => decision as Decision });
const throws: PolicyDecisionPoint = {
  decide: () => {
    throw new Error('broken');
  },
};

describe('withFallback', () => {
  it('a plain "no" is an answer', async () => {
    for (const no of [
      deny('no_rule'),
      deny('rule'),
      deny('insufficient_scope'),
      Promise.resolve(deny('no_permission')),
    ]) {
      expect((await withFallback(says(no), says(allow('rule'))).decide(request)).allowed).toBe(false);
    }
  });

  it.each(['error', 'timeout', 'unavailable', 'undefined_decision', 'invalid_answer'] as const)(
    'where the first has no answer (%s) the second decides',
    async (reason) => {
      expect(withFallback(says(deny(reason)), says(allow('rule'))).decide(request)).toEqual(allow('rule'));
      const remote = says(Promise.resolve(deny(reason)));
      expect(await withFallback(remote, says(allow('rule'))).decide(request)).toEqual(allow('rule'));
      expect(await withFallback(remote, says(deny('no_rule'))).decide(request)).toEqual(deny('no_rule'));
    },
  );

  it('a first that throws, rejects or is late is no answer either', async () => {
    expect(withFallback(throws, says(allow('rule'))).decide(request)).toEqual(allow('rule'));
    const rejects = says(Promise.reject(new Error('broken')));
    expect(await withFallback(rejects, says(allow('rule'))).decide(request)).toEqual(allow('rule'));
    const hangs = says(new Promise(() => {}));
    expect(await withFallback(hangs, says(allow('rule')), 10).decide(request)).toEqual(allow('rule'));
  });

  it('without any answer it denies', () => {
    expect(withFallback(throws, throws).decide(request)).toEqual(deny('error'));
  });

  it('refuses what cannot decide, which nobody would notice before it is asked', () => {
    const engine = says(allow('rule'));
    for (const none of [
      undefined,
      null,
      {},
      { decide: true },
      () => allow('rule'),
    ] as unknown as PolicyDecisionPoint[]) {
      expect(() => withFallback(none, engine)).toThrow(
        expect.objectContaining({ code: 'CONFIG_INVALID', field: 'first' }),
      );
      expect(() => withFallback(engine, none)).toThrow(expect.objectContaining({ field: 'fallback' }));
    }
  });

  it('stays synchronous where its points are', () => {
    expect(isPromise(withFallback(says(deny('timeout')), says(allow('rule'))).decide(request))).toBe(false);
  });
});

describe('askAll', () => {
  const three = [request, { ...request, action: 'update' }, { ...request, action: 'delete' }];
  const byAction: PolicyDecisionPoint = {
    decide: ({ action }) => (action === 'update' ? deny('no_rule') : allow('rule')),
  };
  const expected = [allow('rule'), deny('no_rule'), allow('rule')];

  it('asks one by one where the point cannot do more', async () => {
    expect(askAll(byAction, three)).toEqual(expected);
    const remote: PolicyDecisionPoint = { decide: async (one) => byAction.decide(one) };
    expect(await askAll(remote, three)).toEqual(expected);
    expect(askAll(throws, three)).toEqual([deny('error'), deny('error'), deny('error')]);
  });

  it('asks once where it can', async () => {
    const batch: PolicyDecisionPoint = {
      ...throws,
      decideAll: (requests) => requests.map((one) => byAction.decide(one) as Decision),
    };
    expect(askAll(batch, three)).toEqual(expected);
    const remote: PolicyDecisionPoint = {
      ...throws,
      decideAll: async (requests) => requests.map((one) => byAction.decide(one) as Decision),
    };
    expect(await askAll(remote, three, 1_000)).toEqual(expected);
  });

  it.each<[string, () => unknown]>([
    ['too few answers', () => [allow('rule'), allow('rule')]],
    ['too many answers', () => [allow('rule'), allow('rule'), allow('rule'), allow('rule')]],
    ['no list', () => ({ length: 3, 0: allow('rule'), 1: allow('rule'), 2: allow('rule') })],
    ['holes', () => new Array(3)],
    ['an answer that is none', () => ['yes', true, { allowed: 'true' }]],
    ['inherited answers', () => [0, 1, 2].map(() => Object.create(allow('rule')))],
    [
      'a throw',
      () => {
        throw new Error('broken');
      },
    ],
    ['a rejection', () => Promise.reject(new Error('broken'))],
    ['too few later', () => Promise.resolve([allow('rule')])],
  ])('%s: denials, nothing else', async (_, decideAll) => {
    const point = { ...throws, decideAll } as PolicyDecisionPoint;
    expect(await askAll(point, three)).toEqual([deny('error'), deny('error'), deny('error')]);
  });

  it('what comes too late is a timeout', async () => {
    const hangs: PolicyDecisionPoint = { ...throws, decideAll: () => new Promise(() => {}) };
    expect(await askAll(hangs, three, 10)).toEqual([deny('timeout'), deny('timeout'), deny('timeout')]);
  });
});
