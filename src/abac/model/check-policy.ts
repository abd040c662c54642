import { configInvalid } from '../../core/config-invalid.ts';
import type { AttributeRef, Condition, ListOperand, Operand, Policy, PolicyRule, Scalar } from '../policy/policy.ts';
import type { ModelVocabulary, ValueType } from './vocabulary.ts';

const ORDERS: readonly string[] = ['lt', 'lte', 'gt', 'gte'];
/** Whether a listed value and a constant can ever satisfy a comparison; elsewhere they have to be equal. */
type Fits = (left: string, right: string) => boolean;
const AFFIXES: ReadonlyMap<string, Fits> = new Map([
  ['startsWith', (text, affix) => text.startsWith(affix)],
  ['endsWith', (text, affix) => text.endsWith(affix)],
]);
const LIST_SIDE: ReadonlyMap<string, number> = new Map([
  ['in', 1],
  ['contains', 0],
]);

/** The type of the values at a path, in each resource type that the rule is about. */
type TypesAt = (attribute: AttributeRef, at: string) => readonly ValueType[];

interface Scope {
  readonly typesAt: TypesAt;
  readonly predicates: ReadonlySet<string>;
}

/** @throws `CONFIG_INVALID` with the JSON path of what the model does not know. */
export function checkPolicy({ rules }: Policy, model: ModelVocabulary): void {
  rules.forEach((rule, index) => {
    const at = `$.rules[${index}]`;
    const scope = { typesAt: typesIn(rule, at, model), predicates: model.predicates };
    if (rule.when !== 'always') checkCondition(rule.when, `${at}.when`, scope);
  });
}

function typesIn({ resources, actions }: PolicyRule, at: string, model: ModelVocabulary): TypesAt {
  const known = [...model.resources.keys()];
  resources?.forEach((type, index) => {
    if (!known.includes(type)) throw configInvalid(`${at}.resources[${index}]`, unknown('a resource type', known));
  });
  const about = [...model.resources].filter(([type]) => resources?.includes(type) ?? true);
  const verbs = [...new Set(about.flatMap(([, resource]) => resource.actions))];
  actions?.forEach((action, index) => {
    if (!verbs.includes(action)) throw configInvalid(`${at}.actions[${index}]`, unknown('an action', verbs));
  });
  const types = about.map(([type]) => type);
  return ({ attr }, where) => {
    if (attr === 'action') return [{ kind: 'string', isList: false, allowed: verbs }];
    if (attr === 'resource.type') return [{ kind: 'string', isList: false, allowed: types }];
    if (!attr.startsWith('resource.')) {
      return [model.paths.get(attr) ?? refuse(`${where}.attr`, unknown('an attribute', [...model.paths.keys()]))];
    }
    return about.map(
      ([type, { paths }]) => paths.get(attr) ?? refuse(`${where}.attr`, `is no attribute of ${JSON.stringify(type)}`),
    );
  };
}

function checkCondition(condition: Condition, at: string, scope: Scope): void {
  if ('and' in condition) {
    condition.and.forEach((part, index) => {
      checkCondition(part, `${at}.and[${index}]`, scope);
    });
  } else if ('or' in condition) {
    condition.or.forEach((part, index) => {
      checkCondition(part, `${at}.or[${index}]`, scope);
    });
  } else if ('not' in condition) checkCondition(condition.not, `${at}.not`, scope);
  else if ('present' in condition) scope.typesAt(condition.present, `${at}.present`);
  else if ('predicate' in condition) {
    const names = [...scope.predicates];
    if (!scope.predicates.has(condition.predicate))
      throw configInvalid(`${at}.predicate`, unknown('a predicate', names));
  } else checkOperands(condition, at, scope.typesAt);
}

type Binary = Exclude<
  Condition,
  | { readonly and: unknown }
  | { readonly or: unknown }
  | { readonly not: unknown }
  | { readonly present: unknown }
  | { readonly predicate: unknown }
>;

interface Side {
  readonly operand: Operand | ListOperand;
  readonly at: string;
  /** Absent for constants. */
  readonly types?: readonly ValueType[];
}

function checkOperands(condition: Binary, at: string, typesAt: TypesAt): void {
  const entries: [string, readonly [Operand | ListOperand, Operand | ListOperand]][] = Object.entries(condition);
  for (const [operator, pair] of entries) {
    const here = `${at}.${operator}`;
    const sideOf = (index: 0 | 1): Side => {
      const operand = pair[index];
      const side = { operand, at: `${here}[${index}]` };
      if (!isAttribute(operand)) return side;
      const types = typesAt(operand, side.at);
      const wantsList = LIST_SIDE.get(operator) === index;
      for (const type of types) requireShape(type, wantsList, operator, side.at);
      return { ...side, types };
    };
    const [left, right] = [sideOf(0), sideOf(1)];
    const fits = AFFIXES.get(operator) ?? ((value, constant) => value === constant);
    for (const type of right.types ?? []) requireType(left, type, here, (value, constant) => fits(constant, value));
    for (const type of left.types ?? []) requireType(right, type, here, fits);
  }
}

function requireShape({ kind, isList }: ValueType, wantsList: boolean, operator: string, at: string): void {
  if (isList !== wantsList) throw configInvalid(at, wantsList ? 'must be a list' : 'must not be a list here');
  const isRefused = (ORDERS.includes(operator) && kind === 'boolean') || (AFFIXES.has(operator) && kind !== 'string');
  if (isRefused) throw configInvalid(at, `must not be a ${kind} here`);
}

/** One side of a comparison, beside an attribute whose values are of some type. */
function requireType({ operand, at, types }: Side, beside: ValueType, comparison: string, fits: Fits): void {
  if (types === undefined) checkConstants(operand as Scalar | readonly Scalar[], beside, at, fits);
  else if (types.some(({ kind }) => kind !== beside.kind)) throw configInvalid(comparison, 'compares two types');
}

/** Constants beside an attribute: of its type, and fit for one of its values where those are listed. */
function checkConstants(constants: Scalar | readonly Scalar[], type: ValueType, at: string, fits: Fits): void {
  if (typeof constants === 'object') {
    constants.forEach((constant, index) => {
      checkConstants(constant, type, `${at}[${index}]`, fits);
    });
    return;
  }
  const { kind, allowed } = type;
  if (typeof constants !== kind) throw configInvalid(at, `must be a ${kind}`);
  if (allowed !== undefined && !allowed.some((value) => fits(value, String(constants)))) {
    throw configInvalid(at, `must be one of ${listed(allowed)}`);
  }
}

function isAttribute(operand: Operand | ListOperand): operand is AttributeRef {
  return typeof operand === 'object' && 'attr' in operand;
}

function unknown(what: string, known: readonly string[]): string {
  return `is not ${what} of the model, which has ${listed(known)}`;
}

function listed(names: readonly string[]): string {
  return names.length === 0 ? 'none' : names.map((name) => JSON.stringify(name)).join(', ');
}

function refuse(at: string, problem: string): never {
  throw configInvalid(at, problem);
}
