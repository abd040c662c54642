import type { AccessRequest } from 'doorward';
import type { Policy } from 'doorward/abac';

/** True, false, or unknown. */
export type Outcome = boolean | undefined;
type Json = Readonly<Record<string, unknown>>;
/** The opaque predicates that a policy names. */
export type Predicates = Readonly<Record<string, (request: AccessRequest) => unknown>>;

const isKnown = (value: unknown): boolean =>
  ['string', 'boolean'].includes(typeof value) || (typeof value === 'number' && Number.isFinite(value));
const isAttr = (operand: unknown): operand is { attr: string; timeZone?: string } =>
  typeof operand === 'object' && operand !== null && !Array.isArray(operand);
const negated = (outcome: Outcome): Outcome => (outcome === undefined ? undefined : !outcome);
const anyOf = (outcomes: readonly Outcome[]): Outcome =>
  outcomes.includes(true) ? true : outcomes.includes(undefined) ? undefined : false;
const codePoints = (text: string): number[] => Array.from(text, (character) => character.codePointAt(0) ?? 0);

function own(holder: unknown, name: string): unknown {
  if (typeof holder !== 'object' || holder === null || Array.isArray(holder)) return undefined;
  return Object.getOwnPropertyDescriptor(holder, name) === undefined ? undefined : (holder as Json)[name];
}

function read(operand: unknown, request: AccessRequest): unknown {
  if (!isAttr(operand)) return operand;
  if (operand.attr === 'action') return own(request, 'action');
  const [holder = '', name = ''] = operand.attr.split('.');
  const part = own(request, holder);
  if (operand.timeZone !== undefined) return hourIn(operand.timeZone, own(part, 'time'));
  const fields: Readonly<Record<string, readonly string[]>> = {
    subject: ['id', 'roles'],
    resource: ['id', 'type'],
    environment: ['time', 'hour', 'ip', 'userAgent'],
  };
  return own(fields[holder]?.includes(name) ? part : own(part, 'attributes'), name);
}

function hourIn(timeZone: string, time: unknown): unknown {
  if (typeof time !== 'number' || !(time >= 0 && Math.floor(time) <= 9_223_372_036_854)) return undefined;
  const format = new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', hourCycle: 'h23' });
  return Number(format.format(Math.floor(time)));
}

/** By code point, as everything that Doorward exports to compares texts. */
function isLess(a: string | number, b: string | number): boolean {
  if (typeof a === 'number' || typeof b === 'number') return a < b;
  const [left, right] = [codePoints(a), codePoints(b)];
  const at = left.findIndex((point, index) => point !== right[index]);
  return at === -1 ? left.length < right.length : (left[at] ?? 0) < (right[at] ?? -1);
}

function compare(operator: string, pair: readonly unknown[], request: AccessRequest): Outcome {
  const values = pair.map((operand) => read(operand, request));
  if (!values.every(isKnown) || (pair.every(isAttr) && values.includes(''))) return undefined;
  const [a, b] = values as [never, never];
  if (operator === 'eq') return a === b;
  if (typeof a !== typeof b || typeof a === 'boolean') return undefined;
  if (operator === 'lt') return isLess(a, b);
  if (typeof a !== 'string') return undefined;
  const [text, affix] = [a as string, b as string];
  return operator === 'startsWith'
    ? text.slice(0, affix.length) === affix
    : affix === '' || text.slice(-affix.length) === affix;
}

/** The semantics in a page, by tree walking: what everything compiled or exported must agree with. */
export function evaluate(condition: unknown, request: AccessRequest, predicates: Predicates = {}): Outcome {
  if (condition === 'always') return true;
  const [[operator, operands] = ['', []]] = Object.entries(condition as Json);
  const of = (other: unknown): Outcome => evaluate(other, request, predicates);
  const [a, b]: unknown[] = Array.isArray(operands) ? operands : [];
  switch (operator) {
    case 'or':
      return anyOf((operands as unknown[]).map(of));
    case 'and':
      return negated(anyOf((operands as unknown[]).map((each) => negated(of(each)))));
    case 'not':
      return negated(of(operands));
    case 'ne':
      return negated(of({ eq: [a, b] }));
    case 'gt':
      return of({ lt: [b, a] });
    case 'gte':
      return negated(of({ lt: [a, b] }));
    case 'lte':
      return negated(of({ lt: [b, a] }));
    case 'contains':
      return of({ in: [b, a] });
    case 'in': {
      const [item, list] = [read(a, request), read(b, request)];
      if (!isKnown(item) || !Array.isArray(list) || (isAttr(a) && isAttr(b) && item === '')) return undefined;
      const unknown = (element: unknown) => !isKnown(element) || (isAttr(a) && isAttr(b) && element === '');
      return anyOf(Array.from(list, (element) => (unknown(element) ? undefined : element === item)));
    }
    case 'present': {
      const value = read(operands, request);
      return isKnown(value) || Array.isArray(value);
    }
    case 'predicate': {
      const answer = predicates[operands as string]?.(request);
      return typeof answer === 'boolean' ? answer : undefined;
    }
    default:
      return compare(operator, [a, b], request);
  }
}

/** What one rule makes of a request, the resource types and actions it is about included. */
export function outcomeOf(rule: Policy['rules'][number], request: AccessRequest, predicates?: Predicates): Outcome {
  const about = [
    ...(rule.resources === undefined ? [] : [{ in: [{ attr: 'resource.type' }, rule.resources] }]),
    ...(rule.actions === undefined ? [] : [{ in: [{ attr: 'action' }, rule.actions] }]),
  ];
  return evaluate({ and: [...about, rule.when] }, request, predicates);
}

/** The rule that decides; `undefined` when none does, and the policy denies. */
export function decidingRule(
  { combining, rules }: Policy,
  request: AccessRequest,
  predicates?: Predicates,
): Policy['rules'][number] | undefined {
  const firing = rules.filter((rule) => {
    const outcome = outcomeOf(rule, request, predicates);
    return outcome === true || (rule.effect === 'deny' && outcome === undefined);
  });
  const denial = combining === 'deny-overrides' ? firing.find(({ effect }) => effect === 'deny') : undefined;
  return denial ?? firing[0];
}
