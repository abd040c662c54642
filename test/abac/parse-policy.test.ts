import {
  and,
  attr,
  type Condition,
  contains,
  createPolicyEngine,
  endsWith,
  eq,
  gt,
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
  type Policy,
  parsePolicy,
  policy,
  present,
  rule,
  sameDepartment,
  startsWith,
} from 'doorward/abac';
import { describe, expect, it } from 'vitest';

const when: unknown = { eq: [{ attr: 'action' }, 'read'] };
const asPolicy = (rules: unknown): unknown => ({ name: 'p', combining: 'first-match', rules });
const asRule = (condition: unknown): unknown => asPolicy([{ id: 'r', effect: 'allow', when: condition }]);
const deep = (levels: number): unknown => (levels === 1 ? when : { not: deep(levels - 1) });
const department = { attr: 'subject.department' };

describe('a policy that is not one is refused with the path of what is wrong', () => {
  it.each<[string, unknown, string]>([
    ['null', null, '$ must be an object'],
    ['an array', [], '$ must be an object'],
    ['no name', { combining: 'first-match', rules: [] }, '$ has no "name"'],
    ['an empty name', { name: '', combining: 'first-match', rules: [] }, '$.name must be a non-empty string'],
    [
      'an unknown key',
      { name: 'p', combining: 'first-match', rules: [], version: 1 },
      '$ has an unknown key "version"',
    ],
    ['another combination', { name: 'p', combining: 'any-allow', rules: [] }, '$.combining must be "first-match"'],
    ['rules by name', asPolicy({ r: when }), '$.rules must be an array'],
    ['a rule that is a text', asPolicy(['r']), '$.rules[0] must be an object'],
    ['a hole for a rule', asPolicy(new Array(1)), '$.rules[0] must be an object'],
    ['a rule without a condition', asPolicy([{ id: 'r', effect: 'allow' }]), '$.rules[0] has no "when"'],
    [
      'a rule with an unknown key',
      asPolicy([{ id: 'r', effect: 'allow', when, unless: when }]),
      '$.rules[0] has an unknown key "unless"',
    ],
    [
      'an own __proto__',
      asPolicy([JSON.parse('{"id":"r","effect":"allow","when":{},"__proto__":{}}')]),
      '$.rules[0] has an unknown key "__proto__"',
    ],
    ['another effect', asPolicy([{ id: 'r', effect: 'Allow', when }]), '$.rules[0].effect must be "allow" or "deny"'],
    ['an id that is no text', asPolicy([{ id: 1, effect: 'allow', when }]), '$.rules[0].id must be a non-empty string'],
    [
      'a description that is no text',
      asPolicy([{ id: 'r', effect: 'allow', description: 1, when }]),
      '$.rules[0].description must be a non-empty string',
    ],
    [
      'an id twice',
      asPolicy([
        { id: 'r', effect: 'allow', when },
        { id: 'r', effect: 'deny', when },
      ]),
      '$.rules[1].id is the id of an earlier rule',
    ],
  ])('%s', (_, json, message) => {
    expect(() => parsePolicy(json)).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID', message }));
  });

  it.each<[string, unknown, string]>([
    ['a text', 'true', ' must be a condition object'],
    ['an array', [when], ' must be a condition object'],
    ['no operator', {}, ' must have exactly one operator'],
    ['two operators', { eq: [department, 'x'], ne: [department, 'y'] }, ' must have exactly one operator'],
    ['an unknown operator', { equals: [department, 'x'] }, ' has an unknown operator "equals"'],
    ['an inherited operator', { toString: [department, 'x'] }, ' has an unknown operator "toString"'],
    ['an empty and', { and: [] }, '.and must not be empty'],
    ['an empty or', { not: { or: [] } }, '.not.or must not be empty'],
    ['and of no list', { and: when }, '.and must be an array'],
    ['one operand', { eq: [department] }, '.eq must have exactly two operands'],
    ['three operands', { or: [when, { eq: [department, 'x', 'y'] }] }, '.or[1].eq must have exactly two operands'],
    ['null', { eq: [department, null] }, '.eq[1] must be an object'],
    ['NaN', { eq: [department, Number.NaN] }, '.eq[1] must be a string, a finite number, a boolean or {"attr": path}'],
    [
      'infinity',
      { lt: [department, Infinity] },
      '.lt[1] must be a string, a finite number, a boolean or {"attr": path}',
    ],
    ['a list to compare with', { eq: [department, ['x']] }, '.eq[1] must be an object'],
    [
      'an unknown key beside attr',
      { eq: [{ attr: 'action', default: 'read' }, 'x'] },
      '.eq[0] has an unknown key "default"',
    ],
    ['two constants', { eq: ['resource.owner_id', 'subject.id'] }, '.eq compares constants and reads no attribute'],
    ['a constant in constants', { in: ['read', ['read']] }, '.in compares constants and reads no attribute'],
    ['equality with a list', { eq: [{ attr: 'subject.roles' }, 'admin'] }, '.eq[0] must not be a list here'],
    ['order of booleans', { lt: [department, true] }, '.lt[1] must not be a boolean here'],
    ['an hour as a text', { gte: [{ attr: 'environment.hour' }, '9'] }, '.gte compares a number with a string'],
    ['a number for the action', { ne: [1, { attr: 'action' }] }, '.ne compares a number with a string'],
    [
      'an hour that equals an id',
      { eq: [{ attr: 'environment.hour' }, { attr: 'subject.id' }] },
      '.eq compares a number with a string',
    ],
    ['a start that is a number', { startsWith: [department, 1] }, '.startsWith[1] must not be a number here'],
    ['an end that is empty', { endsWith: [department, ''] }, '.endsWith compares with an empty text'],
    ['a list that is a text', { in: [department, 'sales'] }, '.in[1] must be an object'],
    [
      'a list that cannot be one',
      { contains: [{ attr: 'action' }, 'read'] },
      '.contains[0] must be a list and not a string',
    ],
    ['a list for an item', { in: [{ attr: 'subject.roles' }, ['admin']] }, '.in[0] must not be a list here'],
    ['an empty list', { in: [department, []] }, '.in[1] must not be empty'],
    ['a list of two types', { in: [department, ['a', 1]] }, '.in[1] must hold one type'],
    [
      'null in a list',
      { in: [department, ['a', null]] },
      '.in[1][1] must be a string, a finite number, a boolean or {"attr": path}',
    ],
    ['a list of another type', { in: [{ attr: 'action' }, [1, 2]] }, '.in compares a string with a number'],
    ['a role that is a number', { contains: [department, [1]] }, '.contains[1] must be an object'],
    ['presence of a constant', { present: 'action' }, '.present must be an object'],
    ['33 conditions in each other', deep(33), `${'.not'.repeat(32)} is nested deeper than 32 conditions`],
    [
      'a hundred thousand conditions in each other',
      JSON.parse(`${'{"not":'.repeat(100_000)}{}${'}'.repeat(100_000)}`),
      `${'.not'.repeat(32)} is nested deeper than 32 conditions`,
    ],
  ])('%s in a condition', (_, condition, problem) => {
    expect(() => parsePolicy(asRule(condition))).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', message: `$.rules[0].when${problem}` }),
    );
  });

  it.each([
    'subject',
    'subject.',
    'subject.a.b',
    'subject.__proto__',
    'resource.constructor',
    'resource.prototype',
    'subject.a-b',
    'subject.1st',
    'subject.a ',
    'subject.a\n',
    'subject[id]',
    'Subject.id',
    `subject.${'a'.repeat(65)}`,
    'action.name',
    'environment.user_agent',
    'environment.minute',
    'environment',
    'user.id',
    'id',
    '__proto__',
    '',
    1,
    null,
    ['subject.id'],
  ])('the path %j', (path) => {
    expect(() => parsePolicy(asRule({ present: { attr: path } }))).toThrow(
      expect.objectContaining({
        code: 'CONFIG_INVALID',
        field: expect.stringMatching(/^\$\.rules\[0\]\.when\.present\.attr$/),
      }),
    );
  });

  it('refuses the same when a policy is built in TypeScript', () => {
    const mistaken = policy('p', [rule.allow('owner', eq('resource.owner_id', 'subject.id'))]);
    expect(() => createPolicyEngine(mistaken)).toThrow('$.rules[0].when.eq compares constants and reads no attribute');
  });
});

