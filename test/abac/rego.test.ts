import {
  and,
  attr,
  contains,
  contractDecisionPolicy,
  contractPolicy,
  decisionCallInput,
  eq,
  hourBetween,
  isIn,
  lt,
  not,
  type Policy,
  parsePolicy,
  policy,
  predicate,
  present,
  rule,
  toRego,
} from 'doorward/abac';
import { contractRoles } from 'doorward/rbac';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

const one = (when: Parameters<typeof rule.allow>[1], id = 'r'): Policy => policy('p', [rule.allow(id, when)]);
/** The code of a module: its lines without texts and comments. */
const codeOf = (module: string): readonly string[] =>
  module.split('\n').map((line) => line.replaceAll(/"(?:[^"\\]|\\.)*"/g, '""').replace(/#.*$/, '#'));
const configInvalid = (field: string, message: string | RegExp) =>
  expect.objectContaining({ code: 'CONFIG_INVALID', field, message: expect.stringMatching(message) });

describe('the modules of the contract', () => {
  it('are these, to the byte: the documents', async () => {
    await expect(toRego(contractPolicy, { package: 'documents' })).toMatchFileSnapshot(
      '../fixtures/opa/documents.rego',
    );
  });

  it('are these, to the byte: the decision call', async () => {
    const module = toRego(contractDecisionPolicy(contractRoles.grants), {
      package: 'decisions',
      input: decisionCallInput(),
    });
    await expect(module).toMatchFileSnapshot('../fixtures/opa/decisions.rego');
  });

  it('are these, to the byte: a policy with every operator', async () => {
    const every = parsePolicy({
      name: 'every operator',
      combining: 'deny-overrides',
      rules: [
        { id: 'always', effect: 'allow', resources: ['post', 'page'], actions: ['read'], when: 'always' },
        {
          id: 'compare',
          effect: 'allow',
          when: {
            or: [
              { and: [{ lt: [{ attr: 'resource.a' }, 1] }, { gte: [2, { attr: 'resource.b' }] }] },
              { gt: [{ attr: 'resource.a' }, { attr: 'resource.b' }] },
              { not: { startsWith: [{ attr: 'subject.id' }, 'x'] } },
              { endsWith: [{ attr: 'subject.id' }, { attr: 'resource.id' }] },
            ],
          },
        },
        {
          id: 'lists',
          effect: 'deny',
          when: {
            or: [
              { in: [{ attr: 'resource.a' }, [-3, 1e21]] },
              { contains: [{ attr: 'subject.roles' }, { attr: 'resource.a' }] },
              { and: [{ not: { present: { attr: 'resource.c' } } }, { contains: [{ attr: 'resource.b' }, -3] }] },
            ],
          },
        },
        {
          id: 'night',
          effect: 'deny',
          description: 'Nothing at night.',
          when: { lt: [{ attr: 'environment.hour', timeZone: 'Europe/Berlin' }, 6] },
        },
        { id: 'never', effect: 'deny', when: 'always' },
      ],
    });
    await expect(toRego(every, { package: 'operators' })).toMatchFileSnapshot('../fixtures/opa/operators.rego');
  });
});

describe('what cannot be said', () => {
  it.each(['allow', 'deny'] as const)('a predicate in an %s rule is refused, by rule and name', (effect) => {
    const asking = policy('p', [rule[effect]('on-call', and(eq(attr('action'), 'read'), not(predicate('isOnCall'))))]);
    expect(() => toRego(asking)).toThrow(
      configInvalid('policy', 'cannot be said in Rego: rule "on-call" asks the predicate "isOnCall"'),
    );
  });

  it('a decision call sends no resource type and no attributes of other names', () => {
    for (const path of ['resource.type', 'subject.tenant'] as const) {
      expect(() => toRego(one(eq(attr(path), 'a')), { input: decisionCallInput() })).toThrow(
        configInvalid('input', `has no ${path}`),
      );
    }
  });

  it('what is no policy is refused as everywhere', () => {
    expect(() => toRego({ name: 'p', combining: 'first-match', rules: [{}] } as unknown as Policy)).toThrow(
      configInvalid('$.rules[0]', 'has no "id"'),
    );
  });
});

