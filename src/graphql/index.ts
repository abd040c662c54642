export type { AuthContext } from './auth-context.ts';
export { type CanOptions, can } from './can.ts';
export type { EnforceMode, Masks } from './compile/compile.ts';
export type { RuleSource, RuleVia } from './compile/rule-source.ts';
export type { DecisionPointInput, DecisionPointPolicy } from './decide/decision-point-policy.ts';
export { type AuthDirectivesOptions, authDirectives } from './directives.ts';
export type { DryRunDenial, OnDryRun } from './enforce/dry-run.ts';
export { type MaskGraphQLErrorOptions, maskGraphQLError } from './mask-graphql-error.ts';
export { definePolicies, type Policies, type Policy, type PolicyInput } from './policies.ts';
export { type ProtectSchemaOptions, protectSchema } from './protect-schema.ts';
export {
  type AccessMatrix,
  type AccessMatrixOptions,
  accessMatrix,
  matrixAsMarkdown,
} from './report/access-matrix.ts';
export { type AssertProtectedOptions, assertProtected } from './report/assert-protected.ts';
export { type CoverageEntry, type CoverageStatus, coverage, coverageAsMarkdown } from './report/coverage.ts';
export type { Access } from './report/field-access.ts';
export {
  type CoordinatesOf,
  defineRules,
  type RuleArguments,
  type RuleCondition,
  type RuleEntry,
  type RuleMap,
} from './rule-map.ts';
export { type VisibleSchemaOptions, visibleSchema } from './visibility/visible-schema.ts';