describe('a policy as data', () => {
  const department = attr('subject.department');
  it.each<[string, Condition, unknown]>([
    ['eq', eq(department, 'x'), { eq: [{ attr: 'subject.department' }, 'x'] }],
    ['ne', ne(department, 'x'), { ne: [{ attr: 'subject.department' }, 'x'] }],
    ['lt', lt(attr('resource.level'), 3), { lt: [{ attr: 'resource.level' }, 3] }],
    ['lte', lte(3, attr('resource.level')), { lte: [3, { attr: 'resource.level' }] }],
    ['gt', gt(attr('resource.level'), 3), { gt: [{ attr: 'resource.level' }, 3] }],
    ['gte', gte(attr('resource.level'), 3), { gte: [{ attr: 'resource.level' }, 3] }],
    ['startsWith', startsWith(attr('resource.id'), 'pub-'), { startsWith: [{ attr: 'resource.id' }, 'pub-'] }],
    ['endsWith', endsWith(attr('resource.id'), '.md'), { endsWith: [{ attr: 'resource.id' }, '.md'] }],
    ['isIn', isIn(attr('action'), ['read', 'list']), { in: [{ attr: 'action' }, ['read', 'list']] }],
    [
      'contains',
      contains(attr('resource.readers'), attr('subject.id')),
      { contains: [{ attr: 'resource.readers' }, { attr: 'subject.id' }] },
    ],
    ['present', present(attr('environment.ip')), { present: { attr: 'environment.ip' } }],
    [
      'and',
      and(hasRole('a'), hasRole('b')),
      { and: [{ contains: [{ attr: 'subject.roles' }, 'a'] }, { contains: [{ attr: 'subject.roles' }, 'b'] }] },
    ],
    ['or', or(not(hasRole('a'))), { or: [{ not: { contains: [{ attr: 'subject.roles' }, 'a'] } }] }],
    ['owner', owner(), { eq: [{ attr: 'subject.id' }, { attr: 'resource.owner_id' }] }],
    ['owner by attribute', owner('author_id'), { eq: [{ attr: 'subject.id' }, { attr: 'resource.author_id' }] }],
    ['sameDepartment', sameDepartment(), { eq: [{ attr: 'subject.department' }, { attr: 'resource.department' }] }],
    [
      'hourBetween',
      hourBetween(9, 18),
      { and: [{ gte: [{ attr: 'environment.hour' }, 9] }, { lte: [{ attr: 'environment.hour' }, 18] }] },
    ],
    [
      'hourBetween over midnight',
      hourBetween(22, 5),
      { or: [{ gte: [{ attr: 'environment.hour' }, 22] }, { lte: [{ attr: 'environment.hour' }, 5] }] },
    ],
  ])('%s builds exactly the JSON that a file holds', (_, condition, json) => {
    expect(condition).toStrictEqual(json);
    const built = policy('p', [rule.allow('a', condition, 'why'), rule.deny('b', condition)]);
    const file: unknown = JSON.parse(JSON.stringify(built));
    expect(parsePolicy(file)).toStrictEqual(built);
    expect(file).toEqual({
      name: 'p',
      combining: 'first-match',
      rules: [
        { id: 'a', effect: 'allow', description: 'why', when: json },
        { id: 'b', effect: 'deny', when: json },
      ],
    });
  });

  it.each([
    [9, 24],
    [-1, 18],
    [9.5, 18],
    [Number.NaN, 18],
  ])('hourBetween(%d, %d) is refused', (from, to) => {
    expect(() => hourBetween(from, to)).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', field: 'hourBetween' }),
    );
  });

  it('is a frozen copy: changing the source afterwards changes nothing', () => {
    const source = { eq: [{ attr: 'subject.id' }, 'ada'] };
    const parsed = parsePolicy(asRule(source));
    source.eq[1] = 'eve';
    expect(parsed.rules[0]?.when).toEqual({ eq: [{ attr: 'subject.id' }, 'ada'] });
    expect(() => (parsed.rules as unknown[]).push(1)).toThrow(TypeError);
    expect(() => Object.assign(parsed.rules[0]?.when ?? {}, { eq: [] })).toThrow(TypeError);
  });

  it('may have no rules, and then denies everything', () => {
    const request = {
      subject: { id: 'a', roles: ['admin'], attributes: {} },
      action: 'read',
      resource: { type: 't', attributes: {} },
      environment: { time: 0 },
    };
    expect(createPolicyEngine(policy('closed', [])).decide(request)).toMatchObject({
      allowed: false,
      reason: 'no_rule',
    });
  });
});

