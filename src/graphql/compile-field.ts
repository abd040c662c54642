import {
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isInterfaceType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import type { InputCompiler } from './compile-input.ts';
import { stepUpOf, type TypeReader } from './compile-types.ts';
import { configError } from './config-error.ts';
import type { Declaration } from './inheritance.ts';
import type { FieldPlan, Mask, Requirement } from './plan.ts';
import type { RuleReader } from './read-rules.ts';
import type { Rule, RuleTable } from './rule.ts';
import type { Application, AuthDenial } from './rule-arguments.ts';

type Root = 'query' | 'mutation' | 'subscription' | undefined;

export interface FieldCompiler {
  readonly schema: GraphQLSchema;
  readonly read: RuleReader;
  readonly ofType: TypeReader;
  readonly rules: RuleTable;
  readonly input: InputCompiler;
  readonly masks: ReadonlyMap<string, Mask['apply']>;
}

const DENIAL_ORDER: readonly AuthDenial[] = ['ERROR', 'NULL', 'FILTER', 'MASK'];

/**
 * Works out what one field of an object type asks: the rules of its type, of the interfaces and of their
 * same-named fields, its own, and those of the type it returns. They are all ANDed, so that no way to the
 * field (an alias, a fragment, an interface, a union) goes around one of them.
 *
 * @param declarations - the field itself, then the same-named fields of the interfaces
 */
export function compileField(
  compiler: FieldCompiler,
  type: GraphQLObjectType,
  field: GraphQLField<unknown, unknown>,
  declarations: readonly Declaration[],
): FieldPlan {
  const { schema, read, ofType, rules, input, masks } = compiler;
  const coordinate = `${type.name}.${field.name}`;
  const returned = getNamedType(field.type);
  const ofReturned = ofType(returned);
  const returnsFields = isObjectType(returned) || isInterfaceType(returned);
  const applications = [
    ...ofType(type),
    ...declarations.flatMap((declared) => read(declared.field, declared.coordinate).applications),
    ...(returnsFields ? [] : ofReturned),
  ];

  const asking = [...applications, ...(returnsFields ? ofReturned : [])].filter(denyingWithError);
  const gate: Rule[] = returnsFields ? ofReturned.flatMap(({ rule }) => onePerPrincipal(rule)) : [];
  const requirements = new Map<string, Requirement>();
  for (const application of applications) {
    const { from, onDeny } = placed(application, field, coordinate, rootOf(type, schema));
    const parts = conjuncts(application.rule);
    // A rule that denies with an error denies the same before the resolver, and then the resolver need not run.
    const early = onDeny === 'ERROR' ? onePerPrincipal(application.rule) : [];
    gate.push(...early);
    const kept = parts.filter((rule) => !early.includes(rule));
    // Who is denied without an error is not told that another login would do.
    const login = onDeny === 'ERROR' ? undefined : stepUpOf([application], coordinate, rules);
    if (kept.length === 0 && login === undefined) continue;
    const rule = rules.all(login === undefined ? kept : [...kept, login]);
    requirements.set(`${from} ${onDeny} ${rule.text}`, { rule, from, onDeny });
  }

  const ordered = [...requirements.values()].sort(
    (a, b) => DENIAL_ORDER.indexOf(a.onDeny) - DENIAL_ORDER.indexOf(b.onDeny),
  );
  const masking = ordered.filter(({ onDeny }) => onDeny === 'MASK').map(({ from }) => from === 'RESULT');
  if (new Set(masking).size > 1) {
    throw configError(coordinate, 'is masked as a whole and from: RESULT; choose one');
  }
  return {
    coordinate,
    gate: applications.length > 0 || ofReturned.length > 0 ? rules.all(gate) : undefined,
    stepUp: stepUpOf(asking, coordinate, rules),
    before: ordered.filter(({ from }) => from !== 'RESULT'),
    after: ordered.filter(({ from }) => from === 'RESULT'),
    input: input.argumentsOf(field, declarations),
    listDepth: shapeOf(field.type).listDepth,
    mask: masking.length > 0 ? maskOf(declarations, masks) : undefined,
  };
}

/** Settles what an application means on this field, and refuses what it cannot mean. */
function placed(
  { from: written, onDeny = 'ERROR', node, rule }: Application,
  field: GraphQLField<unknown, unknown>,
  coordinate: string,
  root: Root,
): Pick<Requirement, 'from' | 'onDeny'> {
  const from = written ?? (root === undefined ? 'PARENT' : 'ARGS');
  const refuse = (problem: string): never => {
    throw configError(coordinate, problem, node);
  };
  if (from === 'PARENT' && root !== undefined) refuse('is a root field, which has no PARENT');
  if (root === 'mutation' && (from === 'RESULT' || onDeny === 'MASK')) {
    refuse('is a mutation, which would run before it is denied; rules on it look at ARGS and deny with ERROR or NULL');
  }
  if (root === 'subscription' && onDeny !== 'ERROR' && from !== 'RESULT') {
    refuse(`can deny with ${onDeny} only what comes from: RESULT; before the first event there is nothing`);
  }
  if (onDeny === 'FILTER' || onDeny === 'NULL') {
    const { listDepth, itemNullable } = shapeOf(field.type);
    const hasItems = from === 'RESULT' && (listDepth > 0 || root === 'subscription');
    const nullable = from === 'RESULT' ? itemNullable : !isNonNullType(field.type);
    if (onDeny === 'FILTER' && !hasItems) {
      refuse('can FILTER only a list, or the events of a subscription, with from: RESULT');
    }
    if (onDeny === 'NULL' && !nullable) refuse('can not be NULL, its type is non-null');
  }
  if (from === 'ARGS') {
    for (const [argument] of ownerPathsIn(rule)) {
      if (!field.args.some(({ name }) => name === argument)) refuse(`has no argument ${argument} for the owner path`);
    }
  }
  return { from, onDeny };
}

function ownerPathsIn(rule: Rule): readonly (readonly string[])[] {
  if (rule.kind === 'owner') return [rule.path];
  if (rule.kind === 'not') return ownerPathsIn(rule.rule);
  return rule.kind === 'all' || rule.kind === 'any' ? rule.rules.flatMap(ownerPathsIn) : [];
}

function denyingWithError({ onDeny = 'ERROR' }: Application): boolean {
  return onDeny === 'ERROR';
}

/** The parts of a rule that are ANDed. */
function conjuncts(rule: Rule): readonly Rule[] {
  return rule.kind === 'all' ? rule.rules : [rule];
}

/** The ANDed parts that are decided once per principal. */
export function onePerPrincipal(rule: Rule): readonly Rule[] {
  return conjuncts(rule).filter((part) => part.principalOnly);
}

function rootOf(type: GraphQLObjectType, schema: GraphQLSchema): Root {
  if (type === schema.getQueryType()) return 'query';
  if (type === schema.getMutationType()) return 'mutation';
  return type === schema.getSubscriptionType() ? 'subscription' : undefined;
}

function shapeOf(type: GraphQLOutputType): { readonly listDepth: number; readonly itemNullable: boolean } {
  const nullable = isNonNullType(type) ? type.ofType : type;
  if (!isListType(nullable)) return { listDepth: 0, itemNullable: nullable === type };
  const item = shapeOf(nullable.ofType);
  return { ...item, listDepth: item.listDepth + 1 };
}

function maskOf(declarations: readonly Declaration[], masks: ReadonlyMap<string, Mask['apply']>): Mask {
  for (const { coordinate } of declarations) {
    const apply = masks.get(coordinate);
    if (apply !== undefined) return { coordinate, apply };
  }
  throw configError(declarations[0]?.coordinate ?? '', 'has onDeny: MASK and no function in masks');
}
