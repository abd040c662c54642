import type { AccessRequest } from 'doorward';
import {
  attr,
  contains,
  createPolicyEngine,
  eq,
  explain,
  explainAsMarkdown,
  explainAsText,
  hasRole,
  lt,
  owner,
  policy,
  rule,
} from 'doorward/abac';
import { describe, expect, it } from 'vitest';

const HOSTILE =
  'a\u001b[31m\u0007\u0085\u2028\u202e\u2066\u200b\ufeff\u{e0041}\n| x | `b` <img src=x> [l](http://e.example)';
/** Whatever moves a cursor, ends a line, turns the direction of reading or cannot be seen. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

const request: AccessRequest = {
  subject: { id: 'ada', roles: ['editor'], attributes: { department: 'sales' } },
  action: 'read',
  resource: { type: 'post', id: '42', attributes: { owner_id: 'bob' } },
  environment: { time: 0 },
};
const hostile: AccessRequest = {
  subject: { id: HOSTILE, roles: [HOSTILE], attributes: { department: HOSTILE } },
  action: HOSTILE,
  resource: { type: HOSTILE, id: HOSTILE, attributes: { owner_id: HOSTILE, reviewers: [HOSTILE] } },
  environment: { time: 0 },
};
const documents = policy('documents', [
  rule.allow('admin', hasRole('admin'), { description: 'Administrators | everything.' }),
  rule.allow('owner', owner()),
]);
const odd = policy(HOSTILE, [
  rule.allow(`1${HOSTILE}`, eq(attr('subject.department'), 'x'), { description: HOSTILE }),
  rule.allow(`2${HOSTILE}`, contains(attr('resource.reviewers'), 'x')),
  rule.allow(`3${HOSTILE}`, eq(attr('resource.owner_id'), HOSTILE)),
]);

describe('an explanation', () => {
  it('is data: the answer, and of every rule what it made of the request', () => {
    const explanation = explain(createPolicyEngine(documents), request);
    expect(explanation).toMatchObject({
      allowed: false,
      reason: 'no_rule',
      subject: 'ada',
      roles: ['editor'],
      action: 'read',
      resource: 'post:"42"',
      policy: 'documents',
      rules: [
        {
          ruleId: 'admin',
          effect: 'allow',
          outcome: 'no_match',
          decided: false,
          description: 'Administrators | everything.',
        },
        { ruleId: 'owner', effect: 'allow', outcome: 'no_match', decided: false },
      ],
    });
    expect(JSON.parse(JSON.stringify(explanation))).toEqual(explanation);
  });

  it('says which rule decided, in each form', () => {
    const explanation = explain(createPolicyEngine(documents), {
      ...request,
      subject: { ...request.subject, roles: ['admin'] },
    });
    expect(explanation.rules.map(({ decided }) => decided)).toEqual([true, false]);
    expect(explainAsText(explanation).split('\n')).toEqual([
      'ALLOW  read post:"42" by ada (admin)',
      expect.stringMatching(/^ {2}> admin {2}allow {2}match {5}\S/),
      expect.stringMatching(/^ {2}- owner {2}allow {2}no match {2}\S/),
      '  = admin -> allow',
      `  policy documents, revision ${explanation.revision}`,
    ]);
    const markdown = explainAsMarkdown(explanation);
    expect(markdown).toContain('**ALLOW** `read` `post:"42"` by `ada` (`admin`): `admin -> allow`\n');
    expect(markdown).toContain('| **`admin`** | allow | match | ');
  });

  it('needs an engine with traces', () => {
    expect(() => explain(createPolicyEngine(documents, { trace: false }), request)).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', field: 'trace' }),
    );
  });

  it('survives a request that is none', () => {
    const explanation = explain(createPolicyEngine(documents), {} as AccessRequest);
    expect(explanation).toMatchObject({ allowed: false, subject: 'missing', roles: [], resource: 'missing' });
  });
});

describe('what the engine redacts', () => {
  const secret = 's3cret';
  const full: AccessRequest = {
    subject: { id: secret, roles: [secret], attributes: { department: secret } },
    action: secret,
    resource: { type: secret, id: secret, attributes: { owner_id: secret } },
    environment: { time: 0, hour: 5 },
  };
  const asking = policy('p', [
    rule.allow('a', eq(attr('subject.department'), 'x')),
    rule.allow('b', eq(attr('resource.owner_id'), attr('resource.type'))),
    rule.allow('c', contains(attr('subject.roles'), 'x')),
    rule.allow('d', eq(attr('action'), 'x')),
  ]);
  const redact = [
    'subject.id',
    'subject.roles',
    'subject.department',
    'action',
    'resource.type',
    'resource.id',
    'resource.owner_id',
  ] as const;

  it('is in none of the forms, the header included', () => {
    for (const generateCode of [false, true]) {
      const explanation = explain(createPolicyEngine(asking, { redact, generateCode }), full);
      const forms = [JSON.stringify(explanation), explainAsText(explanation), explainAsMarkdown(explanation)];
      for (const form of forms) expect(form).not.toContain(secret);
      expect(explanation).toMatchObject({ subject: '***', roles: ['***'], action: '***', resource: '***:***' });
      expect(JSON.stringify(explain(createPolicyEngine(asking), full))).toContain(secret);
    }
  });
});

describe('colours', () => {
  const explanation = explain(createPolicyEngine(documents), request);

  it.each([
    ['without a target', undefined, false],
    ['for a file', {}, false],
    ['for a terminal without colours', { hasColors: () => false }, false],
    ['for a terminal', { hasColors: () => true }, true],
  ])('%s', (_, target, expected) => {
    expect(explainAsText(explanation, target).includes('\u001b[')).toBe(expected);
  });
});

describe('texts of a request and of a policy', () => {
  const explanation = explain(createPolicyEngine(odd), hostile);

  it('reach a terminal without escape sequences, line breaks and signs that nobody sees', () => {
    const lines = explainAsText(explanation).split('\n');
    expect(lines).toHaveLength(6);
    for (const line of lines) expect(line).not.toMatch(HIDDEN);
  });

  it('stay in their cells of a Markdown table, as code', () => {
    const markdown = explainAsMarkdown(explanation);
    const lines = markdown.split('\n');
    for (const line of lines) expect(line).not.toMatch(HIDDEN);
    const rows = lines.filter((line) => line.startsWith('|'));
    expect(rows).toHaveLength(5);
    for (const row of rows) expect(row.split('|')).toHaveLength(7);
    expect(markdown.replaceAll(/(`+)(?!`)[^\n]*?[^`]\1(?!`)/g, '')).not.toMatch(/<img|\]\(http/);
  });

  it('are escaped in the data as well, but for the names that the policy gave', () => {
    const { subject, roles, action, resource, rules } = explanation;
    for (const text of [subject, action, resource, ...roles]) expect(text).not.toMatch(HIDDEN);
    for (const { detail, attributes } of rules) {
      for (const text of [detail, ...(attributes ?? []).map(({ value }) => value)]) expect(text).not.toMatch(HIDDEN);
    }
    expect(rules.map(({ ruleId }) => ruleId)).toEqual(odd.rules.map(({ id }) => id));
  });
});

describe('a value in a trace', () => {
  const shown = (level: unknown): string => {
    const engine = createPolicyEngine(policy('p', [rule.allow('r', lt(attr('subject.level'), 'a'))]));
    const subject = { ...request.subject, attributes: level === undefined ? {} : { level } };
    return explain(engine, { ...request, subject }).rules[0]?.attributes?.[0]?.value ?? '';
  };

  it.each([
    [undefined, 'missing', 'missing', '"missing"'],
    [null, 'null', 'null', '"null"'],
    [1, '1', '1', '"1"'],
    [Number.NaN, 'NaN', '1e3', '"1e3"'],
    [true, 'true', 'true', '"true"'],
  ])('%j cannot be taken for a text: %s', (value, plain, text, quoted) => {
    expect([shown(value), shown(text)]).toEqual([plain, quoted]);
  });

  it('is short, however long the value', () => {
    for (const long of ['a'.repeat(1e6), Array.from({ length: 1e5 }, () => 'a'), new Array(1e5)]) {
      expect(shown(long).length).toBeLessThan(80);
    }
  });
});
