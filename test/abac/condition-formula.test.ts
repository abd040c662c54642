import type { AccessRequest } from 'doorward';
import { type AttributeRef, type Condition, createPolicyEngine, type Policy } from 'doorward/abac';
import { describe, expect, it } from 'vitest';
import { allowedWhen, combined } from '../../src/abac/condition/allowed-when.ts';
import { bare } from '../../src/abac/condition/bare.ts';
import { ALWAYS, all, any, type Formula, isFalse, isTrue, NEVER } from '../../src/abac/condition/formula.ts';
import { lower, lowerRule } from '../../src/abac/condition/lower.ts';
import { attributesOf, type Leaf, leavesIn, type Node } from '../../src/abac/condition/node.ts';

const a = { attr: 'subject.a' } as const;
const b = { attr: 'resource.b' } as const;
const action = { attr: 'action' } as const;
const present = (name: string): Leaf => ({ kind: 'present', attribute: { attr: `subject.${name}` } });
const leaf = (name: string, outcome = true): Formula => ({ kind: 'leaf', leaf: present(name), outcome });
const [p, q, r] = [leaf('p'), leaf('q'), leaf('r')];
/** Short, so that a formula can be read: `&` and `|`, and `!` before what is known to be false. */
const text = (formula: Formula): string => {
  if (formula.kind !== 'leaf') return `(${formula.formulas.map(text).join(formula.kind === 'all' ? '&' : '|')})`;
  const { leaf: of, outcome } = formula;
  return `${outcome ? '' : '!'}${of.kind === 'present' ? of.attribute.attr.slice(8) : of.kind}`;
};

describe('formulas', () => {
  it('are as short as can be', () => {
    expect(all()).toEqual(ALWAYS);
    expect(any()).toEqual(NEVER);
    expect([all(), all(ALWAYS, ALWAYS), any(p, ALWAYS), any(ALWAYS, ALWAYS)]).toEqual(Array(4).fill(ALWAYS));
    expect([any(), any(NEVER, NEVER), all(p, NEVER), all(NEVER, NEVER)]).toEqual(Array(4).fill(NEVER));
    expect([all(p), any(p), all(p, ALWAYS), any(NEVER, p)]).toEqual(Array(4).fill(p));
    expect(text(all(p, all(q, r)))).toBe('(p&q&r)');
    expect(text(any(p, any(q, r)))).toBe('(p|q|r)');
    expect(text(all(p, any(q, r)))).toBe('(p&(q|r))');
    expect(text(any(all(p, q), r))).toBe('((p&q)|r)');
  });

  it('hold no negation: "not" and the wanted outcome turn what stands inside', () => {
    const node: Node = {
      kind: 'and',
      nodes: [present('p'), { kind: 'not', node: { kind: 'or', nodes: [present('q'), present('r')] } }],
    };
    expect(text(isTrue(node))).toBe('(p&!q&!r)');
    expect(text(isFalse(node))).toBe('(!p|q|r)');
    expect([isTrue(node).kind, isFalse(node).kind]).toEqual(['all', 'any']);
    expect(
      text(isFalse({ kind: 'or', nodes: [present('p'), { kind: 'and', nodes: [present('q'), present('r')] }] })),
    ).toBe('(!p&(!q|!r))');
  });
});

