import type { AccessRequest } from 'doorward';
import { type Condition, createPolicyEngine, type Policy, parsePolicy } from 'doorward/abac';
import { describe, expect, it } from 'vitest';
import { outcomeOf } from './support/reference.ts';

const shared = ['x'];
const same = { an: 'object' };
const VALUES: readonly unknown[] = [
  ...['', 'x', 'xy', 'yx', 'y', '5', 5, 4, 6, 0, -0, -1.5, true, false],
  ...[null, undefined, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 5n, Symbol.iterator],
  ...[
    same,
    shared,
    [],
    ['x', 5],
    ['y'],
    ['y', null],
    [''],
    ['', 'x'],
    [undefined],
    [Number.NaN],
    Object('x'),
    () => 'x',
  ],
];
/** Every value with itself, and with some others on the other side. */
const ALIKE = VALUES.map((value): Pair => [value, value]);
const PAIRS: readonly Pair[] = [...ALIKE, ...VALUES.flatMap((value) => ['x', ''].map((other): Pair => [value, other]))];
type Pair = readonly [unknown, unknown];

function requestOf(left: unknown, right: unknown): AccessRequest {
  const whole = { a: left, b: right };
  return {
    subject: { id: left, roles: left, attributes: whole },
    action: left,
    resource: { type: left, id: left, attributes: whole },
    environment: { time: left, hour: left, ip: left, userAgent: left, attributes: whole },
  } as unknown as AccessRequest;
}

/** Both engines and the trace say what the reference says, whatever the attributes are. */
function agreesWithReference(condition: object, pairs: readonly Pair[] = ALIKE): void {
  for (const effect of ['allow', 'deny'] as const) {
    const rules = [{ id: 'r', effect, when: condition as Condition }];
    const policy: Policy = parsePolicy({ name: 'p', combining: 'first-match', rules });
    const [rule] = policy.rules;
    if (rule === undefined) throw new Error('no rule');
    const engines = [false, true].map((generateCode) =>
      createPolicyEngine(policy, { generateCode, trace: !generateCode }),
    );
    const wrong = pairs.filter(([left, right]) => {
      const request = requestOf(left, right);
      const outcome = outcomeOf(rule, request);
      const fires = outcome === true || (effect === 'deny' && outcome === undefined);
      const decisions = engines.map((engine) => engine.decide(request));
      const traced = decisions[0]?.trace?.().rules[0]?.outcome;
      const told = outcome === undefined ? 'unknown' : outcome ? 'match' : 'no_match';
      return traced !== told || decisions.some(({ ruleId }) => (ruleId === 'r') !== fires);
    });
    expect({ condition, effect, wrong }).toEqual({ condition, effect, wrong: [] });
  }
}

const TEXTS = ['x', ''];
const NUMBERS = [5, 0, -1.5];
const BOOLEANS = [true, false];
describe('an attribute and a constant of every type', () => {
  it.each<[string, unknown[]]>([
    ...['subject.a', 'resource.a', 'environment.a'].map((path): [string, unknown[]] => [
      path,
      [...TEXTS, ...NUMBERS, ...BOOLEANS],
    ]),
    ...['subject.id', 'resource.id', 'resource.type', 'action', 'environment.ip', 'environment.userAgent'].map(
      (path): [string, unknown[]] => [path, TEXTS],
    ),
    ['environment.hour', NUMBERS],
    ['environment.time', NUMBERS],
  ])('%s: equal or not, on either side', (path, constants) => {
    for (const constant of constants) {
      agreesWithReference({ eq: [{ attr: path }, constant] });
      agreesWithReference({ ne: [constant, { attr: path }] });
    }
  });

  it.each<[string, unknown[]]>([
    ['subject.a', [5, 'x']],
    ['resource.a', [5, 'x']],
    ['environment.hour', [5]],
    ['environment.time', [5]],
  ])('%s: in an order, on either side', (path, constants) => {
    for (const operator of ['lt', 'lte', 'gt', 'gte']) {
      for (const constant of constants) {
        agreesWithReference({ [operator]: [{ attr: path }, constant] });
        agreesWithReference({ [operator]: [constant, { attr: path }] });
      }
    }
  });

  it.each(['subject.a', 'resource.a'])('%s: in a list, as a list, present, as a start and an end', (path) => {
    const attr = { attr: path };
    const long = ['x', 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'];
    for (const condition of [
      ...[['x'], ['x', 'y'], long].map((list) => ({ in: [attr, list] })),
      ...['x', '', 5].map((constant) => ({ contains: [attr, constant] })),
      { present: attr },
      ...['startsWith', 'endsWith'].flatMap((operator) => [{ [operator]: [attr, 'x'] }, { [operator]: ['xy', attr] }]),
    ]) {
      agreesWithReference(condition);
      agreesWithReference({ not: condition });
    }
  });
});

describe('two attributes', () => {
  const orders = ['eq', 'lt', 'startsWith', 'endsWith'];
  it.each<[string, string, readonly string[]]>([
    ['subject.id', 'resource.b', ['eq', 'in']],
    ['resource.b', 'subject.id', ['eq', 'contains']],
    ['subject.a', 'resource.b', [...orders, 'in', 'contains']],
    ['resource.a', 'subject.b', orders],
    ['subject.a', 'environment.b', orders],
    ['resource.a', 'resource.b', orders],
    ['action', 'subject.b', ['eq', 'in']],
    ['subject.roles', 'resource.b', ['contains']],
  ])('%s and %s', (left, right, operators) => {
    for (const operator of operators) {
      const condition = { [operator]: [{ attr: left }, { attr: right }] };
      agreesWithReference(condition, PAIRS);
      agreesWithReference({ not: condition }, PAIRS);
    }
  });
});
