import { MapperKind, mapSchema } from '@graphql-tools/utils';
import {
  defaultFieldResolver,
  defaultTypeResolver,
  type GraphQLFieldConfig,
  GraphQLInterfaceType,
  type GraphQLSchema,
  GraphQLUnionType,
  isInterfaceType,
} from 'graphql';
import { configInvalid, refuseUnknownOptions } from '../core/config-invalid.ts';
import type { PolicyDecisionPoint, Vocabulary } from '../core/index.ts';
import { requireDecisionPoint } from '../core/policy-decision-point.ts';
import type { AuthContext } from './auth-context.ts';
import { type CompileOptions, compile, type Masks } from './compile.ts';
import type { Enforcer } from './enforcer.ts';
import { createEvaluator } from './evaluate.ts';
import { guardAbstract } from './guard-abstract.ts';
import { guardField } from './guard-field.ts';
import { guardSubscription } from './guard-subscription.ts';
import { createMemos } from './memo.ts';
import type { SchemaPlan } from './plan.ts';
import type { Policies } from './policies.ts';
import { type FieldProtection, schemaProtection, withProtection } from './protection.ts';

export interface ProtectSchemaOptions<Context = unknown> {
  /** Answers permissions: asked with the permission as action, once per permission and principal object. */
  readonly pdp: PolicyDecisionPoint & Partial<Vocabulary>;
  /** The policies that the SDL names. @default {} */
  readonly policies?: Policies<Context>;
  /** For every field with `onDeny: MASK` what its value looks like to the others, by coordinate. @default {} */
  readonly masks?: Masks;
  /** Finds the {@link AuthContext} of an operation. @default (context) => context.auth */
  readonly auth?: (context: Context) => AuthContext | undefined;
  /** What becomes of fields that no rule reaches and that are not `@public`. @default 'allow' */
  readonly unprotected?: 'allow' | 'deny';
  /** Gets the coordinates of those fields once, so that a new one is noticed. */
  readonly onUnprotected?: (coordinates: readonly string[]) => void;
  /** How long a policy, the decision point or a new authentication may take, in milliseconds. @default 2000 */
  readonly policyTimeoutMs?: number;
  /** Gets what goes wrong inside policies and masks; clients only ever see a denial. */
  readonly onError?: (error: unknown, coordinate: string) => void;
  /** What `@auth` is called in this schema. @default 'auth' */
  readonly directiveName?: string;
}

const OPTIONS: readonly string[] = [
  'pdp',
  'policies',
  'masks',
  'auth',
  'unprotected',
  'onUnprotected',
  'policyTimeoutMs',
  'onError',
  'directiveName',
];

/**
 * Compiles the rules of a schema and returns a schema that enforces them on every field of every object type.
 * Fields without rules keep their own resolvers. Apply it last: what changes the schema afterwards may remove
 * a guard, which {@link assertProtected} finds.
 *
 * @throws `CONFIG_INVALID` for a rule that is not exactly right, with its coordinate and SDL line, for an unknown
 * option, and for a schema that is protected already.
 * @example
 * const schema = protectSchema(makeExecutableSchema({ typeDefs: [authDirectives(), typeDefs], resolvers }), { pdp });
 */
export function protectSchema<Context = unknown>(
  schema: GraphQLSchema,
  options: ProtectSchemaOptions<Context>,
): GraphQLSchema {
  if (schemaProtection(schema) !== undefined) throw configInvalid('schema', 'is protected already');
  const compileOptions = checked(options);
  const plan = compile(schema, compileOptions);
  const enforcer = createEnforcer(plan, options);
  const subscriptionName = schema.getSubscriptionType()?.name;

  const guarded = mapSchema(schema, {
    [MapperKind.OBJECT_FIELD]: (config, fieldName, typeName) => {
      const field = plan.fields.get(`${typeName}.${fieldName}`);
      return field === undefined
        ? config
        : guardConfig(config, typeName === subscriptionName, enforcer, { plan: field, options: compileOptions });
    },
    [MapperKind.ABSTRACT_TYPE]: (type) => (plan.abstracts.has(type.name) ? guardType(enforcer, type) : type),
  });
  guarded.extensions = withProtection(schema.extensions, compileOptions);
  options.onUnprotected?.(plan.unprotected);
  return guarded;
}

