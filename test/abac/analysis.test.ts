import {
  analyze,
  attr,
  type Condition,
  contractPolicy,
  createPolicyEngine,
  diff,
  equivalent,
  type Policy,
  type PolicyRule,
  parsePolicy,
  prove,
  representatives,
} from 'doorward/abac';
import { describe, expect, it } from 'vitest';

type Rule = Omit<PolicyRule, 'id'> & { readonly id?: string };
const policy = (combining: Policy['combining'], ...rules: readonly Rule[]): Policy =>
  parsePolicy({ name: 'p', combining, rules: rules.map((rule, index) => ({ id: `r${index}`, ...rule })) });
const allow = (when: PolicyRule['when'], rest: Partial<PolicyRule> = {}): Rule => ({ effect: 'allow', when, ...rest });
const deny = (when: PolicyRule['when'], rest: Partial<PolicyRule> = {}): Rule => ({ effect: 'deny', when, ...rest });
const and = (...conditions: readonly Condition[]): Condition => ({ and: conditions });
const [a, b, c] = [attr('subject.a'), attr('resource.b'), attr('resource.c')];
const berlin = { attr: 'environment.hour', timeZone: 'Europe/Berlin' } as const;
const utc = { attr: 'environment.hour', timeZone: 'UTC' } as const;

/** Whether some request makes a condition true: `yes` comes with one that does. */
function possible(...conditions: readonly Condition[]): 'yes' | 'no' | 'undecided' {
  const allowing = policy('first-match', allow(and(...conditions)));
  const proof = prove(allowing, { when: 'always', decision: 'deny' });
  if (proof.proved !== false) return proof.proved ? 'no' : 'undecided';
  expect(createPolicyEngine(allowing).decide(proof.request).allowed).toBe(true);
  return 'yes';
}

