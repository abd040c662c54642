import { type AccessRequest, allow, type Decision, deny, shadow, withFallback } from 'doorward';
import {
  analyze,
  and,
  attr,
  contains,
  createPolicyEngine,
  defineModel,
  diff,
  eq,
  explain,
  explainAsText,
  lt,
  not,
  or,
  type Policy,
  parsePolicy,
  policy,
  present,
  prove,
  representatives,
  rule,
  startsWith,
} from 'doorward/abac';
import { policyCases } from 'doorward/testing';
import { describe, expect, it } from 'vitest';

const CONFIG_INVALID = expect.objectContaining({ code: 'CONFIG_INVALID' });
const request: AccessRequest = {
  subject: { id: 'ada', roles: [], attributes: {} },
  action: 'read',
  resource: { type: 'document', attributes: {} },
  environment: { time: 0 },
};
const withRule = (...rules: unknown[]): unknown => ({ name: 'p', combining: 'first-match', rules });
const open = { id: 'r', effect: 'allow', when: 'always' };

describe('a policy that would say less than it seems to', () => {
  class Targeted {
    id = 'r';
    effect = 'allow';
    when = 'always';
    get actions() {
      return ['read'];
    }
  }

  it.each<[string, unknown]>([
    ['actions that came out undefined', { ...open, actions: undefined }],
    ['resources that came out undefined', { ...open, resources: undefined }],
    ['inherited actions', Object.assign(Object.create({ actions: ['read'] }), open)],
    ['actions of a class', new Targeted()],
    ['a hole among the actions', { ...open, actions: new Array(1) }],
    [
      'a time zone that came out undefined',
      { ...open, when: { lt: [{ attr: 'environment.hour', timeZone: undefined }, 9] } },
    ],
    [
      'an inherited time zone',
      { ...open, when: { lt: [Object.assign(Object.create({ timeZone: 'UTC' }), { attr: 'environment.hour' }), 9] } },
    ],
    ...['BST', 'IST', 'CST', 'AST', 'EST', 'SystemV/EST5'].map((timeZone): [string, unknown] => [
      `the abbreviation ${timeZone}, which is the time of another place`,
      { ...open, when: { lt: [{ attr: 'environment.hour', timeZone }, 9] } },
    ]),
    ['an inherited operator', { ...open, when: Object.create({ eq: [{ attr: 'action' }, 'read'] }) }],
    [
      'an operator of a class',
      { ...open, when: Object.assign(Object.create({ not: {} }), { present: { attr: 'action' } }) },
    ],
  ])('%s is refused', (_, bad) => {
    expect(() => parsePolicy(withRule(bad))).toThrow(CONFIG_INVALID);
  });

  it('what is read twice is what was checked', () => {
    let reads = 0;
    const changing = { ...open, effect: 'deny' };
    Object.defineProperty(changing, 'effect', { enumerable: true, get: () => (reads++ === 0 ? 'deny' : 'allow') });
    expect(parsePolicy(withRule(changing)).rules[0]?.effect).toBe('deny');
    expect(reads).toBe(1);
  });
});

describe('an analysis', () => {
  const [a, b, c] = [attr('resource.a'), attr('resource.b'), attr('resource.c')];

  it.each([
    ['below a number that is too large to count from', and(lt(a, -1e300), lt(b, a))],
    ['above one', and(lt(1e300, a), lt(a, b))],
    ['below the last whole number, several times', and(lt(a, Number.MIN_SAFE_INTEGER), lt(b, a), lt(c, b))],
    ['above it', and(lt(Number.MAX_SAFE_INTEGER, a), lt(a, b), lt(b, c))],
  ])('does not call dead what fires %s', (_, when) => {
    const strange = policy('p', [rule.allow('r', when)]);
    expect(analyze(strange)).toEqual({ exhaustive: true, findings: [] });
    expect(prove(strange, { when: 'always', decision: 'deny' }).proved).toBe(false);
    expect(diff(strange, policy('p', [])).same).toBe(false);
  });

  it('proves nothing below the least number there is, and nothing above the greatest', () => {
    const none = policy('p', [rule.allow('r', lt(a, -Number.MAX_VALUE)), rule.allow('q', lt(Number.MAX_VALUE, a))]);
    expect(prove(none, { when: 'always', decision: 'deny' }).proved).toBe(true);
  });

  it.each<[string, unknown]>([
    ['null', null],
    ['no rules', { name: 'p', combining: 'first-match' }],
    ['a rule that is none', withRule({})],
    ['a condition that is none', withRule({ ...open, when: { eq: 1 } })],
    ['a condition without end', withRule({ ...open, when: nested(5_000) })],
  ])('of %s is a mistake of the configuration', (_, bad) => {
    const given = bad as Policy;
    const good = policy('p', []);
    for (const act of [
      () => analyze(given),
      () => analyze([good, given]),
      () => diff(good, given),
      () => prove(given, { when: 'always', decision: 'deny' }),
      () => [...representatives(given)],
    ]) {
      expect(act).toThrow(CONFIG_INVALID);
    }
    expect(() => prove(good, { when: { eq: 1 } as never, decision: 'deny' })).toThrow(CONFIG_INVALID);
  });

  it('that reaches its limit has answered the many small questions before the few large ones', () => {
    let seed = 7;
    const next = (below: number): number => {
      seed = (seed * 1_103_515_245 + 12_345) & 0x7fffffff;
      return (seed >> 8) % below;
    };
    const some = () => attr(`resource.x${next(6)}`);
    const leaf = () =>
      [
        () => eq(some(), `v${next(4)}`),
        () => lt(some(), next(9)),
        () => eq(some(), attr(`subject.y${next(3)}`)),
        () => contains(attr('subject.roles'), `r${next(6)}`),
        () => startsWith(some(), `p${next(3)}`),
      ][next(5)]?.() ?? present(some());
    const rules = Array.from({ length: 60 }, (_, index) =>
      rule[next(3) === 0 ? 'deny' : 'allow'](`r${index}`, or(and(leaf(), leaf(), not(leaf())), and(leaf(), leaf()))),
    );
    const { exhaustive, findings } = analyze(policy('p', rules), { limit: 50_000 });
    expect(exhaustive).toBe(false);
    expect(findings.filter(({ kind }) => kind === 'conflict').length).toBeGreaterThan(400);
  }, 120_000);
});

