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
} from './build.ts';
export { contractDecisionPolicy, contractPolicy } from './contract-policies.ts';
export { parsePolicy } from './parse-policy.ts';
export type {
  AttributePath,
  AttributeRef,
  Condition,
  ListOperand,
  Operand,
  Policy,
  PolicyRule,
  Scalar,
} from './policy.ts';
export { createPolicyEngine, type PolicyEngine } from './policy-engine.ts';
export { hasRole, hourBetween, owner, sameDepartment } from './shorthand.ts';
