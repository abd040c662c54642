import {
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLOutputType,
  getNamedType,
  isListType,
  isNonNullType,
} from 'graphql';
import { configError } from '../rules/config-error.ts';
import type { RuleReader } from '../rules/read-rules.ts';
import { conjuncts, onePerPrincipal, type Rule, type RuleTable } from '../rules/rule.ts';
import type { Application, AuthDenial } from '../rules/rule-arguments.ts';
import type { InputCompiler } from './compile-input.ts';
import { stepUpOf, type TypeReader } from './compile-types.ts';
import type { Declaration } from './inheritance.ts';
import type { FieldPlan, Mask, Requirement } from './plan.ts';
import { type Reaching, type RootKind, type RootKinds, resourceOf } from './reaching.ts';

export interface FieldCompiler {
  readonly roots: RootKinds;
  readonly read: RuleReader;
  readonly types: TypeReader;
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
  const { roots, read, types, input } = compiler;
  const coordinate = `${type.name}.${field.name}`;
  const ofFields = applicationsOn(declarations, read);
  const ofOwner = types.of(type);
  const ofReturned = types.entering(getNamedType(field.type));
  const rulesOfInput = input.argumentsOf(field, declarations);
  // Most fields of most schemas.
  if (ofFields.length + ofOwner.length + ofReturned.length === 0) {
    return { coordinate, input: rulesOfInput, ...UNGUARDED };
  }
  const reaching = { ofOwner, ofFields, ofReturned, root: roots.get(type.name) };
  const asks = compileRules(compiler, coordinate, field, declarations, reaching);
  return { coordinate, input: rulesOfInput, reaching, ...asks };
}

const NONE: readonly never[] = [];
const GATE_ONLY = { before: NONE, after: NONE, listDepth: 0, mask: undefined };
const UNGUARDED = { reaching: undefined, gate: undefined, stepUp: undefined, ...GATE_ONLY };

function applicationsOn(declarations: readonly Declaration[], read: RuleReader): readonly Application[] {
  let found: readonly Application[] = NONE;
  for (const { field, coordinate } of declarations) found = joined(found, read(field, coordinate).applications);
  return found;
}

function joined<Item>(first: readonly Item[], second: readonly Item[]): readonly Item[] {
  if (first.length === 0) return second;
  return second.length === 0 ? first : [...first, ...second];
}

function compileRules(
  { rules, masks }: FieldCompiler,
  coordinate: string,
  field: GraphQLField<unknown, unknown>,
  declarations: readonly Declaration[],
  { ofOwner, ofFields, ofReturned, root }: Reaching,
): Pick<FieldPlan, 'gate' | 'stepUp' | 'before' | 'after' | 'listDepth' | 'mask'> {
  const applications = joined(joined(ofOwner, ofFields), ofReturned);
  if (applications.every(isGate)) {
    const gate = rules.all(applications.map(({ rule }) => rule));
    return { gate, stepUp: stepUpOf(applications, coordinate, rules), ...GATE_ONLY };
  }

  const gate: Rule[] = [];
  const requirements = new Map<string, Requirement>();
  for (const application of applications) {
    const { from, onDeny } = placed(application, field, coordinate, root);
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
    gate: rules.all(gate),
    stepUp: stepUpOf(applications.filter(denyingWithError), coordinate, rules),
    before: ordered.filter(({ from }) => from !== 'RESULT'),
    after: ordered.filter(({ from }) => from === 'RESULT'),
    listDepth: shapeOf(field.type).listDepth,
    mask: masking.length > 0 ? maskOf(declarations, masks, applications) : undefined,
  };
}

/** Whether it asks only for the principal and denies with an error: then it means the same wherever it stands. */
function isGate({ rule, from, onDeny = 'ERROR' }: Application): boolean {
  return rule.principalOnly && from === undefined && onDeny === 'ERROR';
}

/** Settles what an application means on this field, and refuses what it cannot mean. */
function placed(
  application: Application,
  field: GraphQLField<unknown, unknown>,
  coordinate: string,
  root: RootKind,
): Pick<Requirement, 'from' | 'onDeny'> {
  const { onDeny = 'ERROR', node, rule } = application;
  const from = resourceOf(application, root);
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
