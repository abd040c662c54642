import type { AccessRequest } from 'doorward';
import type { Policy } from 'doorward/abac';

type Outcome = boolean | undefined;
type Json = Readonly<Record<string, unknown>>;

const isKnown = (value: unknown): boolean =>
  ['string', 'boolean'].includes(typeof value) || (typeof value === 'number' && !Number.isNaN(value));
const isAttr = (operand: unknown): operand is { attr: string } =>
  typeof operand === 'object' && operand !== null && !Array.isArray(operand);
const negated = (outcome: Outcome): Outcome => (outcome === undefined ? undefined : !outcome);
const anyOf = (outcomes: readonly Outcome[]): Outcome =>
  outcomes.includes(true) ? true : outcomes.includes(undefined) ? undefined : false;

function read(operand: unknown, request: AccessRequest): unknown {
  if (!isAttr(operand)) return operand;
  if (operand.attr === 'action') return request.action;
  const [holder = '', name = ''] = operand.attr.split('.');
  const part = (request as unknown as Json)[holder] as Json;
  const fields = ['id', 'roles', 'type', 'time', 'hour', 'ip', 'userAgent'].includes(name)
    ? part
    : (part.attributes as Json);
  return new Map(Object.entries(fields ?? {})).get(name);
}

function compare(operator: string, pair: readonly unknown[], request: AccessRequest): Outcome {
  const values = pair.map((operand) => read(operand, request));
  if (!values.every(isKnown) || (pair.every(isAttr) && values.includes(''))) return undefined;
  const [a, b] = values as [never, never];
  if (operator === 'eq') return a === b;
  if (typeof a !== typeof b || typeof a === 'boolean') return undefined;
  if (operator === 'lt') return a < b;
  return typeof a === 'string' ? new RegExp(operator === 'startsWith' ? `^${b}` : `${b}$`).test(a) : undefined;
}

/** The semantics in a page, by tree walking: what the compiled engine must agree with. */
export function evaluate(condition: unknown, request: AccessRequest): Outcome {
  const [[operator, operands] = ['', []]] = Object.entries(condition as Json);
  const of = (other: unknown): Outcome => evaluate(other, request);
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
    default:
      return compare(operator, [a, b], request);
  }
}

/** The rule that decides, and which way; `undefined` when none does. */
export function firstMatch(policy: Policy, request: AccessRequest): Policy['rules'][number] | undefined {
  return policy.rules.find(
    ({ effect, when }) =>
      evaluate(when, request) === true || (effect === 'deny' && evaluate(when, request) === undefined),
  );
}
