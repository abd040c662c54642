import { runInNewContext } from 'node:vm';
import type { AccessRequest } from 'doorward';
import {
  and,
  attr,
  type Condition,
  createPolicyEngine,
  eq,
  hasRole,
  isIn,
  ne,
  or,
  owner,
  type Policy,
  policy,
  present,
  rule,
  startsWith,
} from 'doorward/abac';
import { afterEach, describe, expect, it } from 'vitest';

const request = (attributes: object = {}, more: object = {}): AccessRequest => ({
  subject: { id: 'ada', roles: ['viewer'], attributes: attributes as Record<string, unknown> },
  action: 'read',
  resource: { type: 'document', id: 'd1', attributes: { owner_id: 'bob' } },
  environment: { time: 0 },
  ...more,
});
const a = attr('subject.a');
const onCall: Policy = {
  name: 'on-call',
  combining: 'first-match',
  rules: [
    { id: 'blocked', effect: 'deny', when: { predicate: 'isBlocked' } },
    { id: 'on-call', effect: 'allow', when: { predicate: 'isOnCall' } },
  ],
};

describe('options', () => {
  const plain = policy('p', [rule.allow('owner', owner())]);

  it.each<[string, object]>([
    ['generatecode', { generatecode: true }],
    ['generateCode', { generateCode: 1 }],
    ['trace', { trace: 'yes' }],
    ['redact', { redact: 'subject.id' }],
    ['redact', { redact: ['subject.constructor'] }],
    ['redact', { redact: [1] }],
    ['predicates', { predicates: [] }],
    ['predicates', { predicates: null }],
    ['predicates.x', { predicates: { x: true } }],
  ])('a wrong %s is refused', (field, options) => {
    expect(() => createPolicyEngine(plain, options)).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', field }) as Error,
    );
  });

  it('say what decides', () => {
    expect(createPolicyEngine(plain)).toMatchObject({ compiled: 'closures', redact: [] });
    expect(createPolicyEngine(plain, { generateCode: true }).compiled).toBe('code');
  });
});

describe('without a trace', () => {
  const engine = createPolicyEngine(
    policy('p', [rule.deny('d', hasRole('guest')), rule.allow('o', hasRole('viewer'))]),
    {
      trace: false,
    },
  );

  it('decisions are shared and frozen, and tell no rule by rule', () => {
    const decision = engine.decide(request());
    expect(decision).toEqual({
      allowed: true,
      effect: 'allow',
      reason: 'rule',
      ruleId: 'o',
      revision: engine.revision,
    });
    expect(engine.decide(request())).toBe(decision);
    expect(Object.isFrozen(decision)).toBe(true);
    const none = engine.decide(request({}, { subject: { id: 'a', roles: [], attributes: {} } }));
    expect(none).toEqual({ allowed: false, effect: 'deny', reason: 'no_rule', revision: engine.revision });
    expect(Object.isFrozen(none)).toBe(true);
  });

  it.each([false, true])('no rule is asked after the one that decides (generated code: %s)', (generateCode) => {
    const asked: string[] = [];
    const predicates = { isBlocked: () => asked.push('blocked') > 9, isOnCall: () => asked.push('on call') > 9 };
    const blocked = { ...predicates, isBlocked: () => asked.push('blocked') > 0 };
    createPolicyEngine(onCall, { trace: false, generateCode, predicates: blocked }).decide(request());
    expect(asked).toEqual(['blocked']);
    createPolicyEngine(onCall, { generateCode, predicates: blocked }).decide(request());
    expect(asked).toEqual(['blocked', 'blocked']);
  });
});

