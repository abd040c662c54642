import { defaultFieldResolver, defaultTypeResolver, type GraphQLFieldConfig, type GraphQLSchema } from 'graphql';
import { configInvalid, refuseUndefined, refuseUnknownOptions } from '../core/config-invalid.ts';
import type { PolicyDecisionPoint, Vocabulary } from '../core/index.ts';
import { requireDecisionPoint } from '../core/policy-decision-point.ts';
import type { AuthContext } from './auth-context.ts';
import { type CompileOptions, compile, type EnforceMode, type Masks } from './compile/compile.ts';
import type { FieldPlan, SchemaPlan } from './compile/plan.ts';
import { type RootKind, rootKinds } from './compile/reaching.ts';
import { requireDecisionPointPolicy } from './decide/decision-point-policy.ts';
import { createEvaluator } from './decide/evaluate.ts';
import { createMemos } from './decide/memo.ts';
import type { OnDryRun } from './enforce/dry-run.ts';
import type { Enforcer } from './enforce/enforcer.ts';
import type { Resolver } from './enforce/guard-field.ts';
import { createGuards, type Guards } from './enforce/guards.ts';
import { type SchemaProtection, schemaProtection, withProtection } from './enforce/protection.ts';
import { type AbstractConfig, rebuildSchema } from './enforce/rebuild-schema.ts';
import type { Policies } from './policies.ts';
import type { RuleMap } from './rule-map.ts';
import { warnOfUnprotected } from './unprotected.ts';

export interface ProtectSchemaOptions<Context = unknown, PolicyName extends string = string> {
  /** Answers permissions: asked with the permission as action, once per permission and principal object. */
  readonly pdp: PolicyDecisionPoint & Partial<Vocabulary>;
  /** The policies that rules name. @default {} */
  readonly policies?: Policies<Context, PolicyName>;
  /** Rules by coordinate, beside those of the SDL or without any. @default {} */
  readonly rules?: RuleMap<NoInfer<PolicyName>>;
  /** For every field with `onDeny: MASK` what its value looks like to the others, by coordinate. @default {} */
  readonly masks?: Masks;
  /** Finds the {@link AuthContext} of an operation. @default (context) => context.auth */
  readonly auth?: (context: Context) => AuthContext | undefined;
  /**
   * `field` decides where each field is resolved. `operation` also refuses an operation as a whole, before anything
   * of it runs, when a denial is certain by then. `dry-run` enforces nothing and tells `onDryRun` what it would have
   * denied. @default 'field'
   */
  readonly enforce?: EnforceMode;
  /** Gets what a dry run would have denied; what depends on the caller only, once per principal object and coordinate. */
  readonly onDryRun?: OnDryRun;
  /** What becomes of fields that no rule reaches and that are not `@public`. @default 'allow' */
  readonly unprotected?: 'allow' | 'warn' | 'deny';
  /**
   * Gets the coordinates of those fields once, so that a new one is noticed.
   * @default with `warn` and `deny` a process warning with the code `DOORWARD_UNPROTECTED`
   */
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
  'rules',
  'masks',
  'auth',
  'enforce',
  'onDryRun',
  'unprotected',
  'onUnprotected',
  'policyTimeoutMs',
  'onError',
  'directiveName',
];

/** The context of an operation, where nothing else is said. */
interface HasAuth {
  readonly auth: AuthContext;
}

const UNPROTECTED: readonly unknown[] = ['allow', 'warn', 'deny'];
const MODES: readonly unknown[] = ['field', 'operation', 'dry-run'];

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
export function protectSchema<Context = unknown, PolicyName extends string = string>(
  schema: GraphQLSchema,
  options: ProtectSchemaOptions<Context, PolicyName>,
): GraphQLSchema {
  if (schemaProtection(schema) !== undefined) throw configInvalid('schema', 'is protected already');
  const compileOptions = checked(options);
  const plan = compile(schema, compileOptions);
  const { directiveName } = options;
  if (directiveName !== undefined && !schema.getDirective(directiveName)) {
    throw configInvalid('directiveName', 'is no directive of the schema');
  }
  const enforcer = createEnforcer(plan, options);
  const protection: SchemaProtection = { options: compileOptions, enforcer, visible: new WeakMap() };
  const guards = createGuards(enforcer, compileOptions.enforce, options.onDryRun);
  const roots = rootKinds(schema);

  const guarded = rebuildSchema(schema, {
    field: (config, coordinate, typeName) => {
      const field = plan.fields.get(coordinate);
      return field === undefined ? config : guardConfig(config, guards, roots.get(typeName), protection, field);
    },
    abstractType: (config) => (plan.abstracts.has(config.name) ? guardAbstractConfig(config, guards) : config),
  });
  guarded.extensions = withProtection(schema.extensions, protection);
  tellOfUnprotected(plan.unprotected, options);
  return guarded;
}

