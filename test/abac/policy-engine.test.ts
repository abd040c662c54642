import { type AccessRequest, ask } from 'doorward';
import {
  and,
  attr,
  type Condition,
  contains,
  createPolicyEngine,
  endsWith,
  eq,
  gte,
  hasRole,
  hourBetween,
  isIn,
  lt,
  lte,
  ne,
  not,
  or,
  owner,
  policy,
  present,
  rule,
  sameDepartment,
  startsWith,
} from 'doorward/abac';
import { describe, expect, it } from 'vitest';

type Values = Readonly<Record<string, unknown>>;
interface Facts {
  readonly id?: unknown;
  readonly roles?: unknown;
  readonly subject?: unknown;
  readonly action?: unknown;
  readonly resource?: unknown;
  readonly environment?: Values;
}
const requestWith = ({
  id = 'ada',
  roles = [],
  subject = {},
  action = 'read',
  resource = {},
  environment = {},
}: Facts) =>
  ({
    subject: { id, roles, attributes: subject },
    action,
    resource: { type: 'document', id: 'd1', attributes: resource },
    environment: { time: 0, ...environment },
  }) as AccessRequest;

/** What an allow rule and a deny rule on the condition do tells true, false and unknown apart. */
function outcomeOf(when: Condition, facts: Facts): string {
  const request = requestWith(facts);
  const allows = createPolicyEngine(policy('p', [rule.allow('r', when)])).decide(request);
  const denies = createPolicyEngine(policy('p', [rule.deny('r', when)])).decide(request);
  expect(denies.allowed).toBe(false);
  const outcome = allows.allowed ? 'true' : denies.ruleId === 'r' ? 'unknown' : 'false';
  const traced = allows.trace?.().rules[0]?.outcome;
  expect(traced).toBe({ true: 'match', false: 'no_match', unknown: 'unknown' }[outcome]);
  return outcome;
}
const a = attr('subject.a');
const b = attr('resource.b');

describe('comparing values', () => {
  it.each<[string, Condition, unknown, string]>([
    ['equal', eq(a, 'x'), 'x', 'true'],
    ['not equal', eq(a, 'x'), 'y', 'false'],
    ['not equal', ne(a, 'x'), 'y', 'true'],
    ['a number against the same text', eq(a, '1'), 1, 'false'],
    ['a number against the same text', ne(a, '1'), 1, 'true'],
    ['a boolean against its number', eq(a, 1), true, 'false'],
    ['an empty text against the empty constant', eq(a, ''), '', 'true'],
    ['missing', eq(a, 'x'), undefined, 'unknown'],
    ['missing', ne(a, 'x'), undefined, 'unknown'],
    ['null', eq(a, 'x'), null, 'unknown'],
    ['NaN', eq(a, 1), Number.NaN, 'unknown'],
    ['a list', eq(a, 'x'), ['x'], 'unknown'],
    ['an object that prints alike', eq(a, 'x'), { toString: () => 'x' }, 'unknown'],
    ['a text object', eq(a, 'x'), Object('x'), 'unknown'],
    ['a number in order', lt(a, 10), 9, 'true'],
    ['a number at the edge', lt(a, 10), 10, 'false'],
    ['a number at the edge', lte(a, 10), 10, 'true'],
    ['a text in a numeric order', gte(a, 9), '10', 'unknown'],
    ['a number in a text order', gte(a, '9'), 10, 'unknown'],
    ['a boolean in an order', gte(a, 0), true, 'unknown'],
    ['NaN in an order', lt(a, 10), Number.NaN, 'unknown'],
    ['infinity in an order', gte(a, 9), Infinity, 'unknown'],
    ['texts by code unit, not by locale', lt(a, 'a'), 'Z', 'true'],
    ['texts by code unit, not by number', lt(a, '9'), '10', 'true'],
    ['a start', startsWith(a, 'pub-'), 'pub-1', 'true'],
    ['not a start', startsWith(a, 'pub-'), 'Pub-1', 'false'],
    ['the start of a number', startsWith(a, '1'), 12, 'unknown'],
    ['an end', endsWith(a, '.md'), 'x.md', 'true'],
    ['not an end', endsWith(a, '.md'), 'x.md ', 'false'],
    ['one of a list', isIn(a, ['x', 'y']), 'y', 'true'],
    ['none of a list', isIn(a, ['x', 'y']), 'z', 'false'],
    ['a list in a list', isIn(a, ['x', 'y']), ['x'], 'unknown'],
    ['nothing in a list', isIn(a, ['x', 'y']), null, 'unknown'],
    ['a text among numbers', isIn(a, [1, 2]), '1', 'false'],
    ['a list that has it', contains(a, 'x'), ['w', 'x'], 'true'],
    ['a list that has it beside junk', contains(a, 'x'), [null, 'x'], 'true'],
    ['a list that has it not', contains(a, 'x'), ['w'], 'false'],
    ['an empty list', contains(a, 'x'), [], 'false'],
    ['a list with junk', contains(a, 'x'), ['w', null], 'unknown'],
    ['a list with a hole', contains(a, 'x'), new Array(1), 'unknown'],
    ['a text is no list', contains(a, 'x'), 'x', 'unknown'],
    ['a set is no list', contains(a, 'x'), new Set(['x']), 'unknown'],
    ['a value is present', present(a), false, 'true'],
    ['an empty text is present', present(a), '', 'true'],
    ['a list is present', present(a), [], 'true'],
    ['null is not', present(a), null, 'false'],
    ['NaN is not', present(a), Number.NaN, 'false'],
    ['an object is not', present(a), {}, 'false'],
    ['nothing is not', present(a), undefined, 'false'],
  ])('%s: %j of %j is %s', (_, condition, value, outcome) => {
    expect(outcomeOf(condition, { subject: { a: value } })).toBe(outcome);
  });

  it.each<[unknown, unknown, string]>([
    ['x', 'x', 'true'],
    ['x', 'y', 'false'],
    [1, 1, 'true'],
    [1, '1', 'false'],
    [undefined, undefined, 'unknown'],
    [null, null, 'unknown'],
    ['', '', 'unknown'],
    ['', 'x', 'unknown'],
    ['x', '', 'unknown'],
    [Number.NaN, Number.NaN, 'unknown'],
    [['x'], ['x'], 'unknown'],
    [undefined, 'undefined', 'unknown'],
  ])('AZ-10 AZ-11 two attributes: %j = %j is %s', (left, right, outcome) => {
    expect(outcomeOf(eq(a, b), { subject: { a: left }, resource: { b: right } })).toBe(outcome);
    expect(outcomeOf(not(ne(b, a)), { subject: { a: left }, resource: { b: right } })).toBe(outcome);
    expect(outcomeOf(isIn(a, b), { subject: { a: left }, resource: { b: [right] } })).toBe(outcome);
  });

  it('an empty text is no start of everything, when both sides are attributes', () => {
    expect(outcomeOf(startsWith(b, a), { subject: { a: '' }, resource: { b: 'x' } })).toBe('unknown');
  });
});

