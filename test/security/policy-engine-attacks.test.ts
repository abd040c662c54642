import { type AccessRequest, ask } from 'doorward';
import {
  and,
  attr,
  contains,
  createPolicyEngine,
  eq,
  hasRole,
  hourBetween,
  isIn,
  lt,
  ne,
  or,
  owner,
  type Policy,
  parsePolicy,
  policy,
  predicate,
  rule,
  withLoaders,
} from 'doorward/abac';
import { describe, expect, it } from 'vitest';
import { liveBytes, MB } from '../live-memory.ts';

const requestOf = (subject: unknown = {}, resource: unknown = {}, environment: object = {}): AccessRequest =>
  ({
    subject:
      typeof subject === 'object' && !Array.isArray(subject) ? { roles: [], attributes: {}, ...subject } : subject,
    action: 'read',
    resource: { type: 'document', attributes: {}, ...(resource as object) },
    environment: { time: 0, ...environment },
  }) as AccessRequest;

describe.each([false, true])('an object that is not plain (generated code: %s)', (generateCode) => {
  const engine = createPolicyEngine(policy('p', [rule.allow('mine', owner())]), { generateCode });

  it('AZ-03 no getter that a request, a part or its attributes inherit is called', () => {
    const called: string[] = [];
    const inheriting = (own: object): object => {
      const base = {};
      for (const name of [
        'subject',
        'action',
        'resource',
        'environment',
        'attributes',
        'id',
        'type',
        'time',
        'owner_id',
      ])
        Object.defineProperty(base, name, { get: () => called.push(name) && 'ada' });
      return Object.defineProperties(Object.create(base), Object.getOwnPropertyDescriptors(own));
    };
    const plain = requestOf({ id: 'ada' }, { attributes: {} });
    for (const asked of [
      inheriting({}),
      { ...plain, subject: inheriting({}) },
      { ...plain, resource: inheriting({}) },
      { ...plain, environment: inheriting({}) },
      { ...plain, resource: { type: 'document', attributes: inheriting({}) } },
    ]) {
      expect(engine.decide(asked as AccessRequest).allowed).toBe(false);
    }
    expect(called).toEqual([]);
  });

  it('AZ-06 an own getter that throws is a denial to whoever enforces', () => {
    const attributes = Object.defineProperty({}, 'owner_id', {
      get: () => {
        throw new Error('lazy');
      },
      enumerable: true,
    });
    expect(ask(engine, requestOf({ id: 'ada' }, { attributes }))).toMatchObject({ allowed: false, reason: 'error' });
  });
});

describe.each([false, true])(
  'an Object.prototype that was polluted before a policy is loaded (generated code: %s)',
  (generateCode) => {
    const text = (rules: object[]) => JSON.stringify({ name: 'p', combining: 'deny-overrides', rules });
    const mine = { id: 'mine', effect: 'allow', when: { eq: [{ attr: 'subject.id' }, { attr: 'resource.owner_id' }] } };
    const admin = { id: 'admin', effect: 'allow', when: { contains: [{ attr: 'subject.roles' }, 'admin'] } };
    const early = { id: 'early', effect: 'allow', when: { lt: [{ attr: 'environment.hour' }, 2] } };
    const suspended = { id: 'suspended', effect: 'deny', when: { eq: [{ attr: 'subject.status' }, 'suspended'] } };
    const files = [text([mine, admin, early]), text([{ id: 'all', effect: 'allow', when: 'always' }, suspended])];
    const asked = requestOf(
      { id: 'eve', attributes: { status: 'suspended' } },
      { attributes: { owner_id: 'bob' } },
      { hour: 9 },
    );

    it.each(['value', 'values', 'timeZone', 'and', 'or', 'not', 'eq', 'ne', 'lt', 'gte', 'resources', 'actions'])(
      'AZ-03 %s opens no door',
      (name) => {
        const opened: unknown[] = [];
        for (const value of [true, 'x', 'UTC', [], ['update'], undefined]) {
          Object.defineProperty(Object.prototype, name, { value, configurable: true, writable: true });
          try {
            for (const file of files) {
              const pdp = {
                decide: (one: AccessRequest) => createPolicyEngine(parsePolicy(file), { generateCode }).decide(one),
              };
              const decision = ask(pdp, asked);
              if (!('then' in decision) && decision.allowed) opened.push([value, decision.ruleId]);
            }
          } finally {
            delete (Object.prototype as Record<string, unknown>)[name];
          }
        }
        expect(opened).toEqual([]);
      },
    );
  },
);