describe('options', () => {
  it.each(['', 'a.', '.a', 'a-b', 'a b', 'a\nallow := true', '1a', 'input', 'a.package', 'ä', 'a["b"]', 5, null])(
    'the package %j is refused',
    (name) => {
      expect(() => toRego(contractPolicy, { package: name as string })).toThrow(configInvalid('package', 'must be'));
    },
  );

  it.each([
    '',
    'input.',
    'input.a b',
    'input.a\ninput.b',
    'input.a; true',
    'input.a }',
    'input.a # ',
    '5',
    '"a"',
    'f(input.a, 1)',
    'f(g(input.a))',
    'input["a\n"]',
    'input["a"b"]',
    'input["\u2028"]',
    'input.a == 1',
    undefined,
  ])('the term %j is refused', (term) => {
    expect(() => toRego(contractPolicy, { input: { term: () => term as string } })).toThrow(
      configInvalid('input', 'must give a Rego term for'),
    );
  });

  it.each(['input.user.id', 'input["x-id"].a', 'data.people', 'hour', 'text(input.a)', 'input["a\\"b"]'])(
    'the term %s is taken as it stands',
    (term) => {
      expect(toRego(one(eq(attr('action'), 'read')), { input: { term: () => term } })).toContain(
        `\t${term} == "read"\n`,
      );
    },
  );

  it.each([null, 5, {}, { term: 'input.a' }, { term: () => 'input.a', rules: 5 }])(
    'the input %j is refused',
    (input) => {
      const refused = configInvalid('input', 'must have a function "term"');
      expect(() => toRego(contractPolicy, { input: input as never })).toThrow(refused);
    },
  );

  it('unknown options and time zones are refused', () => {
    expect(() => toRego(contractPolicy, { packages: 'a' } as object)).toThrow(
      configInvalid('packages', 'known option'),
    );
    expect(() => decisionCallInput('Europe/Atlantis"')).toThrow(configInvalid('timeZone', 'IANA'));
  });

  it('the rules of an input stand in the module', () => {
    const module = toRego(contractDecisionPolicy(contractRoles.grants), { input: decisionCallInput('Asia/Kolkata') });
    expect(module).toContain('else := time.clock([time.now_ns(), "Asia/Kolkata"])[0]\n');
  });
});

describe('quoting', () => {
  const HOSTILE = [
    'x\nallow := true',
    'x\r\nallow := true',
    'x"} if true\nallow := true # ',
    '"',
    '\\',
    '\\"',
    '# METADATA\n# scope: package',
    'METADATA',
    '`',
    '{input}',
    '\u2028allow := true',
    '\u202e\u2066eurt',
    '\u0000\u007f\u0085',
    '\u{1f600}\u{e0041}',
    '__proto__',
    'constructor',
  ];
  const full = (text: string): Policy => ({
    name: text,
    combining: 'first-match',
    rules: [
      {
        id: text,
        effect: 'allow',
        description: text,
        when: and(eq(attr('subject.id'), text), eq(attr('action'), 'a')),
      },
      { id: `${text}2`, effect: 'deny', description: text, when: isIn(attr('subject.id'), [text, `${text}2`]) },
    ],
  });
  const expected = codeOf(toRego(full('harmless')));

  it.each(HOSTILE)('%j adds no code, wherever it stands', (text) => {
    expect(codeOf(toRego(full(text)))).toEqual(expected);
  });

  it('no text adds code, and none has a sign in the module that nobody sees', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1 }), (text) => {
        const module = toRego(full(text));
        expect(codeOf(module)).toEqual(expected);
        expect(module).not.toMatch(/[^\P{C}\n\t]|[\u2028\u2029]/u);
      }),
    );
  });

  it('a text is read back as it was', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1 }), (text) => {
        const written = /"rule": ("(?:[^"\\]|\\.)*")}/.exec(toRego(one(eq(attr('action'), 'a'), text)))?.[1];
        expect(JSON.parse(written ?? '')).toBe(text);
      }),
    );
  });

  it('a name that Rego keeps for itself stands in brackets', () => {
    for (const name of ['default', 'else', 'not', 'with', 'in', 'input', 'data', 'null', 'every', 'package']) {
      const module = toRego(one(present(attr(`subject.${name}`))));
      expect(module).toContain(`is_present(input.subject.attributes["${name}"])`);
    }
  });

  it('no line begins with a minus sign, which would go on with the line before', () => {
    const module = toRego(
      one(and(lt(attr('subject.a'), -1), contains(attr('subject.b'), -3), hourBetween(1, 2, 'UTC'))),
    );
    expect(module).toContain('input.subject.attributes.b[_] == -3\n');
    expect(module).not.toMatch(/^\s*-/m);
  });
});