function guardConfig(
  config: GraphQLFieldConfig<unknown, unknown>,
  isSubscription: boolean,
  enforcer: Enforcer,
  record: Pick<FieldProtection, 'plan' | 'options'>,
): GraphQLFieldConfig<unknown, unknown> {
  const resolve = config.resolve ?? defaultFieldResolver;
  const subscribe = config.subscribe ?? defaultFieldResolver;
  const guards = {
    resolve: guardField(enforcer, record.plan, resolve),
    ...(isSubscription && { subscribe: guardSubscription(enforcer, record.plan, subscribe, resolve) }),
  };
  return { ...config, ...guards, extensions: withProtection(config.extensions, { ...record, ...guards }) };
}

function guardType(
  enforcer: Enforcer,
  type: GraphQLInterfaceType | GraphQLUnionType,
): GraphQLInterfaceType | GraphQLUnionType {
  const resolveType = guardAbstract(enforcer, type.resolveType ?? defaultTypeResolver);
  const extensions = withProtection(type.extensions, { resolveType });
  return isInterfaceType(type)
    ? new GraphQLInterfaceType({ ...type.toConfig(), resolveType, extensions })
    : new GraphQLUnionType({ ...type.toConfig(), resolveType, extensions });
}

function createEnforcer<Context>(plan: SchemaPlan, options: ProtectSchemaOptions<Context>): Enforcer {
  const { pdp, policies = {}, policyTimeoutMs: timeoutMs = 2_000, onError } = options;
  const find = (options.auth ?? contextAuth) as (context: unknown) => AuthContext | undefined;
  const memos = createMemos();

  function report(error: unknown, coordinate: string): void {
    try {
      onError?.(error, coordinate);
    } catch {
      // Whoever listens to errors must not change what a client gets.
    }
  }

  function authOf(context: unknown): AuthContext | undefined {
    try {
      return find(context);
    } catch (error) {
      report(error, 'auth');
      return undefined;
    }
  }

  const evaluator = createEvaluator({ pdp, policies, timeoutMs, memos, report });
  return { plan, memos, evaluator, timeoutMs, authOf, report };
}

function contextAuth(context: unknown): AuthContext | undefined {
  return (context as { readonly auth?: AuthContext } | null | undefined)?.auth;
}

/** Checks the options, and takes out what compiling needs. */
function checked<Context>(options: ProtectSchemaOptions<Context>): CompileOptions {
  refuseUnknownOptions(options, OPTIONS);
  const { pdp, policies = {}, masks = {}, policyTimeoutMs = 2_000, unprotected = 'allow' } = options;
  requireDecisionPoint('pdp', pdp);
  if (unprotected !== 'allow' && unprotected !== 'deny') throw configInvalid('unprotected', 'must be allow or deny');
  if (!Number.isInteger(policyTimeoutMs) || policyTimeoutMs < 1 || policyTimeoutMs > 600_000) {
    throw configInvalid('policyTimeoutMs', 'must be a whole number of milliseconds, at most 600000');
  }
  for (const [field, table] of Object.entries({ policies, masks })) {
    for (const [name, value] of Object.entries(table)) {
      if (typeof value !== 'function') throw configInvalid(`${field}.${name}`, 'must be a function');
    }
  }
  const { roles, permissions } = pdp;
  return {
    directiveName: options.directiveName ?? 'auth',
    known: { ...(roles && { roles }), ...(permissions && { permissions }), policies: new Set(Object.keys(policies)) },
    masks,
    unprotected,
  };
}