describe.each([false, true])('predicates (generated code: %s)', (generateCode) => {
  const decide = (isOnCall: unknown, isBlocked: unknown = () => false) =>
    createPolicyEngine(onCall, { generateCode, predicates: { isOnCall, isBlocked } as never }).decide(request());

  it('a plain yes is true, a plain no is false', () => {
    expect(decide(() => true)).toMatchObject({ allowed: true, ruleId: 'on-call' });
    expect(decide(() => false)).toMatchObject({ allowed: false, reason: 'no_rule' });
    expect(decide(({ subject }: AccessRequest) => subject.id === 'ada').allowed).toBe(true);
  });

  it.each<[string, () => unknown]>([
    [
      'a throw',
      () => {
        throw new Error('secret');
      },
    ],
    ['a promise of yes', () => Promise.resolve(true)],
    ['a promise that is rejected', () => Promise.reject(new Error('unheard'))],
    ['a promise of another realm that is rejected', () => runInNewContext('Promise.reject(new Error("unheard"))')],
    ['1', () => 1],
    ['"true"', () => 'true'],
    ['nothing', () => undefined],
    ['a boolean object', () => Object(true)],
  ])('AZ-06 %s is unknown: it allows nothing and denies', (_, answer) => {
    expect(decide(answer).allowed).toBe(false);
    expect(
      decide(answer)
        .trace?.()
        .rules.map(({ outcome }) => outcome),
    ).toEqual(['no_match', 'unknown']);
    expect(decide(() => true, answer)).toMatchObject({ allowed: false, ruleId: 'blocked' });
  });

  it('a missing function is refused by its name, and so is an inherited one', () => {
    for (const predicates of [undefined, { isBlocked: () => false }, Object.create({ isOnCall: () => true })]) {
      expect(() => createPolicyEngine(onCall, { generateCode, ...(predicates && { predicates }) })).toThrow(
        /predicates/,
      );
    }
  });

  it('a function that is exchanged later decides nothing', () => {
    const predicates = { isOnCall: () => false, isBlocked: () => false };
    const engine = createPolicyEngine(onCall, { generateCode, predicates });
    predicates.isOnCall = () => true;
    expect(engine.decide(request()).allowed).toBe(false);
  });
});

describe('generated code takes nothing from a policy but its values', () => {
  const polluted = globalThis as { doorwardBroken?: true };
  afterEach(() => {
    delete polluted.doorwardBroken;
  });
  const hostile = [
    '"+(globalThis.doorwardBroken=true)+"',
    "'+(globalThis.doorwardBroken=true)+'",
    ['`$', '{globalThis.doorwardBroken=true}`'].join(''),
    '\\";globalThis.doorwardBroken=true;//',
    '*/globalThis.doorwardBroken=true;/*',
    '\n;globalThis.doorwardBroken=true;\n',
    '\u2028;globalThis.doorwardBroken=true;\u2029',
    '</script><script>globalThis.doorwardBroken=true',
    '__proto__',
    'constructor',
    '\u0000',
  ];
  const agree = (when: Condition, asked: AccessRequest, predicates?: Record<string, () => boolean>): void => {
    const text = { name: hostile.join(), combining: 'first-match', rules: [rule.allow(hostile.join(), when)] } as const;
    const [code, closures] = [true, false].map((generateCode) =>
      createPolicyEngine(text, { generateCode, ...(predicates && { predicates }) }),
    );
    expect(code?.compiled).toBe('code');
    expect(code?.decide(asked).allowed).toBe(true);
    expect(code?.decide(asked).trace?.()).toEqual(closures?.decide(asked).trace?.());
    expect(code?.decide(request()).allowed).toBe(closures?.decide(request()).allowed);
    expect(polluted).not.toHaveProperty('doorwardBroken');
  };

  it.each(hostile)('%j as a constant', (text) => {
    agree(eq(a, text), request({ a: text }));
    agree(and(isIn(a, [text, 'b']), startsWith(a, text)), request({ a: text }));
    agree(isIn(a, [text, ...'abcdefghij']), request({ a: text }));
    agree(hasRole(text), request({}, { subject: { id: 'a', roles: [text], attributes: {} } }));
    agree(or(eq(attr('resource.id'), text), ne(a, text)), request({ a: 'other' }));
    agree(rule.allow('r', present(a)).when as Condition, request({ a: text }));
  });

  it.each(['toString', 'valueOf', 'hasOwnProperty', 'arguments', 'eval', 'f', 'C', 'O', 'v0'])(
    '%s as the name of an attribute',
    (name) => {
      agree(eq(attr(`subject.${name}`), 'x'), request({ [name]: 'x' }));
      for (const generateCode of [true, false]) {
        const engine = createPolicyEngine(policy('p', [rule.allow('r', present(attr(`subject.${name}`)))]), {
          generateCode,
        });
        expect(engine.decide(request()).allowed).toBe(false);
      }
    },
  );

  it('reads nothing from an Object.prototype that was polluted after it was written', () => {
    for (const generateCode of [true, false]) {
      const engine = createPolicyEngine(policy('p', [rule.allow('o', owner()), rule.allow('a', eq(a, 'x'))]), {
        generateCode,
      });
      const asked = [request({}, { subject: { roles: [], attributes: {} } }), request({})];
      expect(asked.map((one) => engine.decide(one).allowed)).toEqual([false, false]);
      const base = Object.prototype as Record<string, unknown>;
      const answers: unknown[] = [];
      for (const enumerable of [true, false]) {
        Object.defineProperty(base, 'a', { value: 'x', configurable: true, writable: true, enumerable });
        Object.defineProperty(base, 'id', { value: 'bob', configurable: true, writable: true, enumerable });
        try {
          answers.push(...asked.map((one) => engine.decide(one).ruleId), engine.decide(request({ a: 'x' })).ruleId);
        } finally {
          delete base.a;
          delete base.id;
        }
      }
      expect(answers).toEqual([undefined, undefined, 'a', undefined, undefined, 'a']);
    }
  });
});

