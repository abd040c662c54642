import type { AccessRequest } from 'doorward';
import {
  contractDecisionPolicy,
  contractPolicy,
  createPolicyEngine,
  diff,
  prove,
  representatives,
} from 'doorward/abac';
import { contractRoles } from 'doorward/rbac';
import { expect, it } from 'vitest';
import { outcomeOf } from './support/reference.ts';

const decisions = contractDecisionPolicy(contractRoles.grants);
const [inProcess, central] = [createPolicyEngine(contractPolicy), createPolicyEngine(decisions)];

/** Administrator, role permission, high in office hours, owner, read in the department. */
function rowOf(request: AccessRequest): string {
  const rules = new Map([...contractPolicy.rules, ...decisions.rules].map((rule) => [rule.id, rule]));
  const ids = ['admin', 'role-permission', 'sensitive-hours', 'owner', 'read-same-department'];
  return ids
    .map((id) => {
      const rule = rules.get(id);
      return rule !== undefined && outcomeOf(rule, request) === true ? '1' : '0';
    })
    .join('');
}

it('the two rule sets of the contract differ in exactly two rows of their truth table', () => {
  const rows = new Map<string, Set<string>>();
  let count = 0;
  for (const request of representatives([contractPolicy, decisions])) {
    count++;
    const [here, there] = [inProcess.decide(request), central.decide(request)];
    const row = rowOf(request);
    const answers = rows.get(row) ?? new Set();
    rows.set(row, answers.add(`${there.ruleId ?? 'none'} / ${here.ruleId ?? 'none'}`));
  }
  expect(count).toBeGreaterThan(10_000);
  const differing = [...rows].filter(([, answers]) =>
    [...answers].some((answer) => answer.startsWith('none') !== answer.endsWith('none')),
  );
  expect(new Map(differing)).toEqual(
    new Map([
      ['01000', new Set(['role-permission / none'])],
      ['00001', new Set(['none / read-same-department'])],
    ]),
  );
  expect([...rows.keys()].filter((row) => /^0.*1/.test(row)).length).toBe(15);
  expect(rows.get('00000')).toEqual(new Set(['none / none']));
});

it('a difference comes with the request that shows it', () => {
  const found = diff(contractPolicy, decisions);
  expect(found.same).toBe(false);
  if (found.same !== false) return;
  expect(found.a.allowed).not.toBe(found.b.allowed);
  expect(inProcess.decide(found.request).allowed).toBe(found.a.allowed);
});

it('whoever holds a role of the table is never allowed in the process what the central call denies', () => {
  const known = {
    or: Object.keys(contractRoles.grants).map((role) => ({ contains: [{ attr: 'subject.roles' }, role] as const })),
  };
  const both = {
    ...contractPolicy,
    rules: contractPolicy.rules.map((rule) => ({
      ...rule,
      when: { and: [known, rule.when === 'always' ? known : rule.when] },
    })),
  };
  const either = {
    ...decisions,
    rules: [...decisions.rules, ...both.rules.map((rule) => ({ ...rule, id: `also-${rule.id}` }))],
  };
  expect(diff(decisions, either)).toEqual({ same: true, exhaustive: true });
});

it('an administrator may do everything under both', () => {
  const property = { when: { contains: [{ attr: 'subject.roles' }, 'admin'] }, decision: 'allow' } as const;
  expect(prove(contractPolicy, property).proved).toBe(true);
  expect(prove(decisions, property).proved).toBe(true);
});
