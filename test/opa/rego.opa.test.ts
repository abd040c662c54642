import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AccessRequest } from 'doorward';
import {
  type AttributePath,
  attr,
  type Condition,
  contains,
  eq,
  lt,
  policy,
  rule,
  startsWith,
  toRego,
} from 'doorward/abac';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { policies } from '../abac/support/random.ts';
import { decidersOf } from './answers.ts';
import { askFor, bulkOpa, putModule } from './ask-opa.ts';
import { checkPolicies, type RealOpa, startOpa } from './real-opa.ts';

const LAST = 9_223_372_036_854;
const ZONES = ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Asia/Kathmandu', 'Pacific/Apia'];

let opa: RealOpa;
beforeAll(async () => {
  opa = await startOpa();
});
afterAll(() => opa?.stop());

const requestWith = (attributes: unknown, environment: object = {}): AccessRequest =>
  ({
    subject: { id: 'ada', roles: [], attributes },
    action: 'read',
    resource: { type: 'post', attributes: {} },
    environment: { time: 0, ...environment },
  }) as AccessRequest;

it('modules of random policies are without fault in strict mode, and formatted as OPA formats', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rego-'));
  try {
    for (const [index, random] of fc.sample(policies, 1_000).entries()) {
      writeFileSync(join(folder, `${index}.rego`), toRego(random, { package: `random.policy_${index}` }));
    }
    expect(checkPolicies(folder)).toBe('');
  } finally {
    rmSync(folder, { recursive: true });
  }
}, 60_000);

it('texts and names of rules come back as they were, and do nothing else', async () => {
  const hostile = [
    'x\nallow := true',
    'x"} if true\nallow := true # ',
    '# METADATA\n# scope: package\n# custom: {',
    '\\"',
    '`',
    '{input.action}',
    '\u2028\u202e\u0000\u007f',
    '__proto__',
  ];
  const texts = new Set([...hostile, ...fc.sample(fc.string({ unit: 'binary', minLength: 1 }), 300)]);
  const rules = Array.from(texts, (text) =>
    rule.allow(text, eq(attr('subject.name'), text), { description: `${text}\n# METADATA` }),
  );
  const quoting = policy(hostile[2] ?? '', rules);
  const requests = [...texts, 'none of them'].map((name) => requestWith({ name }));
  const theirs = await (await bulkOpa(opa))(quoting, requests);
  expect(theirs).toEqual([...Array.from(texts, (text) => [text, true, true]), [null, false, false]]);
});

it('an attribute may have any name that a policy may use', async () => {
  const names = [
    'default',
    'else',
    'not',
    'with',
    'in',
    'input',
    'data',
    'null',
    'every',
    'if',
    'some',
    'known',
    'length',
  ];
  const named = policy(
    'names',
    names.map((name) => rule.allow(name, eq(attr(`subject.${name}`), 'yes'))),
  );
  const theirs = await (await bulkOpa(opa))(
    named,
    names.map((name) => requestWith({ [name]: 'yes' })),
  );
  expect(theirs).toEqual(names.map((name) => [name, true, true]));
});

