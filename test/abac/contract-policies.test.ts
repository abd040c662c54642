import { type AccessRequest, environmentSource } from 'doorward';
import { contractDecisionPolicy, contractPolicy, createPolicyEngine, parsePolicy } from 'doorward/abac';
import { contractRoles } from 'doorward/rbac';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

const documents = createPolicyEngine(contractPolicy);
const decisions = createPolicyEngine(contractDecisionPolicy(contractRoles.grants));

interface Facts {
  readonly id?: unknown;
  readonly roles?: unknown;
  readonly department?: unknown;
  readonly action?: unknown;
  readonly sensitivity?: unknown;
  readonly resourceDepartment?: unknown;
  readonly ownerId?: unknown;
  readonly hour?: unknown;
}
const requestOf = (facts: Facts): AccessRequest =>
  ({
    subject: { id: facts.id, roles: facts.roles ?? [], attributes: { department: facts.department } },
    action: facts.action,
    resource: {
      type: 'document',
      attributes: { owner_id: facts.ownerId, department: facts.resourceDepartment, sensitivity: facts.sensitivity },
    },
    environment: { time: 0, hour: facts.hour },
  }) as unknown as AccessRequest;

/** The contract's rules in plain code. Identities are texts, and two without one are not the same. */
const same = (left: unknown, right: unknown): boolean => typeof left === 'string' && left !== '' && left === right;
const holds = (facts: Facts, role: string): boolean => Array.isArray(facts.roles) && facts.roles.includes(role);
const inHours = ({ hour }: Facts): boolean => typeof hour === 'number' && hour >= 9 && hour <= 18;
const sensitiveHours = (facts: Facts): boolean =>
  facts.sensitivity === 'high' && inHours(facts) && same(facts.department, facts.resourceDepartment);
const grants: Record<string, readonly unknown[]> = contractRoles.grants;

const documentRule = (facts: Facts): string | undefined => {
  if (holds(facts, 'admin')) return 'admin';
  if (sensitiveHours(facts)) return 'sensitive-hours';
  if (same(facts.id, facts.ownerId)) return 'owner';
  if (facts.action === 'read' && same(facts.department, facts.resourceDepartment)) return 'read-same-department';
  return undefined;
};
const decisionRule = (facts: Facts): string | undefined => {
  if (holds(facts, 'admin')) return 'admin';
  if (Object.keys(grants).some((role) => holds(facts, role) && grants[role]?.includes(facts.action)))
    return 'role-permission';
  if (sensitiveHours(facts)) return 'sensitive-hours';
  if (same(facts.id, facts.ownerId)) return 'owner';
  return undefined;
};

const ROLES = [[], ['viewer'], ['editor', 'moderator'], ['admin'], ['nobody'], ['constructor'], 'admin', undefined];
const ACTIONS = ['read', 'update', 'manage_users', 'READ', ['read']];
const SENSITIVITIES = ['high', 'low', 'HIGH', undefined];
const DEPARTMENTS = ['sales', 'hr', '', undefined, null];
const IDS = ['u1', '', undefined, ['u1']];
const HOURS = [8, 9, 18, 19, 18.5, '10', Number.NaN, undefined];

function* grid(): Generator<Facts> {
  for (const roles of ROLES)
    for (const action of ACTIONS)
      for (const sensitivity of SENSITIVITIES)
        for (const department of DEPARTMENTS)
          for (const resourceDepartment of DEPARTMENTS)
            for (const id of IDS)
              for (const ownerId of IDS)
                for (const hour of sensitivity === 'high' ? HOURS : [10])
                  yield { roles, action, sensitivity, department, resourceDepartment, id, ownerId, hour };
}

