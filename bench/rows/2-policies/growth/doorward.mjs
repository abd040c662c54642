import { and, attr, createPolicyEngine, eq, hasRole, lte, policy, rule } from 'doorward/abac';
import { levelOf } from './growth.mjs';

const rules = {
  department: (index) =>
    rule.allow(
      `department-${index}`,
      and(eq(attr('resource.department'), `department-${index}`), lte(attr('resource.level'), levelOf(index))),
    ),
  role: (index) =>
    rule.allow(`role-${index}`, and(hasRole(`role-${index}`), eq(attr('resource.type'), `type-${levelOf(index)}`))),
};
const formOf = {
  department: ({ rule, level }) => request('viewer', 'document', { department: `department-${rule}`, level }),
  role: ({ rule, level }) => request(`role-${rule}`, `type-${level}`, {}),
};

function request(role, type, attributes) {
  return {
    subject: { id: 'ada', roles: [role], attributes: {} },
    action: 'read',
    resource: { type, id: 'plan', attributes },
    environment: { time: 0, hour: 10 },
  };
}

export function prepare(_input, options = {}) {
  const load = (size, input) => {
    const all = Array.from({ length: size }, (_, index) => rules[input.rules](index));
    const engine = createPolicyEngine(policy('growth', all), options);
    const kept = { decision: undefined };
    return (question) => {
      kept.decision = engine.decide(question);
      return kept.decision.allowed;
    };
  };
  return { load, formOf: (question, input) => formOf[input.rules](question) };
}