describe('joining conditions', () => {
  const is = {
    true: eq(attr('action'), 'read'),
    false: eq(attr('action'), 'write'),
    unknown: eq(attr('subject.none'), 'x'),
  };
  it.each([
    ['true', 'true', 'true', 'true'],
    ['true', 'false', 'false', 'true'],
    ['true', 'unknown', 'unknown', 'true'],
    ['false', 'false', 'false', 'false'],
    ['false', 'unknown', 'false', 'unknown'],
    ['unknown', 'unknown', 'unknown', 'unknown'],
  ] as const)('%s and/or %s is %s/%s, in either order', (left, right, conjunction, disjunction) => {
    expect(outcomeOf(and(is[left], is[right]), {})).toBe(conjunction);
    expect(outcomeOf(and(is[right], is[left]), {})).toBe(conjunction);
    expect(outcomeOf(or(is[left], is[right]), {})).toBe(disjunction);
    expect(outcomeOf(or(is[right], is[left]), {})).toBe(disjunction);
  });

  it('not turns true and false, and leaves unknown', () => {
    expect(outcomeOf(not(is.true), {})).toBe('false');
    expect(outcomeOf(not(is.false), {})).toBe('true');
    expect(outcomeOf(not(is.unknown), {})).toBe('unknown');
  });
});

