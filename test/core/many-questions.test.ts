import {
  type AccessRequest,
  allOf,
  allow,
  anyOf,
  askAll,
  type Decision,
  deny,
  isPromise,
  narrowByScopes,
  type PolicyDecisionPoint,
  shadow,
  withFallback,
} from 'doorward';
import { createPolicyEngine, policy, rule } from 'doorward/abac';
import { contractRoles } from 'doorward/rbac';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

const engine = createPolicyEngine(policy('p', [rule.allow('all', 'always')]));
const local: PolicyDecisionPoint = { isSynchronous: true, decide: () => allow('rule') };
const remote: PolicyDecisionPoint = {
  decide: async () => allow('rule'),
  decideAll: async (all) => all.map(() => allow('rule')),
};
const oneByOne: PolicyDecisionPoint = { decide: async () => allow('rule') };
const onDivergence = (): void => {};

const requestFor = (action: string, scopes?: readonly string[]): AccessRequest => ({
  subject: { id: 'ada', roles: [], attributes: {}, ...(scopes && { scopes }) },
  action,
  resource: { type: 'a', attributes: {} },
  environment: { time: 0 },
});

describe('a decision point says that it answers at once', () => {
  it.each<[string, PolicyDecisionPoint]>([
    ['a role table', contractRoles],
    ['a policy engine', engine],
    ['a role table that scopes narrow', narrowByScopes(contractRoles)],
    ['the first of two', anyOf(contractRoles, engine)],
    ['all of two', allOf(contractRoles, engine)],
    ['nobody at all', anyOf()],
    ['a fallback of two that do', withFallback(engine, contractRoles)],
    ['what is compared with a remote one', shadow(engine, remote, { onDivergence })],
  ])('%s', (_, point) => {
    expect(point.isSynchronous).toBe(true);
    expect(isPromise(point.decide(requestFor('read')))).toBe(false);
  });

  it.each<[string, PolicyDecisionPoint]>([
    ['a remote one that scopes narrow', narrowByScopes(remote)],
    ['one of which does not', anyOf(local, remote)],
    ['all, one of which does not', allOf(remote, local)],
    ['with a fallback that does not', withFallback(local, remote)],
    ['that falls back from one that does not', withFallback(remote, local)],
    ['a remote one that is obeyed', shadow(remote, local, { onDivergence })],
    ['one that only seems to', anyOf({ ...local, isSynchronous: 1 as never })],
  ])('and does not: %s', (_, point) => {
    expect(point.isSynchronous).toBeUndefined();
  });
});

describe('several decision points in one', () => {
  it('are no decision point when one of them is none', () => {
    for (const combine of [anyOf, allOf]) {
      expect(() => combine(local, undefined as never)).toThrow(
        expect.objectContaining({ code: 'CONFIG_INVALID', field: 'points[1]' }),
      );
    }
  });

  it('take many questions where one of them does, and else do not', () => {
    for (const combine of [anyOf, allOf, (a: typeof local, b: typeof local) => withFallback(a, b)]) {
      expect(combine(local, remote).decideAll).toBeTypeOf('function');
      expect(combine(local, oneByOne).decideAll).toBeUndefined();
      expect(combine(local, engine).decideAll).toBeUndefined();
    }
    expect(narrowByScopes(oneByOne).decideAll).toBeUndefined();
    expect(shadow(oneByOne, remote, { onDivergence }).decideAll).toBeUndefined();
  });

  const said: Readonly<Record<string, () => Decision>> = {
    yes: () => allow('rule'),
    no: () => deny('no_rule'),
    scope: () => deny('insufficient_scope'),
    away: () => deny('unavailable'),
    garbage: () => ({}) as Decision,
  };
  const outcomes = fc.constantFrom(...Object.keys(said));
  /** What two decision points say of one request each, and whether its subject has the scope. */
  const questions = fc.array(fc.tuple(outcomes, outcomes, fc.boolean()), { maxLength: 8 });

  it('answer many questions as they answer one by one, and ask each point once at most', async () => {
    const combinations: readonly ((a: PolicyDecisionPoint, b: PolicyDecisionPoint) => PolicyDecisionPoint)[] = [
      (a, b) => anyOf(a, b),
      (a, b) => allOf(a, b),
      (a, b) => withFallback(a, b),
      (a, b) => shadow(a, b, { onDivergence }),
      (a) => narrowByScopes(a),
      (a, b) => narrowByScopes(anyOf(allOf(a, b), withFallback(b, a))),
    ];
    await fc.assert(
      fc.asyncProperty(questions, fc.nat(combinations.length - 1), fc.boolean(), async (rows, which, isMixed) => {
        const calls = [0, 0];
        const answer = (place: 0 | 1, { action }: AccessRequest): Decision =>
          said[rows[Number(action)]?.[place] ?? '']?.() ?? deny('error');
        const [a, b] = ([0, 1] as const).map(
          (place): PolicyDecisionPoint =>
            isMixed && place === 1
              ? { isSynchronous: true, decide: (one) => answer(place, one) }
              : {
                  decide: async (one) => answer(place, one),
                  decideAll: async (all) => {
                    calls[place] = (calls[place] ?? 0) + 1;
                    return all.map((one) => answer(place, one));
                  },
                },
        ) as [PolicyDecisionPoint, PolicyDecisionPoint];
        const point = combinations[which]?.(a, b) as PolicyDecisionPoint;
        const requests = rows.map(([, , hasScope], index) => requestFor(`${index}`, hasScope ? [`${index}`] : []));
        const expected = await Promise.all(requests.map((one) => askAll({ decide: point.decide }, [one])));
        calls.fill(0);
        expect(await askAll(point, requests)).toEqual(expected.flat());
        if (which < 5) expect(calls.every((count) => count <= 1)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  it.each<[string, (remote: PolicyDecisionPoint) => PolicyDecisionPoint]>([
    ['anyOf', (point) => anyOf(point)],
    ['allOf', (point) => allOf(point)],
    ['withFallback', (point) => withFallback(point, { decide: () => deny('no_rule') })],
    ['narrowByScopes', (point) => narrowByScopes(point)],
    ['shadow', (point) => shadow(point, local, { onDivergence })],
  ])('%s: too few answers allow nothing, and the signal is handed on', async (_, combine) => {
    const seen: unknown[] = [];
    const short = combine({
      ...remote,
      decideAll: async (all, options) => {
        seen.push(options?.signal);
        return all.slice(1).map(() => allow('rule'));
      },
    });
    const { signal } = new AbortController();
    const decisions = await askAll(short, [requestFor('read'), requestFor('read')], undefined, signal);
    expect(decisions.map(({ allowed }) => allowed)).toEqual([false, false]);
    expect(seen).toEqual([signal]);
  });
});
