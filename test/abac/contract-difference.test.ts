import type { AccessRequest } from 'doorward';
import {
  contractDecisionPolicy,
  contractPolicy,
  createPolicyEngine,
  diff,
  type PolicyEngine,
  parsePolicy,
  prove,
  representatives,
} from 'doorward/abac';
import { contractRoles } from 'doorward/rbac';
import { expect, it } from 'vitest';

const decisions = contractDecisionPolicy(contractRoles.grants);
const [inProcess, central] = [contractPolicy, decisions].map((one) => createPolicyEngine(one, { trace: false })) as [
  PolicyEngine,
  PolicyEngine,
];

const columns = ['admin', 'role-permission', 'sensitive-hours', 'owner', 'read-same-department'].map((id) => {
  const rules = [...decisions.rules, ...contractPolicy.rules].filter((rule) => rule.id === id).slice(0, 1);
  return createPolicyEngine({ name: id, combining: 'first-match', rules }, { trace: false });
});

/** Administrator, role permission, high in office hours, owner, read in the department. */
function rowOf(request: AccessRequest): string {
  return columns.map((rule) => (rule.decide(request).allowed ? '1' : '0')).join('');
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

it('no rule of either set can be taken away, turned round or moved by an hour unnoticed', () => {
  for (const whole of [contractPolicy, decisions]) {
    const text = JSON.stringify(whole);
    const mutants = [
      ...whole.rules.map((rule) => ({ ...whole, rules: whole.rules.filter((other) => other !== rule) })),
      ...whole.rules.map((rule) => ({
        ...whole,
        rules: whole.rules.map((other) => (other === rule ? { ...rule, effect: 'deny' } : other)),
      })),
      ...['10', '8', '9.5'].map((hour) => JSON.parse(text.replace('},9]', `},${hour}]`))),
      ...['17', '19', '18.5'].map((hour) => JSON.parse(text.replace('},18]', `},${hour}]`))),
      ...['High', 'hig', ''].map((word) => JSON.parse(text.replace('"high"', JSON.stringify(word)))),
      JSON.parse(text.replaceAll('resource.owner_id', 'resource.department')),
    ];
    for (const mutant of mutants) {
      expect(JSON.stringify(mutant)).not.toBe(text);
      expect(diff(whole, parsePolicy(mutant))).toMatchObject({ same: false });
    }
    expect(diff(whole, parsePolicy(JSON.parse(text))).same).toBe(true);
  }
});
