import { configInvalid, isPlainObject } from '../../core/config-invalid.ts';
import type { Kind } from '../condition/attribute.ts';
import { contains, endsWith, eq, gt, gte, isIn, lt, lte, ne, not, predicate, present, startsWith } from './build.ts';
import { listAt } from './json.ts';
import { isName } from './name.ts';
import { isConstant, kindOfOperand, parseAttribute, parseList, parseOperand } from './parse-operand.ts';
import type { Condition, ListOperand, Operand } from './policy.ts';

const MAX_DEPTH = 32;

const SCALARS: readonly Kind[] = ['string', 'number', 'boolean', undefined];
const ORDERED: readonly Kind[] = ['string', 'number', undefined];
const TEXTS: readonly Kind[] = ['string', undefined];

interface Comparison {
  readonly build: (left: Operand, right: Operand) => Condition;
  readonly kinds: readonly Kind[];
}

const COMPARISONS: ReadonlyMap<string, Comparison> = new Map([
  ['eq', { build: eq, kinds: SCALARS }],
  ['ne', { build: ne, kinds: SCALARS }],
  ['lt', { build: lt, kinds: ORDERED }],
  ['lte', { build: lte, kinds: ORDERED }],
  ['gt', { build: gt, kinds: ORDERED }],
  ['gte', { build: gte, kinds: ORDERED }],
  ['startsWith', { build: startsWith, kinds: TEXTS }],
  ['endsWith', { build: endsWith, kinds: TEXTS }],
]);

/** Checks a condition and all within, and rebuilds it with the functions that users build with. */
export function parseCondition(json: unknown, at: string, depth = 1): Condition {
  if (depth > MAX_DEPTH) throw configInvalid(at, `is nested deeper than ${MAX_DEPTH} conditions`);
  const [operator, operands] = onlyEntry(json, at);
  const here = `${at}.${operator}`;
  switch (operator) {
    case 'and':
      return { and: parseConditions(operands, here, depth) };
    case 'or':
      return { or: parseConditions(operands, here, depth) };
    case 'not':
      return not(parseCondition(operands, here, depth + 1));
    case 'present':
      return present(parseAttribute(operands, here));
    case 'predicate':
      return predicate(parsePredicate(operands, here));
    case 'in':
    case 'contains':
      return parseMembership(operator, operands, here);
  }
  const comparison = COMPARISONS.get(operator);
  if (comparison === undefined) throw configInvalid(at, `has an unknown operator ${JSON.stringify(operator)}`);
  return parseComparison(comparison, operands, here);
}

function parsePredicate(json: unknown, at: string): string {
  if (typeof json !== 'string' || !isName(json)) throw configInvalid(at, 'must be a name such as "isOnCall"');
  return json;
}

function parseConditions(json: unknown, at: string, depth: number): readonly Condition[] {
  const conditions = listAt(at, json);
  if (conditions.length === 0) throw configInvalid(at, 'must not be empty');
  return conditions.map((condition, index) => parseCondition(condition, `${at}[${index}]`, depth + 1));
}

function parseComparison({ build, kinds }: Comparison, json: unknown, at: string): Condition {
  const pair = pairAt(json, at);
  const left = parseOperand(pair[0], `${at}[0]`, kinds);
  const right = parseOperand(pair[1], `${at}[1]`, kinds);
  requireComparable(left, right, at);
  if (kinds === TEXTS && (left === '' || right === '')) throw configInvalid(at, 'compares with an empty text');
  return build(left, right);
}

function parseMembership(operator: 'in' | 'contains', json: unknown, at: string): Condition {
  const pair = pairAt(json, at);
  const [itemSide, listSide] = operator === 'in' ? ([0, 1] as const) : ([1, 0] as const);
  const item = parseOperand(pair[itemSide], `${at}[${itemSide}]`, SCALARS);
  const list = parseList(pair[listSide], `${at}[${listSide}]`);
  requireComparable(item, list, at);
  return operator === 'in' ? isIn(item, list) : contains(list, item);
}

/** A comparison that can never hold, or never fail, is a mistake: most often a forgotten `attr`. */
function requireComparable(left: Operand, right: Operand | ListOperand, at: string): void {
  if (isConstant(left) && isConstant(right)) throw configInvalid(at, 'compares constants and reads no attribute');
  const kinds = [kindOfOperand(left), kindOfOperand(right)].filter((kind) => kind !== undefined && kind !== 'list');
  if (new Set(kinds).size > 1) throw configInvalid(at, `compares a ${kinds.join(' with a ')}`);
}

function onlyEntry(json: unknown, at: string): readonly [string, unknown] {
  if (!isPlainObject(json)) throw configInvalid(at, 'must be a condition object');
  const [entry, ...others] = Object.entries(json);
  if (entry === undefined || others.length > 0) throw configInvalid(at, 'must have exactly one operator');
  return entry;
}

function pairAt(json: unknown, at: string): readonly [unknown, unknown] {
  const pair = listAt(at, json);
  if (pair.length !== 2) throw configInvalid(at, 'must have exactly two operands');
  return [pair[0], pair[1]];
}