describe('what values can be', () => {
  const table: readonly (readonly [string, 'yes' | 'no' | 'undecided', readonly Condition[]])[] = [
    ['a number between two', 'yes', [{ gt: [a, 1] }, { lt: [a, 2] }]],
    ['a number between two that touch', 'no', [{ gt: [a, 1] }, { lt: [a, 1] }]],
    ['a number that is a text', 'no', [{ gt: [a, 1] }, { lt: [a, 'x'] }]],
    ['numbers in a ring', 'no', [{ lt: [a, b] }, { lt: [b, c] }, { lt: [c, a] }]],
    ['numbers in a row between constants', 'yes', [{ lt: [1, a] }, { lt: [a, b] }, { lt: [b, c] }, { lt: [c, 2] }]],
    ['numbers below the least and above the greatest', 'no', [{ gt: [a, Number.MAX_VALUE] }]],
    ['a number below a huge one', 'yes', [{ lt: [a, -1e308] }]],
    [
      'three booleans that differ',
      'no',
      [...[a, b, c].map((x) => ({ in: [x, [true, false]] }) as const), { ne: [a, b] }, { ne: [b, c] }, { ne: [a, c] }],
    ],
    ['two booleans that differ', 'yes', [{ in: [a, [true, false]] }, { in: [b, [true, false]] }, { ne: [a, b] }]],
    ['a text before a text', 'yes', [{ lt: [a, 'b'] }, { gt: [a, 'a'] }]],
    ['a text right behind a text', 'yes', [{ lt: [a, 'a\0\0'] }, { gt: [a, 'a'] }]],
    ['a text between neighbours', 'no', [{ lt: [a, 'a\0'] }, { gt: [a, 'a'] }]],
    ['two texts where there is one', 'no', [{ gt: [a, 'a'] }, { lt: [a, b] }, { lt: [b, 'a\0\0'] }]],
    ['two texts where there is room', 'yes', [{ gt: [a, 'a'] }, { lt: [a, b] }, { lt: [b, 'a\u0001'] }]],
    ['a text before the empty one', 'no', [{ lt: [a, ''] }]],
    ['an emoji before what UTF-16 puts behind it', 'no', [{ lt: [a, '\uff5e'] }, { startsWith: [a, '\u{1f600}'] }]],
    ['a prefix and a suffix', 'yes', [{ startsWith: [a, 'ab'] }, { endsWith: [a, 'bc'] }, { ne: [a, 'abc'] }]],
    ['two suffixes, one of the other', 'yes', [{ endsWith: [a, 'bc'] }, { endsWith: [a, 'abc'] }]],
    ['two suffixes that differ', 'no', [{ endsWith: [a, 'bc'] }, { endsWith: [a, 'bd'] }]],
    ['two prefixes that differ', 'no', [{ startsWith: [a, 'ab'] }, { startsWith: [a, 'ac'] }]],
    ['a prefix, and behind all that have it', 'no', [{ startsWith: [a, 'ab'] }, { gte: [a, 'ac'] }]],
    ['a prefix of a constant', 'yes', [{ startsWith: ['abc', a] }, { endsWith: [a, 'b'] }]],
    ['a prefix of a constant that is none', 'no', [{ startsWith: ['abc', a] }, { endsWith: [a, 'd'] }]],
    ['equal texts with other ends', 'no', [{ eq: [a, b] }, { endsWith: [a, 'x'] }, { endsWith: [b, 'y'] }]],
    ['an empty text that equals an attribute', 'no', [{ eq: [a, b] }, { eq: [a, ''] }]],
    ['an attribute that begins another', 'yes', [{ startsWith: [a, b] }, { ne: [a, b] }]],
    ['an attribute that begins one that comes before it', 'no', [{ startsWith: [a, b] }, { lt: [a, b] }]],
    ['an attribute that begins no equal', 'no', [{ not: { startsWith: [a, b] } }, { eq: [a, b] }]],
    [
      'attributes whose beginnings need an argument of their own',
      'undecided',
      [{ startsWith: [a, b] }, { startsWith: [b, c] }, { not: { startsWith: [a, c] } }],
    ],
    ['a list with and without', 'yes', [{ contains: [a, 'x'] }, { not: { contains: [a, 'y'] } }]],
    [
      'a list with the same, and without',
      'no',
      [{ contains: [a, 'x'] }, { not: { contains: [a, b] } }, { eq: [b, 'x'] }],
    ],
    ['two items of a list that differ', 'yes', [{ contains: [a, b] }, { not: { contains: [a, c] } }]],
    ['a list that is a text', 'no', [{ contains: [a, 'x'] }, { eq: [a, 'x'] }]],
    ['a list whose empty element leaves a no unknown', 'no', [{ contains: [a, ''] }, { not: { contains: [a, b] } }]],
    ['a list that is present', 'yes', [{ present: a }, { contains: [a, 'x'] }]],
    ['something missing that is present', 'no', [{ present: a }, { not: { present: a } }]],
    ['an hour and its moment', 'yes', [{ eq: [berlin, 13] }, { gt: [attr('environment.time'), 1e12] }]],
    ['an hour that is none', 'no', [{ gt: [berlin, 23] }]],
    ['hours of two zones that go together', 'yes', [{ eq: [utc, 12] }, { eq: [berlin, 14] }]],
    ['hours of two zones, some of which go together', 'yes', [{ in: [utc, [1, 12]] }, { eq: [berlin, 14] }]],
    [
      'numbers between two that touch as closely as can be',
      'undecided',
      [{ gt: [a, 1] }, { lt: [a, 1 + Number.EPSILON] }],
    ],
    ['hours of two zones that do not', 'undecided', [{ eq: [utc, 12] }, { eq: [berlin, 20] }]],
  ];

  it.each(table)('%s: %s', (_, answer, conditions) => {
    expect(possible(...conditions)).toBe(answer);
  });
});