describe('when a policy allows', () => {
  const allow = (formula: Formula) => ({ effect: 'allow', formula }) as const;
  const deny = (formula: Formula) => ({ effect: 'deny', formula }) as const;
  it.each<[string, () => Formula, string]>([
    ['no rule', () => combined('first-match', []), '()'],
    ['no rule with denials first', () => combined('deny-overrides', []), '()'],
    ['in order', () => combined('first-match', [allow(p), deny(q), allow(r)]), '(p|(q&r))'],
    ['a denial after all allows', () => combined('first-match', [allow(p), deny(q)]), 'p'],
    ['denials first', () => combined('deny-overrides', [allow(p), deny(q), allow(r)]), '(q&(p|r))'],
    ['any', () => combined('any-allow', [allow(p), allow(r)]), '(p|r)'],
    ['only a denial', () => combined('deny-overrides', [deny(q)]), '()'],
  ])('%s', (_, make, expected) => {
    const formula = make();
    expect(text(formula)).toBe(expected);
    if (expected === '()') expect(formula).toEqual(NEVER);
  });

  it('an allow rule has to be true, a deny rule has to be false', () => {
    const rules = [
      { effect: 'deny', node: present('p') },
      { effect: 'allow', node: present('q') },
    ] as const;
    expect(text(allowedWhen('first-match', rules))).toBe('(!p&q)');
    expect(text(allowedWhen('deny-overrides', rules))).toBe('(!p&q)');
  });

  it('32 rules stand one by one, and more are halved', () => {
    const alternating = (count: number) =>
      Array.from({ length: count }, (_, i) => (i % 2 === 0 ? allow(leaf(`a${i}`)) : deny(leaf(`d${i}`))));
    const depth = (formula: Formula): number =>
      formula.kind === 'leaf' ? 0 : 1 + Math.max(0, ...formula.formulas.map(depth));
    expect(depth(combined('first-match', alternating(32)))).toBe(30);
    const halved = combined('first-match', alternating(34));
    expect(depth(halved)).toBeLessThan(20);
    // The rules of the first half, and where none of them denies, those of the second.
    const silent = Array.from({ length: 9 }, (_, i) => `d${i * 2 + 1}`).join('&');
    expect(text(halved)).toMatch(/^\(a0\|\(d1&\(a2\|/);
    expect(text(halved)).toContain(`(${silent}&(a`);
    expect(text(halved).match(/a\d+/g)).toHaveLength(17);
    expect(depth(combined('first-match', alternating(1_000)))).toBeLessThan(60);
  });

  it('and that is what is decided, of many rules too', () => {
    const rules = Array.from({ length: 70 }, (_, i) => ({
      id: `r${i}`,
      effect: i % 3 === 1 ? ('deny' as const) : ('allow' as const),
      when: { eq: [{ attr: `subject.x${i}` }, true] } as Condition,
    }));
    const policy: Policy = { name: 'p', combining: 'first-match', rules };
    const formula = allowedWhen(
      'first-match',
      rules.map((rule) => ({ effect: rule.effect, node: lowerRule(rule) })),
    );
    const engine = createPolicyEngine(policy);
    const holds = (of: Formula, values: Readonly<Record<string, boolean>>): boolean => {
      if (of.kind !== 'leaf') {
        const hold = (part: Formula): boolean => holds(part, values);
        return of.kind === 'all' ? of.formulas.every(hold) : of.formulas.some(hold);
      }
      const [attribute] = attributesOf(of.leaf);
      return values[attribute?.attr.slice(8) ?? ''] === of.outcome;
    };
    for (let first = 0; first < 70; first++) {
      const values = Object.fromEntries(rules.map((_, i) => [`x${i}`, i === first || i === (first * 7) % 70]));
      const request: AccessRequest = {
        subject: { id: 'ada', roles: [], attributes: values },
        action: 'read',
        resource: { type: 'document', attributes: {} },
        environment: { time: 0 },
      };
      expect(holds(formula, values)).toBe(engine.decide(request).allowed);
    }
  });
});

describe('conditions in few forms', () => {
  const equal = (left: object, right: object, emptyIsUnknown = false) => ({
    kind: 'equal',
    left,
    right,
    emptyIsUnknown,
  });
  const less = (left: object, right: object, emptyIsUnknown = false) => ({ kind: 'less', left, right, emptyIsUnknown });
  const not = (node: object) => ({ kind: 'not', node });
  const one = { value: 1 };
  it.each<[Condition, object]>([
    [{ eq: [a, 1] }, equal(a, one)],
    [{ eq: [a, b] }, equal(a, b, true)],
    [{ eq: [1, b] }, equal(one, b)],
    [{ ne: [a, 1] }, not(equal(a, one))],
    [{ lt: [a, 1] }, less(a, one)],
    [{ gt: [a, 1] }, less(one, a)],
    [{ lte: [a, 1] }, not(less(one, a))],
    [{ gte: [a, 1] }, not(less(a, one))],
    [{ gte: [a, b] }, not(less(a, b, true))],
    [{ startsWith: [a, 'x'] }, { kind: 'startsWith', left: a, right: { value: 'x' }, emptyIsUnknown: false }],
    [{ endsWith: [a, b] }, { kind: 'endsWith', left: a, right: b, emptyIsUnknown: true }],
    [{ in: [a, [1, 2]] }, { kind: 'member', item: a, list: { values: [1, 2] }, emptyIsUnknown: false }],
    [{ in: [a, b] }, { kind: 'member', item: a, list: b, emptyIsUnknown: true }],
    [{ contains: [a, 1] }, { kind: 'member', item: one, list: a, emptyIsUnknown: false }],
    [{ present: a }, { kind: 'present', attribute: a }],
    [{ predicate: 'p' }, { kind: 'predicate', name: 'p' }],
    [{ not: { ne: [a, 1] } }, equal(a, one)],
    [{ not: { eq: [a, 1] } }, not(equal(a, one))],
    [{ and: [{ eq: [a, 1] }] }, equal(a, one)],
    [
      { and: [{ eq: [a, 1] }, { and: [{ present: a }, { present: b }] }] },
      {
        kind: 'and',
        nodes: [equal(a, one), { kind: 'present', attribute: a }, { kind: 'present', attribute: b }],
      },
    ],
    [{ or: [{ eq: [a, 1] }] }, { kind: 'or', nodes: [equal(a, one)] }],
    [
      { and: [{ or: [{ present: a }] }, { present: b }] },
      {
        kind: 'and',
        nodes: [
          { kind: 'or', nodes: [{ kind: 'present', attribute: a }] },
          { kind: 'present', attribute: b },
        ],
      },
    ],
  ])('%j', (condition, node) => {
    expect(lower(condition)).toEqual(node);
  });

  it('what a rule is about stands before what it asks', () => {
    const about = (more: object) => lowerRule({ id: 'r', effect: 'allow', when: 'always', ...more });
    const type = { attr: 'resource.type' };
    expect(about({})).toEqual({ kind: 'and', nodes: [] });
    expect(about({ actions: ['read'] })).toEqual(equal(action, { value: 'read' }));
    expect(about({ actions: ['read', 'list'], resources: ['document'], when: { present: a } })).toEqual({
      kind: 'and',
      nodes: [
        equal(type, { value: 'document' }),
        { kind: 'member', item: action, list: { values: ['read', 'list'] }, emptyIsUnknown: false },
        { kind: 'present', attribute: a },
      ],
    });
  });

  it('know their parts', () => {
    const node = lower({
      not: { or: [{ eq: [a, b] }, { and: [{ in: [1, b] }, { predicate: 'p' }, { present: a }] }] },
    });
    expect(leavesIn(node).map(({ kind }) => kind)).toEqual(['equal', 'member', 'predicate', 'present']);
    expect(leavesIn(node).map(attributesOf)).toEqual([[a, b], [b], [], [a]]);
    expect(attributesOf(lower({ in: [a, [1]] }) as Leaf)).toEqual([a]);
    expect(attributesOf(lower({ eq: [1, 1] }) as Leaf)).toEqual([]);
  });

  it('inherit nothing', () => {
    expect(Object.getPrototypeOf(bare({ value: 1 }))).toBeNull();
    expect(bare({ value: 1 })).toEqual({ value: 1 });
    const base = Object.prototype as { value?: unknown };
    base.value = 'x';
    let read: readonly AttributeRef[] = [];
    try {
      read = attributesOf(lower({ eq: [a, 1] }) as Leaf);
    } finally {
      delete base.value;
    }
    expect(read).toEqual([a]);
  });
});