describe('tables of rules', () => {
  it('lists that say the same over and over are looked up once', () => {
    let calls = 0;
    const rules = Array.from({ length: 100 }, (_, i) =>
      rule.allow(
        `r${i}`,
        and(hasRole(`role${i % 10}`), contains(attr('resource.tags'), `tag${Math.floor(i / 10)}`), predicate('never')),
      ),
    );
    const engine = createPolicyEngine(policy('p', rules), { predicates: { never: () => ++calls < 0 } });
    const asked = requestOf({ roles: Array(200).fill('role1') }, { attributes: { tags: Array(200).fill('tag1') } });
    expect(engine.decide(asked).allowed).toBe(false);
    expect(calls).toBe(1);
  });

  it('values that a request chooses fill the memory with no tables', () => {
    let seed = 1;
    const random = () => {
      seed = (seed * 16_807) % 2_147_483_647;
      return seed;
    };
    const some = (letter: string) => [...new Set(Array.from({ length: 30 }, () => `${letter}${random() % 100}`))];
    const rules = Array.from({ length: 300 }, (_, i) =>
      rule.allow(`r${i}`, isIn(attr('subject.a'), some('a')), { resources: some('t'), actions: some('do') }),
    );
    const engine = createPolicyEngine(policy('p', rules), { trace: false });
    const before = liveBytes();
    for (let i = 0; i < 10_000; i++) {
      const asked = requestOf({}, { type: `t${i % 100}` });
      engine.decide({ ...asked, action: `do${Math.floor(i / 100)}` });
    }
    expect(liveBytes() - before).toBeLessThan(100 * MB);
  }, 120_000);

  it('a number, its text and a boolean are keys of their own, and 0 has no sign', () => {
    const values = [1, '1', true, 'true', 0, '0', false, '', '__proto__', 'constructor'] as const;
    const keyed = values.map((value, i) => rule.allow(`r${i}`, eq(attr('subject.a'), value)));
    const engine = createPolicyEngine(policy('p', keyed));
    const decide = (a: unknown) => engine.decide(requestOf({ attributes: { a } })).ruleId;
    expect(values.map(decide)).toEqual(keyed.map(({ id }) => id));
    expect([-0, Number.NaN, null, undefined, [1], Object('1'), 'toString'].map(decide)).toEqual([
      'r4',
      ...Array(6).fill(undefined),
    ]);
  });

  it('deny rules are escaped by no key that is missing or strange', () => {
    const denials = Array.from({ length: 20 }, (_, i) => rule.deny(`d${i}`, eq(attr('subject.a'), `a${i}`)));
    const roles = Array.from({ length: 20 }, (_, i) => rule.deny(`x${i}`, hasRole(`x${i}`)));
    const engine = createPolicyEngine(policy('p', [...denials, ...roles, rule.allow('all', 'always')]));
    const decide = (a: unknown, of: unknown) => engine.decide(requestOf({ roles: of, attributes: { a } })).ruleId;
    expect(decide('b', ['c'])).toBe('all');
    expect(decide('a7', ['c'])).toBe('d7');
    expect(decide('b', ['c', 'x9', 'x3'])).toBe('x3');
    for (const strange of [undefined, null, ['a7'], Number.NaN, {}]) expect(decide(strange, ['c'])).toBe('d0');
    for (const strange of [undefined, null, 'x9', { 0: 'c', length: 1 }, ['c', null], new Array(1)])
      expect(decide('b', strange)).toBe('x0');
    expect(decide('b', Array(100).fill('x3').concat([undefined]))).toBe('x0');
  });
});

describe('a trace', () => {
  it('does not contradict itself: everything is asked once', () => {
    let calls = 0;
    const twice = policy('p', [
      rule.deny('d', predicate('odd')),
      rule.allow('a', and(predicate('odd'), or(predicate('odd'), eq(attr('subject.x'), 1)))),
    ]);
    const decision = createPolicyEngine(twice, { predicates: { odd: () => ++calls % 2 === 1 } }).decide(requestOf());
    calls = 0;
    const rules = decision.trace?.().rules;
    expect(calls).toBe(1);
    expect(rules?.map(({ outcome, detail }) => [outcome, detail])).toEqual([
      ['match', 'odd = true'],
      ['match', 'odd = true'],
    ]);
  });

  it('that hides the time hides the hours that are counted from it', () => {
    const engine = createPolicyEngine(policy('p', [rule.allow('office', hourBetween(9, 18, 'Europe/Berlin'))]), {
      redact: ['environment.time'],
    });
    const trace = engine.decide(requestOf({}, {}, { time: 5 * 3_600_000 })).trace?.();
    expect(trace?.rules[0]).toMatchObject({
      detail: 'environment.hour in Europe/Berlin = *** (wants >= 9)',
      attributes: [{ path: 'environment.hour', value: '***' }],
    });
  });

  it('tells hours of several zones apart', () => {
    const both = and(hourBetween(9, 18, 'Europe/Berlin'), hourBetween(9, 18, 'Asia/Tokyo'));
    const decision = createPolicyEngine(policy('p', [rule.allow('both', both)])).decide(
      requestOf({}, {}, { time: 8.5 * 3_600_000 }),
    );
    expect(decision.trace?.().rules[0]?.attributes?.map(({ value }) => value)).toEqual(['9', '17']);
  });
});

