import {
  type GraphQLField,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  isObjectType,
  isRequiredArgument,
} from 'graphql';
import { configInvalid, refuseUnknownOptions } from '../core/config-invalid.ts';
import { allow, type Decision, deny, isPromise, type MaybePromise } from '../core/index.ts';
import { together } from '../core/maybe-promise.ts';
import type { FieldPlan } from './compile/plan.ts';
import type { Call } from './decide/call.ts';
import { isAsyncIterable } from './enforce/async-iterable.ts';
import { callOf, type Denied, type Enforcer, firstDenial, stepsBefore } from './enforce/enforcer.ts';
import { isIterable } from './enforce/guard-result.ts';
import { presentInput } from './enforce/present-input.ts';
import { fieldProtection, schemaProtection } from './enforce/protection.ts';
import { visiblePart } from './enforce/visible-part.ts';
import { hasDefault } from './rules/declaration.ts';

/** What a field would be asked about. */
export interface CanOptions {
  /** The object that the field belongs to; rules that look at it deny without. */
  readonly parent?: unknown;
  /** The arguments as a resolver gets them: coerced, defaults filled in. @default {} */
  readonly args?: Readonly<Record<string, unknown>>;
  /** What the field resolves to, or a promise of it, where it has rules with `from: RESULT`; of a list every item must be allowed. */
  readonly result?: unknown;
}

type Field = GraphQLField<unknown, unknown>;

const OPTIONS: readonly string[] = ['parent', 'args', 'result'];

/**
 * Decides for a resolver what the guard of a field would decide, for the same caller: a resolver that hands on what
 * another field guards asks this first. Every rule counts alike, whatever its `onDeny`. What cannot be decided is
 * denied as indeterminate; fields that need no rule are allowed. Decisions are remembered and published as those of
 * the guards are, and a dry run changes none of them.
 *
 * @throws `CONFIG_INVALID` when the schema is not protected, has no such field in an object type, or for an unknown
 * option.
 * @example
 * const display = async (user: User, args: unknown, context: MyContext, info: GraphQLResolveInfo) => {
 *   const { allowed } = await can(info, context, 'User.email', { parent: user });
 *   return allowed ? user.email : user.name;
 * };
 */
export function can(
  info: GraphQLResolveInfo,
  context: unknown,
  coordinate: string,
  options: CanOptions = {},
): MaybePromise<Decision> {
  refuseUnknownOptions(options, OPTIONS);
  const enforcer = schemaProtection(info.schema)?.enforcer;
  if (enforcer === undefined) throw configInvalid('schema', 'is not protected');
  // A schema made for one caller may lack the field.
  const field = fieldOf(visiblePart(info.schema)?.whole ?? info.schema, coordinate);
  const plan = (field && fieldProtection(field)?.plan) ?? enforcer.plan.fields.get(coordinate);
  if (plan === undefined) {
    if (field === undefined) throw configInvalid(coordinate, 'is no field of an object type of the schema');
    return allow('no_rule');
  }

  const { parent, args = {}, result } = options;
  const items = plan.after.length === 0 ? [] : itemsOf(result, plan.listDepth);
  // Who is denied before does not wait for it.
  if (isPromise(items)) items.catch(() => undefined);
  const { inputTypes } = enforcer.plan;
  const missing = missingArguments(field, plan, args);
  const implied = Object.fromEntries(missing.map((name) => [name, undefined]));
  const present = presentInput(plan.input, missing.length === 0 ? args : { ...args, ...implied }, inputTypes);
  // What a value holds that nobody knows may have rules of its own.
  const isUnknown = plan.input.some(({ name, type }) => missing.includes(name) && inputTypes.has(type.name));
  if (plan.gate === undefined && present.length === 0 && !isUnknown) return allow('no_rule');
  // A resolver of a mutation may change what it asks about: nothing of it is remembered.
  const remembering = info.operation.operation === 'mutation' ? undefined : info;
  const call = callOf(enforcer, plan.coordinate, parent, args, context, remembering);
  if (call === undefined) return deny('no_rule');
  if (isUnknown) return deny('undefined_decision');

  const steps = stepsBefore(plan, present).map((step) =>
    step.about === 'ARGS' && missing.length > 0 ? { ...step, about: { resource: undefined } } : step,
  );
  const entered = firstDenial(enforcer.evaluator, call, steps);
  const verdict = (denied: Denied | undefined): MaybePromise<Decision> => {
    if (denied !== undefined) return denied.decision;
    return isPromise(items)
      ? items.then((settled) => resultDecision(enforcer, plan, call, settled), failed)
      : resultDecision(enforcer, plan, call, items);
  };
  const failed = (error: unknown): Decision => {
    enforcer.report(error, plan.coordinate);
    return deny('error');
  };
  return isPromise(entered) ? entered.then(verdict) : verdict(entered);
}

/** What the rules with `from: RESULT` say of a result: about nothing they say nothing, which allows nothing. */
function resultDecision(
  enforcer: Enforcer,
  plan: FieldPlan,
  call: Call,
  items: readonly unknown[],
): MaybePromise<Decision> {
  if (items.some((item) => item === null || item === undefined)) return deny('undefined_decision');
  const steps = items.flatMap((item) =>
    plan.after.map(({ rule, onDeny }) => ({ rule, onDeny, about: { resource: item, result: item } })),
  );
  const denial = firstDenial(enforcer.evaluator, call, steps);
  const decision = (denied: Denied | undefined): Decision => denied?.decision ?? allow('rule');
  return isPromise(denial) ? denial.then(decision) : decision(denial);
}

/** What the rules of a result look at; `undefined` stands for what is no result. */
function itemsOf(value: unknown, depth: number): MaybePromise<readonly unknown[]> {
  if (isPromise(value)) return Promise.resolve(value).then((settled) => itemsOf(settled, depth));
  if (value instanceof Error || (depth > 0 && isAsyncIterable(value))) return [undefined];
  if (depth === 0 || !isIterable(value)) return [value];
  const parts = together(Array.from(value, (item) => itemsOf(item, depth - 1)));
  return isPromise(parts) ? parts.then((settled) => settled.flat()) : parts.flat();
}

function fieldOf(schema: GraphQLSchema, coordinate: string): Field | undefined {
  const [, typeName = '', fieldName = ''] = /^(\w+)\.(\w+)$/.exec(coordinate) ?? [];
  const type = schema.getType(typeName);
  const fields = isObjectType(type) ? type.getFields() : {};
  return Object.hasOwn(fields, fieldName) ? fields[fieldName] : undefined;
}

/** Arguments left out that count as given, with a value nobody knows: the schema would not leave them out. */
function missingArguments(field: Field | undefined, { input }: FieldPlan, args: object): readonly string[] {
  const implied = field?.args.filter((arg) => isRequiredArgument(arg) || hasDefault(arg)) ?? input;
  return implied.map(({ name }) => name).filter((name) => !Object.hasOwn(args, name));
}
