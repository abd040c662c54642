export { type Analysis, analyze, type Finding } from './analysis/analyze.ts';
export { diff, equivalent, type PolicyDifference } from './analysis/diff.ts';
export type { AnalysisOptions } from './analysis/options.ts';
export { type PolicyProperty, type Proof, prove } from './analysis/prove.ts';
export { representatives } from './analysis/representatives.ts';
export { contractDecisionPolicy, contractPolicy } from './contract-policies.ts';
export type { PolicyEngineOptions } from './engine/options.ts';
export { createPolicyEngine, type PolicyEngine } from './engine/policy-engine.ts';
export type { Predicates } from './engine/predicates.ts';
export { explainAsMarkdown } from './explain/explain-as-markdown.ts';
export { explainAsText, type TextTarget } from './explain/explain-as-text.ts';
export { type ExplainedRule, type Explanation, explain } from './explain/explanation.ts';
export type { ColumnOption, ColumnType } from './filter/columns.ts';
export { type DrizzleModule, toDrizzle } from './filter/drizzle.ts';
export type { Filter, ResourceQuery } from './filter/filter.ts';
export { type MongoFilterOptions, type MongoQuery, toMongo } from './filter/mongo.ts';
export { type PostgresFilterOptions, type SqlCondition, toPostgres } from './filter/postgres.ts';
export { type FilterableResource, toPredicate } from './filter/predicate.ts';
export { type PrismaFilterOptions, type PrismaWhere, toPrisma } from './filter/prisma.ts';
export { toUcast, type UcastCondition, type UcastFilterOptions } from './filter/ucast.ts';
export type { AttributeLoader, LoadAttributes } from './loaders/attribute-loader.ts';
export { type LoaderOptions, withLoaders } from './loaders/with-loaders.ts';
export { defineModel, type Model } from './model/define-model.ts';
export type {
  ActionOf,
  AttributeType,
  AttributeTypes,
  ModelDefinition,
  PathsOf,
  PredicateOf,
  ResourceDefinition,
  ResourceOf,
  RoleOf,
  ValueOf,
  WithKnownHierarchy,
} from './model/definition.ts';
export type { AttributeValues, ModelRequest } from './model/model-request.ts';
export type { ModelRuleDetails, ModelRules, TypedAttribute } from './model/model-rules.ts';
export { policySchema } from './model/policy-schema.ts';
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
  type PolicyOptions,
  policy,
  predicate,
  present,
  type RuleDetails,
  rule,
  startsWith,
} from './policy/build.ts';
export { parsePolicy } from './policy/parse-policy.ts';
export type {
  AttributePath,
  AttributeRef,
  Combining,
  Condition,
  ListOperand,
  Operand,
  Policy,
  PolicyRule,
  Scalar,
} from './policy/policy.ts';
export type { JsonSchema } from './policy/policy-schema.ts';
export { hasRole, hourBetween, owner, sameDepartment } from './policy/shorthand.ts';
export { decisionCallInput, type RegoInput } from './rego/rego-input.ts';
export { type RegoOptions, toRego } from './rego/to-rego.ts';
