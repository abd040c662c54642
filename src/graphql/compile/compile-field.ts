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
import { configError } from '../rules/config-error.ts';
import type { RuleReader } from '../rules/read-rules.ts';
import type { Rule, RuleTable } from '../rules/rule.ts';
import type { Application, AuthDenial } from '../rules/rule-arguments.ts';
import type { InputCompiler } from './compile-input.ts';
import { stepUpOf, type TypeReader } from './compile-types.ts';
import type { Declaration } from './inheritance.ts';
import type { FieldPlan, Mask, Requirement } from './plan.ts';
import { type RuleSource, type RuleVia, ruleSource } from './rule-source.ts';

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
  const { read, ofType, input } = compiler;
  const ofReturned = ofType(getNamedType(field.type));
  const ofFields = applicationsOn(declarations, read);
  const ofOwner = ofType(type);
  const rulesOfInput = input.argumentsOf(field, declarations);
  // Most fields of most schemas.
  if (ofFields.length + ofOwner.length + ofReturned.length === 0) {
    return {
      coordinate: declarations[0]?.coordinate ?? '',
      gate: undefined,
      stepUp: undefined,
      before: NONE,
      input: rulesOfInput,
      after: NONE,
      listDepth: shapeOf(field.type).listDepth,
      mask: undefined,
      sources: NONE,
    };
  }
  return compileRules(compiler, type, field, { declarations, ofFields, ofOwner, ofReturned, input: rulesOfInput });
}

/** The rules that reach a field, by where they come from. */
interface Reaching {
  readonly declarations: readonly Declaration[];
  readonly ofFields: readonly Application[];
  readonly ofOwner: readonly Application[];
  readonly ofReturned: readonly Application[];
  readonly input: FieldPlan['input'];
}

const NONE: readonly never[] = [];

function applicationsOn(declarations: readonly Declaration[], read: RuleReader): readonly Application[] {
  let found: readonly Application[] = NONE;
  for (const { field, coordinate } of declarations) {
    const { applications } = read(field, coordinate);
    if (applications.length > 0) found = found.length === 0 ? applications : [...found, ...applications];
  }
  return found;
}

function compileRules(
  { schema, rules, masks }: FieldCompiler,
  type: GraphQLObjectType,
  field: GraphQLField<unknown, unknown>,
  { declarations, ofFields, ofOwner, ofReturned, input }: Reaching,
): FieldPlan {
  const coordinate = `${type.name}.${field.name}`;
  const returned = getNamedType(field.type);
  const returnsFields = isObjectType(returned) || isInterfaceType(returned);
  const root = rootOf(type, schema);
  const applications = [...ofOwner, ...ofFields, ...(returnsFields ? [] : ofReturned)];

  const asking = [...applications, ...(returnsFields ? ofReturned : [])].filter(denyingWithError);
  const gate: Rule[] = returnsFields ? ofReturned.flatMap(({ rule }) => onePerPrincipal(rule)) : [];
  const requirements = new Map<string, Requirement>();
  const sources: RuleSource[] = [];
  for (const application of applications) {
    const { from, onDeny } = placed(application, field, coordinate, root);
    sources.push(ruleSource(application, application.rule, viaOf(application), { from, onDeny }));
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
    throw configError(coordinate, 'is masked as a whole and from: RESULT; choose one', maskNode(applications));
  }
  return {
    coordinate,
    input,
    listDepth: shapeOf(field.type).listDepth,
    gate: rules.all(gate),
    stepUp: stepUpOf(asking, coordinate, rules),
    before: ordered.filter(({ from }) => from !== 'RESULT'),
    after: ordered.filter(({ from }) => from === 'RESULT'),
    mask: masking.length > 0 ? maskOf(declarations, masks, applications) : undefined,
    sources: [...sources, ...(returnsFields ? ofReturned.map(entering) : [])],
  };

  function viaOf(application: Application): RuleVia {
    if (ofFields.includes(application)) return application.coordinate === coordinate ? 'FIELD' : 'INTERFACE_FIELD';
    if (!returnsFields && ofReturned.includes(application)) return 'RETURN_TYPE';
    return application.coordinate === type.name ? 'TYPE' : 'INTERFACE';
  }

  /** Of the rules of an object type those that the way to it asks; the others are asked on its fields. */
  function entering(application: Application): RuleSource {
    return ruleSource(application, rules.all(onePerPrincipal(application.rule)), 'RETURN_TYPE');
  }
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

function maskOf(
  declarations: readonly Declaration[],
  masks: ReadonlyMap<string, Mask['apply']>,
  applications: readonly Application[],
): Mask {
  for (const { coordinate } of declarations) {
    const apply = masks.get(coordinate);
    if (apply !== undefined) return { coordinate, apply };
  }
  throw configError(
    declarations[0]?.coordinate ?? '',
    'has onDeny: MASK and no function in masks',
    maskNode(applications),
  );
}

function maskNode(applications: readonly Application[]): Application['node'] {
  return applications.find(({ onDeny }) => onDeny === 'MASK')?.node;
}