describe('a decision is not valid for too long', () => {
  const LATEST = 9_223_372_036_854;

  it('when the hour is about to be unknown', () => {
    const engine = createPolicyEngine(
      policy('p', [
        rule.deny('at-three', eq({ attr: 'environment.hour', timeZone: 'UTC' }, 3)),
        rule.allow('all', 'always'),
      ]),
    );
    const { ruleId, validUntil } = engine.decide(requestOf({}, {}, { time: LATEST }));
    expect([ruleId, validUntil]).toEqual(['all', LATEST + 1]);
    expect(engine.decide(requestOf({}, {}, { time: LATEST + 1 })).ruleId).toBe('at-three');
  });

  it('when the time is compared with an hour', () => {
    const engine = createPolicyEngine(
      policy('p', [rule.allow('odd', lt(attr('environment.time'), attr('environment.hour')))]),
    );
    const at = (time: number) => engine.decide(requestOf({}, {}, { time, hour: 9 }));
    expect([at(8).allowed, at(9).allowed]).toEqual([true, false]);
    expect(at(8).validUntil).toBeLessThanOrEqual(9);
  });
});

describe('attributes that loaders bring', () => {
  const sales: Policy = policy('p', [
    rule.allow('sales', eq(attr('subject.department'), 'sales')),
    rule.allow('root', eq(attr('subject.root'), true)),
  ]);
  const departments = async (all: readonly { id: string }[]) =>
    all.map(({ id }) => ({ department: id === 'ada' ? 'sales' : 'legal' }));
  const pdp = withLoaders(createPolicyEngine(sales), [{ of: 'subject', names: ['department'], load: departments }]);

  it('are not those of whom the same object stood for before', async () => {
    const subject = { id: 'ada', roles: [], attributes: {} };
    expect(await pdp.decide(requestOf(subject))).toMatchObject({ allowed: true });
    const careless = requestOf();
    Object.assign(careless, { subject });
    expect(await pdp.decide(careless)).toMatchObject({ allowed: true });
    subject.id = 'eve';
    expect(await pdp.decide(careless)).toMatchObject({ allowed: false });
  });

  it('are missing when the object becomes somebody else while they are loaded', async () => {
    const asked = requestOf({ id: 'ada' });
    const slow = withLoaders(createPolicyEngine(sales), [
      {
        of: 'subject',
        names: ['department'],
        load: async (all) => {
          const found = await departments(all);
          Object.assign(asked.subject, { id: 'eve' });
          return found;
        },
      },
    ]);
    expect(await slow.decide(asked)).toMatchObject({ allowed: false });
  });

  it('AZ-03 make nothing of a subject that inherits its attributes', async () => {
    const subject = Object.assign(Object.create({ attributes: { root: true } }), { id: 'eve', roles: [] });
    expect(await pdp.decide({ ...requestOf(), subject })).toMatchObject({ allowed: false });
    const list = Object.assign([], { root: true });
    expect(await pdp.decide(requestOf({ id: 'eve', attributes: list }))).toMatchObject({ allowed: false });
  });

  it('make no subject of a list', async () => {
    const everybody = withLoaders(createPolicyEngine(sales), [
      { of: 'subject', names: ['department'], load: async (all) => all.map(() => ({ department: 'sales' })) },
    ]);
    expect(await everybody.decide(requestOf([]))).toMatchObject({ allowed: false });
    expect(await everybody.decide(requestOf(Object.assign([], { id: 'ada' })))).toMatchObject({ allowed: false });
  });

  it('are missing when reading them throws', async () => {
    const lazy = withLoaders(
      createPolicyEngine(policy('p', [rule.deny('d', ne(attr('subject.department'), 'x')), rule.allow('a', 'always')])),
      [
        {
          of: 'subject',
          names: ['department'],
          load: async (all) =>
            all.map(() => ({
              get department(): string {
                throw new Error('lazy');
              },
            })),
        },
      ],
    );
    expect(await lazy.decide(requestOf({ id: 'ada' }))).toMatchObject({ allowed: false, ruleId: 'd' });
  });
});
