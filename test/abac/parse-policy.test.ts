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
  predicate,
  present,
  rule,
  sameDepartment,
  startsWith,
} from 'doorward/abac';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { policies } from './support/random.ts';

const when: unknown = { eq: [{ attr: 'action' }, 'read'] };
const asPolicyOf = (rules: unknown) => ({ name: 'p', combining: 'first-match', rules });
const asPolicy = (rules: unknown): unknown => asPolicyOf(rules);
const asRule = (condition: unknown): unknown => asPolicy([{ id: 'r', effect: 'allow', when: condition }]);
const deep = (levels: number): unknown => (levels === 1 ? when : { not: deep(levels - 1) });
const department = { attr: 'subject.department' };
const notOneObject =
  '$ must be a JSON object in UTF-8, without a name twice, of texts and numbers that RFC 7493 allows';

describe('a policy that is not one is refused with the path of what is wrong', () => {
  it.each<[string, unknown, string]>([
    ['null', null, '$ must be an object'],
    ['an array', [], '$ must be an object'],
    ['a text that is no JSON', '{"name":"p",}', '$ must be valid JSON'],
    ['an empty file', Buffer.of(), '$ must be valid JSON'],
    ['a name twice', '{"name":"p","name":"q"}', notOneObject],
    ['bytes that are no UTF-8', Buffer.from('{"name":"\xe9"}', 'latin1'), notOneObject],
    ['no name', { combining: 'first-match', rules: [] }, '$ has no "name"'],
    ['an empty name', { name: '', combining: 'first-match', rules: [] }, '$.name must be a non-empty string'],
    [
      'an unknown key',
      { name: 'p', combining: 'first-match', rules: [], version: 1 },
      '$ has an unknown key "version"',
    ],
    [
      'another combination',
      { name: 'p', combining: 'last-match', rules: [] },
      '$.combining must be one of first-match, any-allow, deny-overrides',
    ],
    [
      'a denial where any rule allows',
      { name: 'p', combining: 'any-allow', rules: [{ id: 'r', effect: 'deny', when }] },
      '$.rules[0].effect must be "allow" in a policy that combines by "any-allow"',
    ],
    [
      'a combination in a list',
      { name: 'p', combining: ['first-match'], rules: [] },
      '$.combining must be one of first-match, any-allow, deny-overrides',
    ],
    ['half a character in a name', { ...asPolicyOf([]), name: 'a\ud83d' }, '$.name must be well-formed Unicode'],
    ['no actions', asPolicy([{ id: 'r', effect: 'allow', actions: [], when }]), '$.rules[0].actions must not be empty'],
    [
      'an action that is a text',
      asPolicy([{ id: 'r', effect: 'allow', actions: 'read', when }]),
      '$.rules[0].actions must be an array',
    ],
    [
      'a resource type that is no text',
      asPolicy([{ id: 'r', effect: 'allow', resources: ['a', 1], when }]),
      '$.rules[0].resources[1] must be a non-empty string',
    ],
    [
      'an empty resource type',
      asPolicy([{ id: 'r', effect: 'allow', resources: [''], when }]),
      '$.rules[0].resources[0] must be a non-empty string',
    ],
    [
      'an action twice',
      asPolicy([{ id: 'r', effect: 'allow', actions: ['read', 'read'], when }]),
      '$.rules[0].actions lists a value twice',
    ],
    [
      'null for the actions',
      asPolicy([{ id: 'r', effect: 'allow', actions: null, when }]),
      '$.rules[0].actions must be an array',
    ],
    ['more rules than anybody writes', asPolicy(new Array(100_001)), '$.rules has more than 100000 elements'],
    [
      'more conditions than a call has room for',
      asRule({ or: new Array(300_000).fill(when) }),
      '$.rules[0].when.or has more than 100000 elements',
    ],
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
    ['a value twice', { in: [department, ['a', 'b', 'a']] }, '.in[1] lists a value twice'],
    ['half a character', { eq: [department, '\udc00a'] }, '.eq[1] must be well-formed Unicode'],
    ['half a character in a list', { in: [department, ['a', '\ud800']] }, '.in[1][1] must be well-formed Unicode'],
    ['always in a condition', { not: 'always' }, '.not must be a condition object'],
    ['another word for always', 'Always', ' must be a condition object'],
    ['a predicate that is no text', { predicate: ['isOnCall'] }, '.predicate must be a name such as "isOnCall"'],
    ['an inherited predicate', { predicate: 'constructor' }, '.predicate must be a name such as "isOnCall"'],
    ['a predicate with a path', { or: [{ predicate: 'a.b' }] }, '.or[0].predicate must be a name such as "isOnCall"'],
    [
      'a zone for another number',
      { gt: [{ attr: 'environment.time', timeZone: 'UTC' }, 9] },
      '.gt[0].timeZone belongs to "environment.hour" only',
    ],
    ...['Europe/Atlantis', 'europe/berlin', 'EUROPE/BERLIN', 'asia/kolkata', '+01:00', 'Z', 'UTC\n', '../UTC'].map(
      (timeZone): [string, unknown, string] => [
        `the zone ${JSON.stringify(timeZone)}`,
        { gt: [{ attr: 'environment.hour', timeZone }, 9] },
        '.gt[0].timeZone must be an IANA time zone such as "Europe/Berlin" or "UTC"',
      ],
    ),
    [
      'an empty zone',
      { gt: [{ attr: 'environment.hour', timeZone: '' }, 9] },
      '.gt[0].timeZone must be a non-empty string',
    ],
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
    'environment.user-agent',
    'environment.__proto__',
    'environment.constructor',
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
      'hourBetween in a zone',
      hourBetween(9, 18, 'Asia/Kolkata'),
      {
        and: [
          { gte: [{ attr: 'environment.hour', timeZone: 'Asia/Kolkata' }, 9] },
          { lte: [{ attr: 'environment.hour', timeZone: 'Asia/Kolkata' }, 18] },
        ],
      },
    ],
    ['predicate', not(predicate('isOnCall')), { not: { predicate: 'isOnCall' } }],
    [
      'hourBetween over midnight',
      hourBetween(22, 5),
      { or: [{ gte: [{ attr: 'environment.hour' }, 22] }, { lte: [{ attr: 'environment.hour' }, 5] }] },
    ],
  ])('%s builds exactly the JSON that a file holds', (_, condition, json) => {
    expect(condition).toStrictEqual(json);
    const built = policy('p', [rule.allow('a', condition, { description: 'why' }), rule.deny('b', condition)]);
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

  it.each(['first-match', 'any-allow', 'deny-overrides'] as const)(
    'the combining %s, and rules about types and actions, are built as a file holds them',
    (combining) => {
      const about = { resources: ['document', 'folder'], actions: ['read'] };
      const built = policy('p', [rule.allow('r', 'always', about)], { combining });
      expect(built).toStrictEqual({
        name: 'p',
        combining,
        rules: [{ id: 'r', effect: 'allow', ...about, when: 'always' }],
      });
      expect(parsePolicy(JSON.parse(JSON.stringify(built)))).toStrictEqual(built);
    },
  );

  it('keeps no sign of zero, which JSON does not keep either', () => {
    const parsed = parsePolicy(asRule({ eq: [{ attr: 'resource.level' }, -0] }));
    expect(parsePolicy(JSON.parse(JSON.stringify(parsed)))).toStrictEqual(parsed);
  });

  it.each(['UTC', 'Asia/Kolkata', 'Asia/Calcutta', 'America/Port-au-Prince', 'Etc/GMT+5', 'America/Argentina/Salta'])(
    'knows the zone %s',
    (timeZone) => {
      expect(() => hourBetween(9, 18, timeZone)).not.toThrow();
    },
  );

  it.each(['Europe/Atlantis', '+01:00', ''])('hourBetween refuses the zone %j', (timeZone) => {
    expect(() => hourBetween(9, 18, timeZone)).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', field: 'hourBetween' }),
    );
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
  /** The same JSON with the keys of every object the other way round. */
  const reversed = (json: unknown): unknown => {
    if (typeof json !== 'object' || json === null) return json;
    if (Array.isArray(json)) return json.map(reversed);
    return Object.fromEntries(
      Object.entries(json)
        .reverse()
        .map(([key, value]) => [key, reversed(value)]),
    );
  };

  it('does not depend on the order in which keys are written', () => {
    fc.assert(
      fc.property(policies, (some) => {
        expect(revisionOf(reversed(some))).toBe(revisionOf(some));
      }),
      { numRuns: 200 },
    );
    expect(revisionOf(asPolicy([]))).toMatch(/^[0-9a-f]{32}$/);
  });

  it('is another for every other policy', () => {
    fc.assert(
      fc.property(fc.uniqueArray(policies, { selector: (some) => JSON.stringify(some) }), (different) => {
        expect(new Set(different.map(revisionOf)).size).toBe(different.length);
      }),
      { numRuns: 100 },
    );
  });

  const zoned = (timeZone?: string) => ({
    gt: [{ attr: 'environment.hour', ...(timeZone !== undefined && { timeZone }) }, 9],
  });
  const base = { id: 'r', effect: 'allow', resources: ['a', 'b'], actions: ['c'], when: zoned('UTC') };
  it.each<[string, object]>([
    ['an id', { id: 'q' }],
    ['an effect', { effect: 'deny' }],
    ['a description', { description: 'x' }],
    ['no resources', { resources: undefined }],
    ['resources for actions', { resources: ['c'], actions: ['a', 'b'] }],
    ['resources that look like the others when joined', { resources: ['a,b'] }],
    ['another zone', { when: zoned('Europe/Berlin') }],
    ['no zone', { when: zoned() }],
    ['always', { when: 'always' }],
    ['a text for a number', { when: { eq: [{ attr: 'resource.a' }, '1'] } }],
    ['a number for a text', { when: { eq: [{ attr: 'resource.a' }, 1] } }],
    ['operands the other way round', { when: { eq: [1, { attr: 'resource.a' }] } }],
  ])('changes with %s', (_, change) => {
    const others = [{}, { when: { eq: [{ attr: 'resource.b' }, 1] } }].map((rest) =>
      revisionOf(asPolicy([{ ...base, ...rest }])),
    );
    const changed = JSON.parse(JSON.stringify({ ...base, ...change }));
    expect(others).not.toContain(revisionOf(asPolicy([changed])));
  });
});