describe('a trace', () => {
  it('costs no predicate a call before it is asked for', () => {
    let calls = 0;
    const predicates = { isBlocked: () => ++calls < 0, isOnCall: () => ++calls > 0 };
    const decision = createPolicyEngine(onCall, { predicates }).decide(request());
    expect([decision.ruleId, calls]).toEqual(['on-call', 2]);
    expect(decision.trace?.().rules.map(({ outcome }) => outcome)).toEqual(['no_match', 'match']);
    expect(calls).toBeGreaterThan(2);
  });

  it('tells of the request as it is when it is asked for', () => {
    const attributes = { a: 'x' };
    const decision = createPolicyEngine(policy('p', [rule.allow('r', eq(a, 'x'))])).decide(request(attributes));
    expect(decision.trace?.().rules[0]?.outcome).toBe('match');
    attributes.a = 'y';
    expect(decision.trace?.().rules[0]?.outcome).toBe('no_match');
    expect(decision.allowed).toBe(true);
  });

  it('shows no value that is to be redacted', () => {
    const engine = createPolicyEngine(policy('p', [rule.allow('r', eq(a, 'wanted'))]), { redact: ['subject.a'] });
    expect(engine.decide(request({ a: 'secret' })).trace?.().rules).toEqual([
      {
        ruleId: 'r',
        effect: 'allow',
        outcome: 'no_match',
        detail: 'subject.a = *** (wants wanted)',
        attributes: [{ path: 'subject.a', value: '***' }],
      },
    ]);
  });

  it('says what a rule is about, and nothing of a rule that is always so', () => {
    const engine = createPolicyEngine({
      name: 'p',
      combining: 'first-match',
      rules: [
        { id: 'r', effect: 'allow', actions: ['update'], when: 'always' },
        { id: 's', effect: 'allow', when: 'always' },
      ],
    });
    expect(engine.decide(request()).trace?.().rules).toEqual([
      {
        ruleId: 'r',
        effect: 'allow',
        outcome: 'no_match',
        detail: 'action = read (wants update)',
        attributes: [{ path: 'action', value: 'read' }],
      },
      { ruleId: 's', effect: 'allow', outcome: 'match' },
    ]);
  });

  it('names the rules in the order of the policy, also where denials are asked first', () => {
    const engine = createPolicyEngine({
      name: 'p',
      combining: 'deny-overrides',
      rules: [rule.allow('everyone', present(attr('action'))), rule.deny('guests', hasRole('viewer'))],
    });
    const decision = engine.decide(request());
    expect(decision.ruleId).toBe('guests');
    expect(decision.trace?.().rules.map(({ ruleId, outcome }) => [ruleId, outcome])).toEqual([
      ['everyone', 'match'],
      ['guests', 'match'],
    ]);
  });
});

