import type { AccessRequest } from 'doorward';
import { deny } from 'doorward';
import { contractPolicy, createPolicyEngine, type Policy, parsePolicy } from 'doorward/abac';
import { policyCases, ruleCoverage } from 'doorward/testing';
import { describe, expect, it } from 'vitest';

const request = (roles: readonly string[], owner = 'ada', hour = 12): AccessRequest => ({
  subject: { id: 'ada', roles, attributes: { department: 'sales' } },
  action: 'delete',
  resource: { type: 'document', attributes: { owner_id: owner, department: 'sales', sensitivity: 'high' } },
  environment: { time: 0, hour },
});
const failures = async (...args: Parameters<typeof policyCases>): Promise<readonly string[]> => {
  const results = await Promise.allSettled(policyCases(...args).map(({ run }) => run()));
  return results.map((result) => (result.status === 'rejected' ? String(result.reason.message) : 'passes'));
};

describe('policy cases', () => {
  it('pass when the policy answers as expected, by the rule that is expected', async () => {
    const cases = [
      { name: 'an admin', request: request(['admin']), allowed: true, ruleId: 'admin' },
      { name: 'an owner', request: request([], 'ada', 3), allowed: true },
      { name: 'nobody', request: request([], 'bob', 3), allowed: false },
    ];
    expect(await failures(contractPolicy, cases)).toEqual(['passes', 'passes', 'passes']);
    expect(policyCases(contractPolicy, cases).map(({ name }) => name)).toEqual(['an admin', 'an owner', 'nobody']);
  });

  it('fail when the policy answers otherwise, or by another rule, and say what every rule did', async () => {
    const [otherwise, byAnother] = await failures(contractPolicy, [
      { name: 'a', request: request([], 'bob', 3), allowed: true },
      { name: 'b', request: request(['admin']), allowed: true, ruleId: 'owner' },
    ]);
    expect(otherwise).toMatch(/^expected allow, got deny\n {2}admin: no_match/);
    expect(otherwise).toContain('owner: no_match');
    expect(byAnother).toMatch(/^expected allow by "owner", got allow by "admin"/);
  });

  it('take no fault of a decision point for the denial that they expect', async () => {
    const expected = [{ name: 'a', request: request([]), allowed: false }];
    for (const reason of ['error', 'timeout', 'unavailable', 'undefined_decision', 'invalid_answer'] as const) {
      expect(await failures({ decide: async () => deny(reason) }, expected)).toEqual([
        `there was no answer: ${reason}`,
      ]);
    }
    const thrown = new Error('lost');
    expect(await failures({ decide: () => Promise.reject(thrown) }, expected)).toEqual(['lost']);
    expect(await failures({ decide: () => deny('no_rule') }, expected)).toEqual(['passes']);
  });

  it('refuse a policy that is not valid', () => {
    expect(() => policyCases({ name: 'p', combining: 'first-match' } as unknown as Policy, [])).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID' }),
    );
  });
});

describe('rule coverage', () => {
  it('tells which rules were never seen firing, and which never silent', () => {
    const { engine, counts, uncovered } = ruleCoverage(createPolicyEngine(contractPolicy));
    expect(uncovered()).toHaveLength(4);
    engine.decide(request(['admin']));
    expect(counts()).toContainEqual({ ruleId: 'admin', decided: 1, fired: 1, silent: 0 });
    expect(counts()).toContainEqual({ ruleId: 'owner', decided: 0, fired: 1, silent: 0 });
    expect(uncovered()).toEqual([
      { ruleId: 'admin', never: ['silent'] },
      { ruleId: 'sensitive-hours', never: ['silent'] },
      { ruleId: 'owner', never: ['silent'] },
      { ruleId: 'read-same-department', never: ['fired'] },
    ]);
    engine.decideAll?.([request([], 'bob', 3), { ...request([]), action: 'read' }]);
    expect(uncovered()).toEqual([]);
  });

  it('counts a deny rule whose condition is unknown as firing, and asks no silence of a rule that asks nothing', () => {
    const policy = parsePolicy({
      name: 'p',
      combining: 'deny-overrides',
      rules: [
        { id: 'suspended', effect: 'deny', when: { eq: [{ attr: 'subject.suspended' }, true] } },
        { id: 'all', effect: 'allow', when: 'always' },
      ],
    });
    const { engine, uncovered } = ruleCoverage(createPolicyEngine(policy));
    expect(engine.decide(request([])).allowed).toBe(false);
    expect(uncovered()).toEqual([{ ruleId: 'suspended', never: ['silent'] }]);
  });

  it('decides as the engine does, and counts nothing of an engine without traces', () => {
    const plain = createPolicyEngine(contractPolicy);
    const { engine } = ruleCoverage(plain);
    expect(engine.revision).toBe(plain.revision);
    expect(engine.decide(request(['admin'])).ruleId).toBe('admin');
    const { engine: blind } = ruleCoverage(createPolicyEngine(contractPolicy, { trace: false }));
    expect(() => blind.decide(request(['admin']))).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', field: 'engine' }),
    );
  });
});