it.each<[string, Condition, unknown]>([
  ['a negative number after another line', contains(attr('subject.a'), -3), { a: [-3] }],
  ['the length of a list that stands for attributes', lt(attr('subject.length'), 5), []],
  ['a number that has no end', eq(attr('subject.a'), 0.1), { a: 0.1 }],
  ['the largest number', eq(attr('subject.a'), Number.MAX_VALUE), { a: Number.MAX_VALUE }],
  ['the smallest number', eq(attr('subject.a'), Number.MIN_VALUE), { a: Number.MIN_VALUE }],
  ['numbers that are almost the same', lt(attr('subject.a'), 2 ** 53), { a: 2 ** 53 - 1 }],
  ['texts beyond the first plane', lt(attr('subject.a'), '\u{1f600}'), { a: '\uff5e' }],
  ['an object beside an object', eq(attr('subject.a'), attr('subject.b')), { a: {}, b: {} }],
  ['an empty text in a list that has it', contains(attr('subject.a'), attr('subject.b')), { a: [''], b: '' }],
  ['an empty text in a list without it', contains(attr('subject.a'), attr('subject.b')), { a: ['x'], b: '' }],
  ['a text in a list with an empty one', contains(attr('subject.a'), attr('subject.b')), { a: ['', 'x'], b: 'y' }],
  ['a constant in a list with an empty text', contains(attr('subject.a'), 'y'), { a: ['', 'x'] }],
  ['a list in which something is not known', contains(attr('subject.a'), 'y'), { a: ['x', null] }],
  ['an object with the text, where a list belongs', contains(attr('subject.a'), 'y'), { a: { k: 'y' } }],
  ['an object without the text, where a list belongs', contains(attr('subject.a'), 'y'), { a: { k: 'x' } }],
  ['an empty text among texts in order', lt(attr('subject.a'), attr('subject.b')), { a: '', b: 'x' }],
  ['a text before a number', lt(attr('subject.a'), attr('subject.b')), { a: 1, b: 'x' }],
  ['a number before a text', lt(attr('subject.a'), 'x'), { a: 1 }],
  ['true before a number', lt(attr('subject.a'), 5), { a: true }],
  ['the beginning of a number', startsWith(attr('subject.a'), '1'), { a: 12 }],
  ['an empty beginning of a text', startsWith(attr('subject.a'), attr('subject.b')), { a: 'x', b: '' }],
  ['a list beside a list', eq(attr('subject.a'), attr('subject.b')), { a: ['a'], b: ['a'] }],
])('%s: all say the same, in an allow and in a deny rule', async (_, when, attributes) => {
  const ask = await bulkOpa(opa);
  const also = eq(attr('action'), 'read');
  for (const rules of [
    [rule.allow('r', { and: [also, when] })],
    [rule.deny('r', { and: [also, when] }), rule.allow('s', 'always')],
    [rule.deny('r', { not: { and: [also, when] } }), rule.allow('s', 'always')],
  ]) {
    const asked = policy('edge', rules);
    const request = requestWith(attributes);
    const [theirs] = await ask(asked, [request]);
    for (const decide of Object.values(decidersOf(asked))) expect(decide(request)).toEqual(theirs);
  }
});

it('the hour of a zone is the same from 1970 to 2262, and unknown before and after', async () => {
  const ask = await bulkOpa(opa);
  const edges = [-1, -0.5, -0.001, 0, 0.5, LAST - 1, LAST, LAST + 0.5, LAST + 1, 8.64e15, 9e15, '0', null, true];
  const times = [...edges, ...fc.sample(fc.integer({ min: 1_767_225_600_000, max: LAST }), 100)];
  for (const timeZone of ZONES) {
    const hour = { attr: 'environment.hour' as AttributePath, timeZone };
    const hours = Array.from({ length: 24 }, (_, index) => rule.allow(`${index}`, eq(hour, index)));
    const counted = policy('hours', hours);
    const requests = times.map((time) => requestWith({}, { time, hour: 99 }));
    const theirs = await ask(counted, requests);
    for (const [name, decide] of Object.entries(decidersOf(counted))) {
      expect({ name, timeZone, answers: requests.map(decide) }).toEqual({ name, timeZone, answers: theirs });
    }
    expect(theirs.map(([rule]) => rule !== null)).toEqual(
      times.map((time) => typeof time === 'number' && time >= 0 && time < LAST + 1),
    );
  }
}, 60_000);

it('a policy of 500 rules loads, and the last of them decides', async () => {
  const rules = Array.from({ length: 500 }, (_, index) => rule.allow(`r${index}`, eq(attr('subject.a'), index)));
  const [theirs] = await (await bulkOpa(opa))(policy('many', rules), [requestWith({ a: 499 })]);
  expect(theirs).toEqual(['r499', true, true]);
});

it('a module without a request denies', async () => {
  await putModule(opa, 'alone', toRego(policy('alone', [rule.deny('d', 'always')]), { package: 'alone' }));
  expect(await askFor(opa, 'alone/allow', undefined)).toBe(false);
  expect(await askFor(opa, 'alone/decision', undefined)).toEqual({ allowed: false, rule: 'd' });
});