/** @param config - made anew for the field, so that it may be changed */
function guardConfig(
  config: GraphQLFieldConfig<unknown, unknown>,
  guards: Guards,
  root: RootKind,
  ofSchema: SchemaProtection,
  plan: FieldPlan,
): GraphQLFieldConfig<unknown, unknown> {
  const given = config.resolve ?? defaultFieldResolver;
  const resolve = guards.resolve(plan, given, root);
  config.resolve = resolve;
  let subscribe: Resolver | undefined;
  if (root === 'subscription') {
    subscribe = guards.subscribe(plan, config.subscribe ?? defaultFieldResolver, given);
    config.subscribe = subscribe;
  }
  config.extensions = withProtection(config.extensions, { ofSchema, plan, resolve, subscribe });
  return config;
}

function guardAbstractConfig<Config extends AbstractConfig>(config: Config, guards: Guards): Config {
  const resolveType = guards.resolveType(config.resolveType ?? defaultTypeResolver);
  return { ...config, resolveType, extensions: withProtection(config.extensions, { resolveType }) };
}

function createEnforcer<Context, Name extends string>(
  plan: SchemaPlan,
  options: ProtectSchemaOptions<Context, Name>,
): Enforcer {
  const { pdp, policies = {}, policyTimeoutMs: timeoutMs = 2_000, onError } = options;
  const find = options.auth as ((context: unknown) => AuthContext | undefined) | undefined;
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
      const auth = find === undefined ? (context as Partial<HasAuth> | null | undefined)?.auth : find(context);
      // Where the host makes it when it is asked for, that may fail, and fails here.
      void auth?.principal;
      return auth;
    } catch (error) {
      report(error, 'auth');
      return undefined;
    }
  }

  const isEnforced = options.enforce !== 'dry-run';
  const evaluator = createEvaluator({ pdp, policies, timeoutMs, isEnforced, memos, report });
  return { plan, memos, evaluator, timeoutMs, authOf, report };
}

function tellOfUnprotected<Context, Name extends string>(
  coordinates: readonly string[],
  { onUnprotected, unprotected, enforce }: ProtectSchemaOptions<Context, Name>,
): void {
  if (onUnprotected !== undefined) onUnprotected(coordinates);
  else if (coordinates.length > 0 && (unprotected === 'warn' || unprotected === 'deny')) {
    warnOfUnprotected(coordinates, unprotected === 'deny' && enforce !== 'dry-run' ? 'closed' : 'open');
  }
}

/** Checks the options, and takes out what compiling needs. */
function checked<Context, Name extends string>(options: ProtectSchemaOptions<Context, Name>): CompileOptions {
  refuseUnknownOptions(options, OPTIONS);
  refuseUndefined(options, ['rules', 'enforce', 'unprotected', 'directiveName']);
  const { pdp, policies = {}, rules = {}, masks = {} } = options;
  const { policyTimeoutMs = 2_000, unprotected = 'allow', enforce = 'field' } = options;
  requireDecisionPoint('pdp', pdp);
  if (!UNPROTECTED.includes(unprotected)) throw configInvalid('unprotected', 'must be allow, warn or deny');
  if (!MODES.includes(enforce)) throw configInvalid('enforce', 'must be field, operation or dry-run');
  for (const name of ['onDryRun', 'onUnprotected'] as const) {
    if (options[name] !== undefined && typeof options[name] !== 'function') {
      throw configInvalid(name, 'must be a function');
    }
  }
  if (!Number.isInteger(policyTimeoutMs) || policyTimeoutMs < 1 || policyTimeoutMs > 600_000) {
    throw configInvalid('policyTimeoutMs', 'must be a whole number of milliseconds, at most 600000');
  }
  for (const [name, mask] of Object.entries(masks)) {
    if (typeof mask !== 'function') throw configInvalid(`masks.${name}`, 'must be a function');
  }
  for (const [name, policy] of Object.entries(policies)) {
    if (typeof policy !== 'function') requireDecisionPointPolicy(`policies.${name}`, policy, pdp);
  }
  const { roles, permissions } = pdp;
  return {
    directiveName: options.directiveName ?? 'auth',
    known: { ...(roles && { roles }), ...(permissions && { permissions }), policies: new Set(Object.keys(policies)) },
    rules,
    masks,
    unprotected,
    enforce,
  };
}
