import { type AccessRequest, allow, type Decision, type Divergence, deny, isPromise, shadow } from 'doorward';
import { afterEach, describe, expect, it, vi } from 'vitest';

const request: AccessRequest = {
  subject: { id: 'ada', roles: [], attributes: {} },
  action: 'read',
  resource: { type: 'document', attributes: {} },
  environment: { time: 0 },
};
const says = (decision: Decision | Promise<Decision>) => ({ decide: () => decision });
afterEach(() => void vi.useRealTimers());
const settled = () => new Promise((resolve) => setTimeout(resolve, 30));

describe('shadow', () => {
  it('obeys the first at once and tells of a second that differs', async () => {
    const heard: Divergence[] = [];
    const pdp = shadow(says(deny('no_rule')), says(Promise.resolve(allow('rule'))), {
      onDivergence: (divergence) => heard.push(divergence),
    });
    const decision = pdp.decide(request);
    expect(isPromise(decision)).toBe(false);
    expect(decision).toEqual(deny('no_rule'));
    expect(heard).toEqual([]);
    await settled();
    expect(heard).toEqual([{ request, decision: deny('no_rule'), shadow: allow('rule') }]);
  });

  it('says nothing where both agree', async () => {
    const heard: Divergence[] = [];
    const pdp = shadow(says(Promise.resolve(allow('rule'))), says(allow('permission')), {
      onDivergence: (divergence) => heard.push(divergence),
    });
    expect((await pdp.decide(request)).allowed).toBe(true);
    await settled();
    expect(heard).toEqual([]);
  });

  it.each<[string, () => never | Promise<Decision> | Decision, string]>([
    [
      'throws',
      () => {
        throw new Error('broken');
      },
      'error',
    ],
    ['rejects', () => Promise.reject(new Error('broken')), 'error'],
    ['never answers', () => new Promise<Decision>(() => {}), 'timeout'],
    ['answers "yes"', () => 'yes' as unknown as Decision, 'error'],
  ])('a shadow that %s changes nothing and is told of', async (_, decide, reason) => {
    const heard: Divergence[] = [];
    const pdp = shadow(says(allow('rule')), { decide }, { timeoutMs: 10, onDivergence: (one) => heard.push(one) });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    expect(pdp.decide(request)).toEqual(allow('rule'));
    await vi.advanceTimersByTimeAsync(10);
    expect(heard.map(({ shadow: other }) => other.reason)).toEqual([reason]);
  });

  it('an obeyed point that throws denies, whatever its shadow says', async () => {
    const pdp = shadow(
      {
        decide: () => {
          throw new Error('broken');
        },
      },
      says(allow('rule')),
      {
        onDivergence: () => {
          throw new Error('a listener that throws');
        },
      },
    );
    expect(pdp.decide(request)).toEqual(deny('error'));
    await settled();
  });

  it('compares no more than it is told to at once', async () => {
    let asked = 0;
    const slow = {
      decide: () => {
        asked++;
        return new Promise<Decision>((resolve) => setTimeout(resolve, 20, allow('rule')));
      },
    };
    const pdp = shadow(says(allow('rule')), slow, { maxPending: 3, onDivergence: () => {} });
    for (let i = 0; i < 10; i++) void pdp.decide(request);
    await settled();
    expect(asked).toBe(3);
    void pdp.decide(request);
    await settled();
    expect(asked).toBe(4);
  });

  it.each([[{ timeoutMs: 0 }], [{ maxPending: 1.5 }], [{ timeoutMs: Number.NaN }]])('refuses %j', (options) => {
    const make = () => shadow(says(deny('rule')), says(deny('rule')), { onDivergence: () => {}, ...options });
    expect(make).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID', field: Object.keys(options)[0] }));
  });

  it('refuses what cannot decide', () => {
    const options = { onDivergence: () => {} };
    expect(() => shadow({} as never, says(deny('rule')), options)).toThrow(
      expect.objectContaining({ field: 'obeyed' }),
    );
    expect(() => shadow(says(deny('rule')), undefined as never, options)).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', field: 'compared' }),
    );
  });
});