describe('analyze', () => {
  const kinds = (...args: Parameters<typeof analyze>) =>
    analyze(...args).findings.map(({ kind, ruleId, ...rest }) =>
      [kind, ruleId, ...('by' in rest ? rest.by : [])].join(' '),
    );

  it('finds nothing in the policy of the contract', () => {
    expect(analyze(contractPolicy)).toEqual({ exhaustive: true, findings: [] });
  });

  it('finds a rule that never fires', () => {
    const dead = allow(and({ eq: [a, 1] }, { eq: [a, 2] }));
    expect(kinds(policy('any-allow', dead, allow({ eq: [a, 3] })))).toEqual(['dead r0']);
    expect(kinds(policy('first-match', allow({ eq: [attr('action'), 'read'] }, { actions: ['write'] })))).toEqual([
      'dead r0',
    ]);
  });

  it('finds no deny rule dead that fires because an attribute is missing', () => {
    expect(kinds(policy('first-match', deny(and({ eq: [a, 1] }, { eq: [a, 2] }))))).toEqual([]);
  });

  it('finds a rule that always fires although it asks for something', () => {
    const always = deny({ or: [{ present: a }, { not: { present: a } }] });
    expect(kinds(policy('first-match', always))).toEqual(['always r0']);
    expect(kinds(policy('first-match', deny('always')))).toEqual([]);
  });

  it('finds a rule behind one that decides whenever it would, by the way in which rules are combined', () => {
    const [wide, narrow] = [{ gte: [a, 1] }, { gte: [a, 2] }] as const;
    expect(kinds(policy('first-match', allow(wide), allow(narrow)))).toEqual(['shadowed r1 r0']);
    expect(kinds(policy('any-allow', allow(wide), allow(narrow)))).toEqual(['shadowed r1 r0']);
    expect(kinds(policy('first-match', allow(narrow), allow(wide)))).toEqual([]);
    expect(kinds(policy('deny-overrides', allow(narrow), deny(wide)))).toEqual(['shadowed r0 r1', 'conflict r0 r1']);
    expect(kinds(policy('first-match', allow(narrow), deny(wide)))).toEqual(['conflict r0 r1']);
  });

  it('names all rules that cover another together, and no more', () => {
    const covered = policy(
      'first-match',
      allow({ lt: [a, 5] }),
      allow({ eq: [b, 1] }),
      allow({ gte: [a, 5] }),
      allow({ gt: [a, 0] }),
    );
    expect(analyze(covered).findings).toEqual([{ kind: 'shadowed', policy: 'p', ruleId: 'r3', by: ['r0', 'r2'] }]);
  });

  it('shows a request for which an allow and a deny rule fire, if there is one with the deny rule known to hold', () => {
    const both = policy(
      'deny-overrides',
      allow({ contains: [attr('subject.roles'), 'admin'] }),
      deny({ eq: [attr('subject.suspended'), true] }),
    );
    const [finding] = analyze(both).findings;
    expect(finding).toEqual({
      kind: 'conflict',
      policy: 'p',
      ruleId: 'r0',
      by: ['r1'],
      example: {
        subject: { id: 'someone', roles: ['admin'], attributes: { suspended: true } },
        action: 'any',
        resource: { type: 'any', attributes: {} },
        environment: { time: 0 },
      },
    });
  });

  it('takes several policies, each for itself', () => {
    const one = { ...policy('first-match', allow({ gt: [berlin, 23] })), name: 'one' };
    expect(analyze([one, contractPolicy]).findings).toEqual([{ kind: 'dead', policy: 'one', ruleId: 'r0' }]);
  });

  it('claims nothing that it has no room to prove', () => {
    const dead = policy('any-allow', allow(and({ eq: [a, 1] }, { eq: [a, 2] })));
    expect(analyze(dead, { limit: 1 })).toEqual({ exhaustive: false, findings: [] });
    expect(diff(dead, policy('any-allow'), { limit: 1 })).toEqual({ same: undefined, exhaustive: false });
    expect(equivalent(dead, policy('any-allow'), { limit: 1 })).toBeUndefined();
    expect(equivalent(dead, policy('any-allow'))).toBe(true);
    expect(prove(dead, { when: 'always', decision: 'deny' }, { limit: 1 })).toEqual({
      proved: undefined,
      exhaustive: false,
    });
  });
});

