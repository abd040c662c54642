import {
  type AccessRequest,
  allOf,
  allow,
  anyOf,
  ask,
  type Decision,
  denialOf,
  deny,
  isIndeterminate,
  type PolicyDecisionPoint,
  type ReasonCode,
} from 'doorward';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

const request: AccessRequest = {
  subject: { id: 'u1', roles: [], attributes: {} },
  action: 'read',
  resource: { type: 'post', attributes: {} },
  environment: { time: 0 },
};
const answering = (decision: Decision): PolicyDecisionPoint => ({ decide: () => decision });
const later = (decision: Decision): PolicyDecisionPoint => ({ decide: async () => decision });
const throwing: PolicyDecisionPoint = {
  decide: () => {
    throw new Error('secret detail');
  },
};
const rejecting: PolicyDecisionPoint = { decide: () => Promise.reject(new Error('secret detail')) };
const principal = { id: 'u1', roles: [], attributes: {} };

describe('ask', () => {
  it('answers at once when the decision point does', () => {
    expect(ask(answering(allow('rule')), request)).toMatchObject({ allowed: true });
  });

  it.each([
    ['throws', throwing],
    ['rejects', rejecting],
  ])('AZ-06 denies with reason error when the decision point %s', async (_, pdp) => {
    expect(await ask(pdp, request)).toEqual({ allowed: false, effect: 'deny', reason: 'error' });
  });

  it.each([undefined, null, true, 1, 'true', {}, { allowed: 'true' }, { allowed: 1 }, [true]])(
    'AZ-06 denies when the decision point answers %j instead of a decision',
    async (answer) => {
      const sync = { decide: () => answer as unknown as Decision };
      const async = { decide: () => Promise.resolve(answer as unknown as Decision) };
      expect(await ask(sync, request)).toMatchObject({ allowed: false, reason: 'error' });
      expect(await ask(async, request)).toMatchObject({ allowed: false, reason: 'error' });
    },
  );
});

describe('combining decision points', () => {
  it('denies when there is nothing to combine', () => {
    expect(anyOf().decide(request)).toMatchObject({ allowed: false });
    expect(allOf().decide(request)).toMatchObject({ allowed: false });
  });

  it('stays synchronous over synchronous decision points', () => {
    expect(anyOf(answering(deny('no_rule')), answering(allow('rule'))).decide(request)).toMatchObject({
      allowed: true,
    });
    expect(allOf(answering(allow('rule')), answering(deny('no_rule'))).decide(request)).toMatchObject({
      allowed: false,
    });
  });

  it('does not ask further once the matter is settled', () => {
    let asked = 0;
    const counting: PolicyDecisionPoint = {
      decide: () => {
        asked += 1;
        return allow('rule');
      },
    };
    void anyOf(answering(allow('rule')), counting).decide(request);
    void allOf(answering(deny('no_rule')), counting).decide(request);
    expect(asked).toBe(0);
  });

  it('prefers "no answer" over a plain no, so that an outage is not reported as a denial', async () => {
    const decision = await anyOf(answering(deny('no_rule')), later(deny('timeout')), answering(deny('no_rule'))).decide(
      request,
    );
    expect(decision.reason).toBe('timeout');
    expect(isIndeterminate(decision)).toBe(true);
  });

  it('allows exactly when any, or all, of its members allow, whatever fails among them', async () => {
    const member = fc.constantFrom('allow', 'deny', 'throw', 'reject', 'later-allow', 'later-deny');
    const make = (kind: string): PolicyDecisionPoint => {
      if (kind === 'throw') return throwing;
      if (kind === 'reject') return rejecting;
      const decision = kind.endsWith('allow') ? allow('rule') : deny('no_rule');
      return kind.startsWith('later') ? later(decision) : answering(decision);
    };
    await fc.assert(
      fc.asyncProperty(fc.array(member, { maxLength: 6 }), async (kinds) => {
        const allows = kinds.filter((kind) => kind.endsWith('allow')).length;
        const points = kinds.map(make);
        expect((await anyOf(...points).decide(request)).allowed).toBe(allows > 0);
        expect((await allOf(...points).decide(request)).allowed).toBe(kinds.length > 0 && allows === kinds.length);
      }),
      { numRuns: 300 },
    );
  });
});

describe('denialOf', () => {
  it('calls every denial without a principal unauthenticated, even an allowed one', () => {
    expect(denialOf(undefined, deny('no_permission'))).toBe('unauthenticated');
    expect(denialOf(undefined, allow('rule'))).toBe('unauthenticated');
  });

  it('tells a plain no from a missing answer', () => {
    const reasons: Record<ReasonCode, 'forbidden' | 'unavailable'> = {
      rule: 'forbidden',
      no_rule: 'forbidden',
      permission: 'forbidden',
      no_permission: 'forbidden',
      insufficient_scope: 'forbidden',
      insufficient_user_authentication: 'forbidden',
      error: 'unavailable',
      timeout: 'unavailable',
      unavailable: 'unavailable',
      undefined_decision: 'unavailable',
      invalid_answer: 'unavailable',
    };
    for (const [reason, denial] of Object.entries(reasons)) {
      expect(denialOf(principal, deny(reason as ReasonCode)), reason).toBe(denial);
    }
    expect(denialOf(principal, allow('rule'))).toBeUndefined();
  });

  it('takes nothing but true for an allow', () => {
    expect(denialOf(principal, { allowed: 'yes', effect: 'allow', reason: 'rule' } as unknown as Decision)).toBe(
      'forbidden',
    );
  });
});