describe('the contract, restated in plain code', () => {
  it.each([
    ['document policy', documents, documentRule],
    ['decision policy', decisions, decisionRule],
  ] as const)(
    'the %s gives the same answer by the same rule on 176,000 clean and dirty inputs',
    (_, engine, expected) => {
      let asked = 0;
      const wrong: unknown[] = [];
      for (const facts of grid()) {
        asked++;
        const decision = engine.decide(requestOf(facts));
        const ruleId = expected(facts);
        if (decision.ruleId !== ruleId || decision.allowed !== (ruleId !== undefined)) wrong.push({ facts, decision });
      }
      expect(wrong.slice(0, 3)).toEqual([]);
      expect(asked).toBe(176_000);
    },
  );

  it('AZ-18 the two policies differ only where the contract makes them differ', () => {
    const differences = new Map<string, number>();
    for (const facts of grid()) {
      const [document, decision] = [documents.decide(requestOf(facts)), decisions.decide(requestOf(facts))];
      if (document.allowed === decision.allowed) continue;
      const which = `${document.ruleId} / ${decision.ruleId}`;
      differences.set(which, (differences.get(which) ?? 0) + 1);
    }
    expect([...differences.keys()].sort()).toEqual(['read-same-department / undefined', 'undefined / role-permission']);
  });

  it('whoever holds a known role and may by the document policy may by the decision policy too', () => {
    for (const facts of grid()) {
      if (!Array.isArray(facts.roles) || !facts.roles.some((role) => role in grants && role !== 'constructor'))
        continue;
      if (documents.decide(requestOf(facts)).allowed) expect(decisions.decide(requestOf(facts)).allowed).toBe(true);
    }
  });
});