describe('diff, prove and representatives', () => {
  it('show the shortest request', () => {
    const changed = parsePolicy({ ...contractPolicy, rules: contractPolicy.rules.filter(({ id }) => id !== 'owner') });
    const found = diff(contractPolicy, changed);
    expect(found).toMatchObject({ same: false, a: { allowed: true, ruleId: 'owner' }, b: { allowed: false } });
    expect(found).toMatchObject({
      request: { subject: { attributes: {}, roles: [] }, resource: { attributes: { owner_id: expect.any(String) } } },
    });
  });

  it('see through order, spelling and laws of logic', () => {
    const [x, y] = [{ eq: [a, 1] }, { lt: [b, c] }] as const;
    const one = policy('first-match', allow({ not: { and: [x, y] } }));
    const other = policy('any-allow', allow({ not: y }), allow({ not: x }));
    expect(equivalent(one, other)).toBe(true);
    expect(
      equivalent(policy('first-match', allow({ lte: [b, c] })), policy('first-match', allow({ not: { gt: [b, c] } }))),
    ).toBe(true);
    expect(equivalent(policy('first-match', deny(x), allow('always')), policy('first-match', allow({ not: x })))).toBe(
      true,
    );
    expect(
      equivalent(policy('first-match', allow({ or: [x, { not: x }] })), policy('first-match', allow('always'))),
    ).toBe(false);
  });

  it('prove what never happens, and show what does', () => {
    const suspended = { eq: [attr('subject.suspended'), true] } as const;
    const safe = policy('deny-overrides', allow({ contains: [attr('subject.roles'), 'admin'] }), deny(suspended));
    expect(prove(safe, { when: suspended, decision: 'deny' })).toEqual({ proved: true, exhaustive: true });
    const unsafe = policy('first-match', allow({ contains: [attr('subject.roles'), 'admin'] }), deny(suspended));
    const proof = prove(unsafe, { when: suspended, decision: 'deny' });
    expect(proof).toMatchObject({
      proved: false,
      request: { subject: { roles: ['admin'] } },
      decision: { ruleId: 'r0' },
    });
  });

  it('know that an element that cannot be compared, or an empty one, leaves a "no" unknown', () => {
    const settled = (item: Parameters<typeof attr>[0] | string) => {
      const contains: Condition = { contains: [a, item.includes('.') ? attr(item as 'resource.b') : item] };
      return policy('first-match', allow({ or: [contains, { not: contains }] }));
    };
    const isList = { contains: [a, 'y'] } as const;
    expect(prove(settled('x'), { when: isList, decision: 'allow' })).toMatchObject({
      proved: false,
      request: { subject: { attributes: { a: ['y', null] } } },
    });
    const item = { eq: [b, 'x'] } as const;
    const clean = { not: { contains: [a, 'z'] } } as const;
    expect(prove(settled('resource.b'), { when: and(isList, item, clean), decision: 'allow' })).toMatchObject({
      proved: false,
      request: { subject: { attributes: { a: ['y', ''] } } },
    });
    const notEmpty = { not: { contains: [a, ''] } } as const;
    expect(prove(settled('resource.b'), { when: and(isList, item, clean, notEmpty), decision: 'allow' }).proved).toBe(
      true,
    );
  });

  it('refuse a predicate, naming it and its rule, and every option that cannot be meant', () => {
    const opaque = policy('first-match', allow({ not: { predicate: 'isOnCall' } }, { id: 'on-call' }));
    const refused = expect.objectContaining({
      code: 'CONFIG_INVALID',
      message: expect.stringMatching(/on-call.*isOnCall/),
    });
    const fine = contractPolicy;
    expect(() => analyze(opaque)).toThrow(refused);
    expect(() => diff(fine, opaque)).toThrow(refused);
    expect(() => prove(opaque, { when: 'always', decision: 'deny' })).toThrow(refused);
    expect(() => prove(fine, { when: { predicate: 'isOnCall' }, decision: 'deny' })).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', message: expect.stringContaining('isOnCall') }),
    );
    expect(() => [...representatives(opaque)]).toThrow(refused);
    for (const options of [{ limit: 0 }, { limit: Number.NaN }, { limits: 5 }]) {
      expect(() => analyze(fine, options)).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
    }
    for (const decision of ['Deny', 'toString', undefined] as never[]) {
      expect(() => prove(fine, { when: 'always', decision })).toThrow(
        expect.objectContaining({ code: 'CONFIG_INVALID', field: 'decision' }),
      );
    }
    expect(() => [...representatives(fine, { limit: 100 })]).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', field: 'limit' }),
    );
  });

  it('representatives hold no negative zero, which JSON does not have', () => {
    const cold = parsePolicy({
      name: 'cold',
      combining: 'any-allow',
      rules: [{ id: 'r', effect: 'allow', when: { lt: [{ attr: 'resource.degrees' }, -1] } }],
    });
    const asked = [...representatives(cold)];
    expect(asked.map((request) => request.resource.attributes.degrees)).toContain(0);
    expect(asked).toEqual(JSON.parse(JSON.stringify(asked)));
  });

  it('represent every class of a clock that two zones read', () => {
    const office = policy('first-match', allow(and({ gte: [berlin, 9] }, { lt: [utc, 12] })));
    const engine = createPolicyEngine(office);
    const answers = new Set([...representatives(office)].map((request) => engine.decide(request).allowed));
    expect(answers).toEqual(new Set([true, false]));
  });
});