describe('requests that are not made of plain objects', () => {
  const rules = [
    rule.deny('suspended', eq(attr('subject.status'), 'suspended')),
    rule.allow('owner', owner()),
    rule.allow('a', eq(a, 'x')),
    rule.allow('viewer', and(hasRole('viewer'), eq(attr('environment.ip'), '192.0.2.1'))),
  ];
  class Entity {
    readonly status = 'active';
    get owner_id(): string {
      throw new Error('must not be read');
    }
    get a(): string {
      return 'x';
    }
  }
  const plain = { status: 'active', a: 'x' };
  const named = Object.assign(Object.create(null) as object, plain);
  const computed = {
    status: 'active',
    get a() {
      return 'x';
    },
  };
  const inherited = (parts: object): AccessRequest => Object.create(parts) as AccessRequest;

  it.each<[string, AccessRequest, string | undefined]>([
    ['attributes without a prototype', request(named), 'a'],
    ['a computed attribute of its own', request(computed), 'a'],
    ['attributes of a class', request(new Entity()), undefined],
    ['a resource of a class', request(plain, { resource: new Entity() }), 'a'],
    ['a subject of a class', request({}, { subject: new Entity() }), 'suspended'],
    ['inherited parts', inherited(request(plain)), 'suspended'],
    ['inherited attributes', request(Object.create(plain) as object), 'suspended'],
    ['a list for attributes', request(Object.assign([], plain)), 'suspended'],
    ['a text for a subject', request({}, { subject: 'ada' }), 'suspended'],
    ['nothing for an environment', request(plain, { environment: null }), 'a'],
    ['no resource', request(plain, { resource: undefined }), 'a'],
    ['no request', null as never, 'suspended'],
  ])('%s', (_, asked, ruleId) => {
    for (const generateCode of [false, true]) {
      for (const trace of [false, true]) {
        const engine = createPolicyEngine(policy('p', rules), { generateCode, trace });
        // The compiler has seen plain requests before.
        for (let i = 0; i < 20; i++) expect(engine.decide(request({ status: 'active', a: 'x' })).ruleId).toBe('a');
        expect(engine.decide(asked).ruleId).toBe(ruleId);
      }
    }
  });
});

describe('many rules', () => {
  const roles = Array.from({ length: 40 }, (_, i) => rule.allow(`r${i}`, hasRole(`role-${i}`)));
  const held = (...names: unknown[]) => request({}, { subject: { id: 'a', roles: names, attributes: {} } });

  it('of several roles the first rule decides, in whatever order they are held', () => {
    const engine = createPolicyEngine(policy('p', roles));
    expect(engine.decide(held('role-30', 'role-7', 'role-7', 'role-12')).ruleId).toBe('r7');
    expect(engine.decide(held('none', null, 'role-12')).ruleId).toBe('r12');
    expect(engine.decide(held('none')).reason).toBe('no_rule');
  });

  it('a deny rule fires when nobody knows all the roles', () => {
    const denials = roles.map(({ id, when }) => rule.deny(id, when as Condition));
    const engine = createPolicyEngine(policy('p', [...denials, rule.allow('all', present(attr('action')))]));
    expect(engine.decide(held('none')).ruleId).toBe('all');
    expect(engine.decide(held('none', null)).ruleId).toBe('r0');
    expect(engine.decide(held('role-9')).ruleId).toBe('r9');
    expect(engine.decide(request({}, { subject: { id: 'a', attributes: {} } })).ruleId).toBe('r0');
  });

  it('generated code is for few; the engine says so', () => {
    expect(createPolicyEngine(policy('p', roles), { generateCode: true }).compiled).toBe('closures');
  });
});