function nested(depth: number): unknown {
  let condition: unknown = { present: { attr: 'action' } };
  for (let level = 0; level < depth; level++) condition = { not: condition };
  return condition;
}

describe('a rule that a model checks', () => {
  const model = defineModel({
    roles: ['viewer'],
    subject: {},
    resources: { document: { actions: ['read'], attributes: { level: ['secret-1', 'open-2'] } } },
  });
  const level = { attr: 'resource.level' };
  const denying = (when: unknown) => withRule({ id: 'r', effect: 'deny', when });

  it.each([
    { startsWith: [level, 'Secret'] },
    { endsWith: [level, '-3'] },
    { startsWith: ['open', level] },
    { not: { endsWith: [{ attr: 'subject.roles' }, 'x'] } },
    { startsWith: [{ attr: 'resource.type' }, 'page'] },
  ])('%j would deny nothing, and is refused', (when) => {
    expect(() => model.parse(denying(when))).toThrow(CONFIG_INVALID);
  });

  it.each([{ startsWith: [level, 'secret'] }, { endsWith: [level, '-2'] }, { startsWith: ['open-2 and more', level] }])(
    '%j is taken',
    (when) => {
      expect(model.parse(denying(when)).rules[0]?.when).toEqual(when);
    },
  );
});

describe('a case of a policy', () => {
  it('that names its rule by a misspelt key would accept any rule, and is refused', () => {
    const misspelt = { name: 'the owner reads', request, allowed: true, ruleid: 'owner' };
    expect(() => policyCases(parsePolicy(withRule(open)), [misspelt])).toThrow(CONFIG_INVALID);
  });
});

describe('shadow and withFallback', () => {
  const says = (decision: Decision) => ({ decide: () => decision });
  const settled = () => new Promise((resolve) => setTimeout(resolve, 20));

  it.each([
    ['nobody to tell', {}],
    ['somebody who cannot hear', { onDivergence: 'log' }],
    ['a misspelt option', { onDivergence: () => {}, onDivergance: () => {} }],
    ['no options', undefined],
  ])('a shadow with %s would compare nothing, and is refused', (_, options) => {
    expect(() => shadow(says(allow('rule')), says(deny('rule')), options as never)).toThrow(CONFIG_INVALID);
  });

  it('a listener that rejects ends no process', async () => {
    const rejections: unknown[] = [];
    const hear = (reason: unknown) => rejections.push(reason);
    process.on('unhandledRejection', hear);
    const onDivergence = async () => {
      throw new Error('the log is full');
    };
    expect(shadow(says(allow('rule')), says(deny('rule')), { onDivergence }).decide(request)).toEqual(allow('rule'));
    await settled();
    process.off('unhandledRejection', hear);
    expect(rejections).toEqual([]);
  });

  it('a listener that never ends does not use up the comparisons', async () => {
    let heard = 0;
    const onDivergence = () => {
      heard++;
      return new Promise<void>(() => {});
    };
    const pdp = shadow(says(allow('rule')), says(deny('rule')), { onDivergence, maxPending: 1 });
    for (let turn = 0; turn < 3; turn++) {
      await pdp.decide(request);
      await settled();
    }
    expect(heard).toBe(3);
  });

  it('a shadow that gave no answer is told of, even where the answer is no', async () => {
    const heard: string[] = [];
    const onDivergence = ({ shadow: { reason } }: { shadow: Decision }) => heard.push(reason);
    await shadow(says(deny('no_rule')), says(deny('unavailable')), { onDivergence }).decide(request);
    await settled();
    expect(heard).toEqual(['unavailable']);
  });

  it.each([Number.NaN, 0, -1, 1.5, '2s', Number.POSITIVE_INFINITY, null])(
    'a time of %j would let the fallback decide everything, and is refused',
    (timeoutMs) => {
      expect(() => withFallback(says(deny('rule')), says(allow('rule')), timeoutMs as number)).toThrow(CONFIG_INVALID);
    },
  );
});

describe('an explanation', () => {
  it('brings no terminal escapes, and no mark that turns the text round', () => {
    const hostile = 'x\u001b]0;pwned\u0007\u202e\u2066\u0085\u2028\u200b\u3164';
    const engine = createPolicyEngine(
      policy(hostile, [rule.allow(hostile, eq(attr('subject.id'), attr('resource.id')))]),
    );
    const asked = { ...request, subject: { ...request.subject, id: hostile, roles: [hostile] } };
    const text = explainAsText(explain(engine, { ...asked, resource: { ...asked.resource, id: hostile } }));
    expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u);
  });
});
