import { type Condition, parsePolicy } from 'doorward/abac';
import { describe, expect, it } from 'vitest';
import { ALWAYS, type Formula, isFalse, isTrue, NEVER } from '../../src/abac/condition/formula.ts';
import { lower } from '../../src/abac/condition/lower.ts';
import type { Leaf } from '../../src/abac/condition/node.ts';
import { codeWriter } from '../../src/abac/engine/code-writer.ts';

const a = { attr: 'subject.a' } as const;
const b = { attr: 'resource.b' } as const;
const action = { attr: 'action' } as const;
const hour = { attr: 'environment.hour' } as const;
const eight = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
const written = (formula: Formula): string => codeWriter(new Map([['p', () => true]])).write(formula);

describe('the code for "known to be true" and for "known to be false"', () => {
  it.each<[string, Condition, string, string]>([
    ['a constant', { eq: [action, 'read'] }, '(Q.action==="read")', '((v=Q.action)!=="read"&&K(v))'],
    ['turned round', { eq: ['read', action] }, '(Q.action==="read")', '((v=Q.action)!=="read"&&K(v))'],
    ['two constants', { eq: [1, 1] }, '(C[0](1,1)===true)', '(C[0](1,1)===false)'],
    ['two attributes', { eq: [a, b] }, '((v=s["a"])===r["b"]&&v!==""&&K(v))', '(C[0](s["a"],r["b"])===false)'],
    ['a field', { eq: [{ attr: 'resource.type' }, 'x'] }, '(R["type"]==="x")', '((v=R["type"])!=="x"&&K(v))'],
    ['less', { lt: [a, 5] }, '(N(v=s["a"])&&v<5)', '(N(v=s["a"])&&!(v<5))'],
    ['more', { gt: [a, 5] }, '(N(v=s["a"])&&5<v)', '(N(v=s["a"])&&!(5<v))'],
    ['a text in order', { lt: [a, 'm'] }, '(C[0](s["a"],"m")===true)', '(C[0](s["a"],"m")===false)'],
    ['two attributes in order', { lt: [a, b] }, '(C[0](s["a"],r["b"])===true)', '(C[0](s["a"],r["b"])===false)'],
    ['a start', { startsWith: [a, 'x'] }, '(C[0](s["a"],"x")===true)', '(C[0](s["a"],"x")===false)'],
    ['an end', { endsWith: ['x', a] }, '(C[0]("x",s["a"])===true)', '(C[0]("x",s["a"])===false)'],
    ['one of a few', { in: [a, ['x', 2]] }, '((v=s["a"],v==="x"||v===2))', '((v=s["a"],K(v)&&!(v==="x"||v===2)))'],
    ['one of none', { in: [a, []] }, '((v=s["a"],false))', '((v=s["a"],K(v)&&!(false)))'],
    [
      'one of eight',
      { in: [a, eight] },
      `((v=s["a"],${eight.map((one) => `v==="${one}"`).join('||')}))`,
      `((v=s["a"],K(v)&&!(${eight.map((one) => `v==="${one}"`).join('||')})))`,
    ],
    ['one of nine', { in: [a, [...eight, 'i']] }, '(C[0](s["a"],"")===true)', '(C[0](s["a"],"")===false)'],
    ['a constant of constants', { in: ['x', ['x']] }, '(C[0]("x","")===true)', '(C[0]("x","")===false)'],
    ['a list that has', { contains: [a, 'x'] }, '(H(s["a"],"x"))', '(C[0]("x",s["a"])===false)'],
    ['a list of another part', { in: [a, b] }, '(C[0](s["a"],r["b"])===true)', '(C[0](s["a"],r["b"])===false)'],
    [
      'present',
      { present: a },
      '((v=s["a"],K(v)||Array.isArray(v))===true)',
      '((v=s["a"],K(v)||Array.isArray(v))===false)',
    ],
    [
      'a predicate',
      { predicate: 'p' },
      '(u=F(C[0],Q,E.time,u),C[1](Q)===true)',
      '(u=F(C[0],Q,E.time,u),C[1](Q)===false)',
    ],
    [
      'the hour',
      { lt: [hour, 9] },
      '(u=F(C[0],Q,E.time,u),N(v=E["hour"])&&v<9)',
      '(u=F(C[0],Q,E.time,u),N(v=E["hour"])&&!(v<9))',
    ],
    [
      'the hour in a zone',
      { eq: [{ attr: 'environment.hour', timeZone: 'UTC' }, 9] },
      '(u=F(C[0],Q,E.time,u),C[1](E.time)===9)',
      '(u=F(C[0],Q,E.time,u),(v=C[1](E.time))!==9&&K(v))',
    ],
    ['both', { and: [{ eq: [a, 1] }, { eq: [b, 2] }] }, '((s["a"]===1)&&(r["b"]===2))', ''],
    ['either', { or: [{ eq: [a, 1] }, { eq: [b, 2] }] }, '((s["a"]===1)||(r["b"]===2))', ''],
  ])('%s', (_, condition, whenTrue, whenFalse) => {
    const node = lower(condition);
    expect(written(isTrue(node))).toBe(whenTrue);
    if (whenFalse !== '') expect(written(isFalse(node))).toBe(whenFalse);
  });

  it('always and never', () => {
    expect([written(ALWAYS), written(NEVER)]).toEqual(['true', 'false']);
  });

  it('asks about an empty text where it says nothing, also after an attribute has been replaced by its value', () => {
    const outcomes = (leaf: Leaf) => [true, false].map((outcome) => written({ kind: 'leaf', leaf, outcome }));
    expect(outcomes({ kind: 'member', item: a, list: { values: [''] }, emptyIsUnknown: true })).toEqual([
      '(C[0](s["a"],"")===true)',
      '(C[0](s["a"],"")===false)',
    ]);
    expect(outcomes({ kind: 'equal', left: a, right: { value: '' }, emptyIsUnknown: true })).toEqual([
      '(C[0](s["a"],"")===true)',
      '(C[0](s["a"],"")===false)',
    ]);
    expect(outcomes({ kind: 'startsWith', left: a, right: { value: 5 }, emptyIsUnknown: false })[0]).toBe(
      '(C[0](s["a"],5)===true)',
    );
    expect(outcomes({ kind: 'equal', left: a, right: b, emptyIsUnknown: false })[0]).toBe(
      '((v=s["a"])===r["b"]&&K(v))',
    );
  });

  it('looks at the clock once for both ends of office hours, and anew after a way that may not have been gone', () => {
    const from: Condition = { gte: [hour, 9] };
    const to: Condition = { lte: [hour, 18] };
    const looks = (condition: Condition): number => written(isTrue(lower(condition))).split('u=F(').length - 1;
    expect(looks({ and: [from, to] })).toBe(1);
    expect(looks({ or: [from, to] })).toBe(1);
    expect(looks({ and: [from, { or: [{ eq: [a, 1] }, to] }] })).toBe(1);
    expect(looks({ and: [{ or: [{ eq: [a, 1] }, from] }, to] })).toBe(2);
    // A moment is another thing than the hour.
    expect(looks({ and: [from, { lt: [{ attr: 'environment.time' }, 5] }] })).toBe(2);
  });

  it('knows the attributes that are read by their names, and no field among them', () => {
    const writer = codeWriter(new Map());
    const rules = [
      { id: 'r', effect: 'allow', when: { and: [{ eq: [a, b] }, { eq: [action, { attr: 'subject.id' }] }] } },
    ];
    const [rule] = parsePolicy({ name: 'p', combining: 'first-match', rules }).rules;
    writer.write(isTrue(lower(rule?.when as Condition)));
    expect(writer.names).toEqual({ subject: new Set(['a']), resource: new Set(['b']), environment: new Set() });
  });
});
