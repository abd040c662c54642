import { makeExecutableSchema } from '@graphql-tools/schema';
import type { IResolvers } from '@graphql-tools/utils';
import { allow, deny, type PolicyDecisionPoint, type Principal, type Vocabulary } from 'doorward';
import { type AuthContext, authDirectives, type ProtectSchemaOptions, protectSchema } from 'doorward/graphql';
import { type ExecutionResult, type GraphQLSchema, graphql } from 'graphql';

const permissionsOf: Readonly<Record<string, readonly string[]>> = {
  admin: ['create', 'read', 'update', 'delete', 'manage_users'],
  editor: ['create', 'read', 'update'],
  viewer: ['read'],
};

export interface CountingPdp extends PolicyDecisionPoint, Vocabulary {
  readonly asked: string[];
}

/** A role table that counts what it is asked. */
export function roleTable(): CountingPdp {
  const asked: string[] = [];
  return {
    asked,
    roles: ['admin', 'editor', 'viewer', 'moderator'],
    permissions: ['create', 'read', 'update', 'delete', 'manage_users'],
    decide: ({ subject, action }) => {
      asked.push(action);
      const held = subject.roles.some(
        (role) => Object.hasOwn(permissionsOf, role) && permissionsOf[role]?.includes(action),
      );
      return held ? allow('permission') : deny('no_permission');
    },
  };
}

export function principal(id: string, ...roles: readonly string[]): Principal {
  return { id, roles, attributes: {} };
}

export interface TestContext {
  readonly auth: AuthContext;
}

export function contextOf(who: Principal | undefined): TestContext {
  return { auth: { principal: who, environment: () => ({ time: 0 }) } };
}

export const anonymous = undefined;
export const admin: Principal = principal('a1', 'admin');
export const editor: Principal = principal('e1', 'editor');
export const viewer: Principal = principal('v1', 'viewer');
export const nobody: Principal = principal('n1');

export type Resolvers = IResolvers;

export function build(typeDefs: string | readonly string[], resolvers: Resolvers = {}): GraphQLSchema {
  return makeExecutableSchema({ typeDefs: [authDirectives(), ...[typeDefs].flat()], resolvers });
}

export function protectedSchema(
  typeDefs: string | readonly string[],
  resolvers: Resolvers = {},
  options: Partial<ProtectSchemaOptions<TestContext>> = {},
): GraphQLSchema {
  return protectSchema(build(typeDefs, resolvers), { pdp: roleTable(), ...options });
}

export interface Answer {
  readonly data: unknown;
  /** `path: CODE` of every error. */
  readonly errors: readonly string[];
  /** The whole response as a client reads it. */
  readonly text: string;
}

export async function ask(
  schema: GraphQLSchema,
  who: Principal | undefined,
  source: string,
  variableValues: Record<string, unknown> = {},
): Promise<Answer> {
  return answerOf(await graphql({ schema, source, variableValues, contextValue: contextOf(who) }));
}

export function answerOf(result: ExecutionResult): Answer {
  const errors = result.errors ?? [];
  return {
    data: result.data === undefined ? undefined : JSON.parse(JSON.stringify(result.data)),
    errors: errors.map(({ path, extensions, message }) => `${path?.join('.')}: ${extensions.code ?? message}`),
    text: JSON.stringify(result),
  };
}