describe('attacks on the contract policies', () => {
  const colleague: Facts = {
    id: 'u1',
    department: 'sales',
    resourceDepartment: 'sales',
    ownerId: 'u2',
    sensitivity: 'low',
  };

  it('AZ-08 an admin is allowed by the first rule, whatever else is hostile', () => {
    const hostile = {
      roles: ['admin'],
      id: null,
      department: {},
      action: '__proto__',
      sensitivity: [],
      ownerId: Number.NaN,
    };
    for (const engine of [documents, decisions]) {
      expect(engine.decide(requestOf(hostile))).toMatchObject({ allowed: true, ruleId: 'admin' });
    }
  });

  it.each(['HIGH', 'high ', undefined, null, ['high'], ''])('AZ-10 the sensitivity %j opens nothing', (sensitivity) => {
    expect(documents.decide(requestOf({ ...colleague, action: 'delete', hour: 12, sensitivity })).allowed).toBe(false);
  });

  it.each([
    [undefined, undefined],
    ['', ''],
    [null, null],
    [1, '1'],
    ['1', 1],
    ['u1', '__proto__'],
    [['u1'], ['u1']],
    [{}, {}],
  ])('AZ-10 AZ-11 %j and %j are not the same person nor the same department', (left, right) => {
    const facts = {
      id: left,
      ownerId: right,
      department: left,
      resourceDepartment: right,
      sensitivity: 'high',
      hour: 12,
    };
    for (const action of ['read', 'delete']) {
      expect(documents.decide(requestOf({ ...facts, action })).allowed).toBe(false);
      expect(decisions.decide(requestOf({ ...facts, action })).allowed).toBe(false);
    }
  });

  it.each([['READ'], ['Read'], ['read '], [['read']], ['list'], [''], [undefined]])(
    'AZ-12 the action %j is not read',
    (action) => {
      expect(documents.decide(requestOf({ ...colleague, action })).allowed).toBe(false);
      expect(documents.decide(requestOf({ ...colleague, action: 'read' })).allowed).toBe(true);
    },
  );

  it('AZ-19 one more role, or one attribute made equal, never takes an allow away', () => {
    const text = fc.constantFrom('u1', 'u2', 'sales', 'hr', 'high', 'low', '', undefined, null);
    const facts = fc.record({
      id: text,
      ownerId: text,
      department: text,
      resourceDepartment: text,
      sensitivity: text,
      roles: fc.array(fc.constantFrom('viewer', 'editor', 'moderator', 'admin', 'nobody'), { maxLength: 3 }),
      action: fc.constantFrom('read', 'update', 'delete', 'create', 'manage_users'),
      hour: fc.integer({ min: 0, max: 23 }),
    });
    fc.assert(
      fc.property(facts, fc.constantFrom('viewer', 'editor', 'moderator', 'admin', 'nobody'), (before, role) => {
        const more = [
          { ...before, roles: [...before.roles, role] },
          { ...before, id: 'u1', ownerId: 'u1' },
          { ...before, department: 'sales', resourceDepartment: 'sales' },
        ];
        for (const engine of [documents, decisions]) {
          if (!engine.decide(requestOf(before)).allowed) continue;
          for (const after of more) expect(engine.decide(requestOf(after)).allowed).toBe(true);
        }
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('the hours 9 to 18', () => {
  const sensitive: Facts = {
    id: 'u1',
    department: 'sales',
    resourceDepartment: 'sales',
    sensitivity: 'high',
    action: 'delete',
  };
  const allowedAt = (time: string, timeZone?: string): boolean => {
    const environment = environmentSource({
      clock: () => Date.parse(time),
      ...(timeZone !== undefined && { timeZone }),
    });
    const { hour } = environment();
    return documents.decide(requestOf({ ...sensitive, hour })).allowed;
  };

  it.each([
    ['08:59:59.999', false],
    ['09:00:00.000', true],
    ['18:59:59.999', true],
    ['19:00:00.000', false],
  ])('AZ-09 at %s UTC: %s', (time, allowed) => {
    expect(allowedAt(`2026-03-02T${time}Z`)).toBe(allowed);
  });

  it.each([
    ['winter', '2026-01-15T07:59:59.999Z', false],
    ['winter', '2026-01-15T08:00:00Z', true],
    ['the evening before summer time', '2026-03-28T18:00:00Z', false],
    ['the morning of summer time', '2026-03-29T06:59:59.999Z', false],
    ['the morning of summer time', '2026-03-29T07:00:00Z', true],
    ['the evening of summer time', '2026-03-29T16:59:59.999Z', true],
    ['the evening of summer time', '2026-03-29T17:00:00Z', false],
    ['the morning after summer time', '2026-10-25T07:59:59.999Z', false],
    ['the morning after summer time', '2026-10-25T08:00:00Z', true],
    ['a leap day', '2028-02-29T17:59:59.999Z', true],
    ['a leap day', '2028-02-29T18:00:00Z', false],
  ])('AZ-09 CLK-06 in Berlin, %s, at %s: %s', (_, time, allowed) => {
    expect(allowedAt(time, 'Europe/Berlin')).toBe(allowed);
  });

  it('CLK-06 half past two, which comes twice when summer time ends, is night both times', () => {
    expect(allowedAt('2026-10-25T00:30:00Z', 'Europe/Berlin')).toBe(false);
    expect(allowedAt('2026-10-25T01:30:00Z', 'Europe/Berlin')).toBe(false);
  });

  it.each([
    ['Asia/Kathmandu', '2026-03-02T03:14:59.999Z', false],
    ['Asia/Kathmandu', '2026-03-02T03:15:00Z', true],
    ['America/New_York', '2026-03-02T23:59:59.999Z', true],
    ['America/New_York', '2026-03-03T00:00:00Z', false],
    ['Pacific/Kiritimati', '2026-03-02T19:00:00Z', true],
  ])('AZ-09 in %s at %s: %s', (zone, time, allowed) => {
    expect(allowedAt(time, zone)).toBe(allowed);
  });
});

describe('contractDecisionPolicy', () => {
  const ruleIds = (policy: { readonly rules: readonly { readonly id: string }[] }) =>
    policy.rules.map((rule) => rule.id);

  it('names its rules as the contract orders them', () => {
    expect(ruleIds(contractPolicy)).toEqual(['admin', 'sensitive-hours', 'owner', 'read-same-department']);
    expect(ruleIds(decisions.policy)).toEqual(['admin', 'role-permission', 'sensitive-hours', 'owner']);
  });

  it('takes any role table, leaving out roles that grant nothing', () => {
    const engine = createPolicyEngine(contractDecisionPolicy({ guest: [], auditor: ['inspect'] }));
    expect(engine.decide(requestOf({ roles: ['auditor'], action: 'inspect' })).ruleId).toBe('role-permission');
    expect(engine.decide(requestOf({ roles: ['guest'], action: 'inspect' })).allowed).toBe(false);
    expect(ruleIds(contractDecisionPolicy({ guest: [] }))).toEqual(['admin', 'sensitive-hours', 'owner']);
  });

  it('survives a journey through JSON', () => {
    for (const policy of [contractPolicy, decisions.policy]) {
      expect(parsePolicy(JSON.parse(JSON.stringify(policy)))).toStrictEqual(policy);
    }
  });
});