describe('which rule decides', () => {
  const suspended = rule.deny('suspended', eq(attr('subject.status'), 'suspended'));
  const everyone = rule.allow('everyone', present(attr('action')));

  it('the first that fires, in the order of the policy', () => {
    const engine = createPolicyEngine(policy('p', [suspended, everyone]));
    expect(engine.decide(requestWith({ subject: { status: 'suspended' } }))).toMatchObject({
      allowed: false,
      effect: 'deny',
      reason: 'rule',
      ruleId: 'suspended',
      revision: engine.revision,
    });
    expect(engine.decide(requestWith({ subject: { status: 'active' } }))).toMatchObject({
      allowed: true,
      effect: 'allow',
      reason: 'rule',
      ruleId: 'everyone',
    });
    const reversed = createPolicyEngine(policy('p', [everyone, suspended]));
    expect(reversed.decide(requestWith({ subject: { status: 'suspended' } })).allowed).toBe(true);
  });

  it('a deny rule that cannot know fires', () => {
    const engine = createPolicyEngine(policy('p', [suspended, everyone]));
    for (const status of [undefined, null, {}, ['active']]) {
      expect(engine.decide(requestWith({ subject: { status } }))).toMatchObject({
        allowed: false,
        ruleId: 'suspended',
      });
    }
  });

  it('a deny rule on inequality fires when an attribute is missing', () => {
    const strangers = rule.deny('strangers', ne(attr('subject.id'), attr('resource.owner_id')));
    const engine = createPolicyEngine(policy('p', [strangers, everyone]));
    expect(engine.decide(requestWith({ id: 'ada', resource: {} })).ruleId).toBe('strangers');
    expect(engine.decide(requestWith({ id: 'ada', resource: { owner_id: 'bob' } })).ruleId).toBe('strangers');
    expect(engine.decide(requestWith({ id: 'ada', resource: { owner_id: 'ada' } })).ruleId).toBe('everyone');
  });

  it('none denies', () => {
    const decision = createPolicyEngine(policy('p', [suspended])).decide(
      requestWith({ subject: { status: 'active' } }),
    );
    expect(decision).toMatchObject({ allowed: false, effect: 'deny', reason: 'no_rule' });
    expect(decision).not.toHaveProperty('ruleId');
  });
});

describe('reading attributes', () => {
  it.each<[string, unknown]>([
    ['inherited', Object.create({ a: 'x' })],
    [
      'of a class',
      new (class {
        get a() {
          return 'x';
        }
      })(),
    ],
    ['null', null],
    ['a text', 'x'],
    ['missing', undefined],
  ])('attributes that are %s are unknown', (_, subject) => {
    expect(outcomeOf(eq(a, 'x'), { subject })).toBe('unknown');
  });

  it.each(['toString', 'valueOf', 'hasOwnProperty', '__defineGetter__'])(
    '%s of every object is no attribute',
    (name) => {
      expect(outcomeOf(present(attr(`subject.${name}`)), {})).toBe('false');
    },
  );

  it('nothing is read from a polluted Object.prototype', () => {
    const polluted = Object.prototype as Record<string, unknown>;
    Object.assign(polluted, { department: 'sales', owner_id: 'ada', hour: 10, role: 'admin' });
    try {
      expect(outcomeOf(sameDepartment(), {})).toBe('unknown');
      expect(outcomeOf(owner(), {})).toBe('unknown');
      expect(outcomeOf(hourBetween(9, 18), {})).toBe('unknown');
    } finally {
      for (const name of ['department', 'owner_id', 'hour', 'role']) delete polluted[name];
    }
  });

  it('the own fields of a request are not its attributes', () => {
    expect(outcomeOf(eq(attr('subject.id'), 'eve'), { id: 'ada', subject: { id: 'eve' } })).toBe('false');
    expect(outcomeOf(eq(attr('resource.id'), 'd1'), { resource: { id: 'd2' } })).toBe('true');
    expect(outcomeOf(hasRole('admin'), { roles: ['viewer'], subject: { roles: ['admin'] } })).toBe('false');
    expect(outcomeOf(eq(attr('resource.type'), 'document'), {})).toBe('true');
    expect(outcomeOf(eq(attr('environment.ip'), '192.0.2.1'), { environment: { ip: '192.0.2.1' } })).toBe('true');
    expect(
      outcomeOf(startsWith(attr('environment.userAgent'), 'curl/'), { environment: { userAgent: 'curl/8' } }),
    ).toBe('true');
    expect(outcomeOf(lt(attr('environment.time'), 1), {})).toBe('true');
  });

  it.each<[unknown]>([['admin'], [{ admin: true }], [null], [[['admin']]], [['Admin']], [['admin ']], [['__proto__']]])(
    'AZ-03 the roles %j do not hold admin',
    (roles) => {
      expect(outcomeOf(hasRole('admin'), { roles })).not.toBe('true');
    },
  );

  it('an attribute that throws when it is read denies as an error', () => {
    const engine = createPolicyEngine(policy('p', [rule.allow('r', present(a))]));
    const hostile = {
      get a() {
        throw new Error('secret');
      },
    };
    expect(ask(engine, requestWith({ subject: hostile }))).toMatchObject({ allowed: false, reason: 'error' });
  });
});