describe('the revision of a policy', () => {
  const revisionOf = (json: unknown): string => createPolicyEngine(json as Policy).revision;
  const base = { name: 'p', combining: 'first-match', rules: [{ id: 'r', effect: 'allow', when }] };

  it('does not depend on the order in which keys are written', () => {
    expect(revisionOf({ rules: [{ when, effect: 'allow', id: 'r' }], combining: 'first-match', name: 'p' })).toBe(
      revisionOf(base),
    );
    expect(revisionOf(base)).toMatch(/^[0-9a-f]{16}$/);
  });

  it.each<[string, unknown]>([
    ['a name', { ...base, name: 'q' }],
    ['an effect', { ...base, rules: [{ id: 'r', effect: 'deny', when }] }],
    ['a constant', { ...base, rules: [{ id: 'r', effect: 'allow', when: { eq: [{ attr: 'action' }, 'write'] } }] }],
    [
      'the order of operands',
      { ...base, rules: [{ id: 'r', effect: 'allow', when: { eq: ['read', { attr: 'action' }] } }] },
    ],
    ['a description', { ...base, rules: [{ id: 'r', effect: 'allow', when, description: 'x' }] }],
  ])('changes with %s', (_, json) => {
    expect(revisionOf(json)).not.toBe(revisionOf(base));
  });
});
