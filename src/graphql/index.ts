export { assertProtected } from './assert-protected.ts';
export type { AuthContext } from './auth-context.ts';
export type { Masks } from './compile.ts';
export { type AuthDirectivesOptions, authDirectives } from './directives.ts';
export { type MaskGraphQLErrorOptions, maskGraphQLError } from './mask-graphql-error.ts';
export { definePolicies, type Policies, type Policy, type PolicyInput } from './policies.ts';
export { type ProtectSchemaOptions, protectSchema } from './protect-schema.ts';
