export { contractDecisionPolicy, contractPolicy } from './contract-policies.ts';
export { createPolicyEngine, type PolicyEngine } from './engine/policy-engine.ts';
export {
  and,
  attr,
  contains,
  endsWith,
  eq,
  gt,
  gte,
  isIn,
  lt,
  lte,
  ne,
  not,
  or,
  policy,
  present,
  rule,
  startsWith,
} from './policy/build.ts';
export { parsePolicy } from './policy/parse-policy.ts';
export type {
  AttributePath,
  AttributeRef,
  Condition,
  ListOperand,
  Operand,
  Policy,
  PolicyRule,
  Scalar,
} from './policy/policy.ts';
export { hasRole, hourBetween, owner, sameDepartment } from './policy/shorthand.ts';