describe('a trace', () => {
  const details = (when: Condition, facts: Facts): unknown =>
    createPolicyEngine(policy('p', [rule.allow('r', when)]))
      .decide(requestWith(facts))
      .trace?.().rules[0]?.detail;

  it.each<[Condition, Facts, string]>([
    [
      eq(attr('resource.sensitivity'), 'high'),
      { resource: { sensitivity: 'low' } },
      'resource.sensitivity = low (wants high)',
    ],
    [eq(attr('resource.sensitivity'), 'high'), { resource: { sensitivity: 'high' } }, 'resource.sensitivity = high'],
    [eq(attr('resource.sensitivity'), 'high'), {}, 'resource.sensitivity = missing (wants high)'],
    [ne(attr('action'), 'read'), {}, 'action = read (wants not read)'],
    [owner(), { resource: { owner_id: 'bob' } }, 'subject.id = ada (wants resource.owner_id = bob)'],
    [owner(), { resource: { owner_id: 'ada' } }, 'subject.id = ada, resource.owner_id = ada'],
    [owner(), { id: '', resource: { owner_id: '' } }, 'subject.id = "" (wants resource.owner_id = "")'],
    [hasRole('admin'), { roles: ['viewer', 'editor'] }, 'subject.roles = [viewer, editor] (wants to have admin)'],
    [isIn(attr('action'), ['update', 'delete']), {}, 'action = read (wants one of [update, delete])'],
    [hourBetween(9, 18), { environment: { hour: 20 } }, 'environment.hour = 20 (wants <= 18)'],
    [hourBetween(9, 18), { environment: { hour: 10 } }, 'environment.hour = 10'],
    [
      hourBetween(22, 5),
      { environment: { hour: 10 } },
      'environment.hour = 10 (wants >= 22), environment.hour = 10 (wants <= 5)',
    ],
    [
      lt(attr('resource.level'), attr('subject.level')),
      { resource: { level: 3 }, subject: { level: 2 } },
      'resource.level = 3 (wants < subject.level = 2)',
    ],
    [startsWith(attr('resource.id'), 'x'), {}, 'resource.id = d1 (wants a start with x)'],
    [endsWith(attr('resource.id'), 'x'), {}, 'resource.id = d1 (wants an end with x)'],
    [present(attr('subject.email')), {}, 'subject.email = missing (wants a value)'],
    [not(present(attr('subject.email'))), { subject: { email: 'a@b' } }, 'subject.email = a@b (wants no value)'],
    [
      not(and(eq(attr('action'), 'read'), hasRole('guest'))),
      { roles: ['guest'] },
      'action = read (wants not read), subject.roles = [guest] (wants not to have guest)',
    ],
    [and(hasRole('a'), eq(attr('action'), 'read')), { roles: null }, 'subject.roles = null (wants to have a)'],
    [eq(attr('subject.a'), 1), { subject: { a: '1 (wants 1)\nallow' } }, 'subject.a = "1 (wants 1)\\nallow" (wants 1)'],
    [eq(attr('subject.a'), 1), { subject: { a: {} } }, 'subject.a = not a scalar (wants 1)'],
    [
      contains(attr('subject.a'), 1),
      { subject: { a: [[1], {}] } },
      'subject.a = [not a scalar, not a scalar] (wants to have 1)',
    ],
    [eq(attr('subject.a'), 1), { subject: { a: Number.NaN } }, 'subject.a = NaN (wants 1)'],
    [
      eq(attr('subject.a'), 'x'),
      { subject: { a: 'y'.repeat(1_000_000) } },
      `subject.a = "${'y'.repeat(64)}…" (wants x)`,
    ],
  ])('of %j with %j says %s', (condition, facts, detail) => {
    expect(details(condition, facts)).toBe(detail);
  });

  it('tells of every rule, also of those after the one that decided', () => {
    const engine = createPolicyEngine(
      policy('p', [rule.deny('d', hasRole('x')), rule.allow('a', hasRole('admin')), rule.allow('o', owner())]),
    );
    expect(engine.decide(requestWith({ roles: ['admin'] })).trace?.()).toEqual({
      rules: [
        {
          ruleId: 'd',
          effect: 'deny',
          outcome: 'no_match',
          detail: 'subject.roles = [admin] (wants to have x)',
          attributes: [{ path: 'subject.roles', value: '[admin]' }],
        },
        {
          ruleId: 'a',
          effect: 'allow',
          outcome: 'match',
          detail: 'subject.roles = [admin]',
          attributes: [{ path: 'subject.roles', value: '[admin]' }],
        },
        {
          ruleId: 'o',
          effect: 'allow',
          outcome: 'unknown',
          detail: 'subject.id = ada (wants resource.owner_id = missing)',
          attributes: [
            { path: 'subject.id', value: 'ada' },
            { path: 'resource.owner_id', value: 'missing' },
          ],
        },
      ],
    });
  });
});
