import { describe, expect, it } from 'vitest';
import { isAttributePath, isField, kindOf, namesIn, readerOf } from '../../src/abac/condition/attribute.ts';
import { compareValues, findValue, isPresent } from '../../src/abac/condition/compare.ts';
import { printable, quoted } from '../../src/abac/condition/printable.ts';
import { isTextLess } from '../../src/abac/condition/text-order.ts';
import { isScalar, show } from '../../src/abac/condition/value.ts';
import { nextHourChange, zonedHour } from '../../src/abac/condition/zoned-hour.ts';

describe('paths', () => {
  it.each([
    'action',
    'subject.id',
    'resource.type',
    'environment.ip',
    'subject.a',
    'resource._x9',
    `subject.${'a'.repeat(64)}`,
  ])('%s names a value', (path) => expect(isAttributePath(path)).toBe(true));
  it.each([
    ...['', 'subject', 'subject.', 'subject.9', 'subject.a.b', 'subject.a-b', 'user.a', 'xsubject.a', 'subject.a\n'],
    ...['subject.__proto__', 'resource.constructor', 'environment.prototype', `subject.${'a'.repeat(65)}`],
  ])('%j does not', (path) => expect(isAttributePath(path)).toBe(false));

  it('know the fields of a request and their types', () => {
    const fields = {
      'subject.id': 'string',
      'subject.roles': 'list',
      'resource.type': 'string',
      'resource.id': 'string',
      action: 'string',
      'environment.time': 'number',
      'environment.hour': 'number',
      'environment.ip': 'string',
      'environment.userAgent': 'string',
    } as const;
    for (const [path, kind] of Object.entries(fields)) {
      expect([path, isField(path as never), kindOf(path as never)]).toEqual([path, true, kind]);
    }
    expect([isField('subject.a'), kindOf('subject.a')]).toEqual([false, undefined]);
    expect(namesIn('resource.owner')).toEqual({ part: 'resource', name: 'owner' });
  });

  it('are read from own properties, and from no list', () => {
    const request = {
      subject: { id: 'ada', attributes: { id: 'eve', a: 1 } },
      action: 'read',
      resource: [],
      environment: { time: 3_600_000, hour: 9, attributes: Object.create({ a: 1 }) },
    } as never;
    expect(readerOf('subject.id')(request)).toBe('ada');
    expect(readerOf('subject.a')(request)).toBe(1);
    expect(readerOf('action')(request)).toBe('read');
    expect(readerOf('environment.hour')(request)).toBe(9);
    expect(readerOf('environment.hour', 'UTC')(request)).toBe(1);
    expect(readerOf('environment.a')(request)).toBeUndefined();
    expect(
      readerOf('resource.id')(Object.assign({}, request, { resource: Object.assign([], { id: 'x' }) })),
    ).toBeUndefined();
    expect(readerOf('subject.length')({ subject: { attributes: ['x'] } } as never)).toBeUndefined();
    for (const nothing of [null, undefined, 'x', {}]) expect(readerOf('subject.a')(nothing as never)).toBeUndefined();
  });
});

describe('texts are ordered by code point', () => {
  // U+D7FF, U+E000 and U+FF5E stand before U+10000 and U+1F600, whose UTF-16 begins with a surrogate.
  const ordered = [
    '',
    'A',
    'a',
    'a\u0000',
    'aa',
    'ab',
    'b',
    '\ud7ff',
    '\ue000',
    '\uff5e',
    '\u{10000}',
    '\u{1f600}',
    '\u{1f601}',
  ];
  it('each is less than those after it, and than none before it or itself', () => {
    ordered.forEach((left, i) => {
      ordered.forEach((right, j) => {
        expect([left, right, isTextLess(left, right)]).toEqual([left, right, i < j]);
        expect(isTextLess(`x${left}`, `x${right}`)).toBe(i < j);
      });
    });
  });
});

describe('values in a trace', () => {
  it.each<[unknown, string]>([
    ['plain', 'plain'],
    ['a.b@c:d+e-f_9', 'a.b@c:d+e-f_9'],
    ['x'.repeat(64), 'x'.repeat(64)],
    ['x'.repeat(65), `"${'x'.repeat(64)}…"`],
    ['', '""'],
    ['a b', '"a b"'],
    ['a, b', '"a, b"'],
    ...['missing', 'null', 'true', 'false', '1', '1e3', '-5', '0x10', 'Infinity'].map((text): [string, string] => [
      text,
      `"${text}"`,
    ]),
    ['.', '.'],
    ['x y'.repeat(30), `"${'x y'.repeat(30).slice(0, 64)}…"`],
    [undefined, 'missing'],
    [null, 'null'],
    [5, '5'],
    [Number.NaN, 'NaN'],
    [false, 'false'],
    [{}, 'not a scalar'],
    [5n, 'not a scalar'],
    [['a', 1, null, 'b c'], '[a, 1, null, "b c"]'],
    [[], '[]'],
    [new Array(2), '[missing, missing]'],
    [Array.from({ length: 40 }, () => 'a'), `[${'a, '.repeat(40).slice(0, 64)}…]`],
    [Array.from({ length: 100 }, () => ''), `[${'"", '.repeat(100).slice(0, 64)}…]`],
  ])('a value is shown in its place (%#)', (value, text) => {
    expect(show(value)).toBe(text);
  });

  it('show no more of a list than its beginning', () => {
    const asked: unknown[] = [];
    const list = new Proxy(['a', ...new Array(100)], {
      get: (held, name) => {
        asked.push(name);
        return Reflect.get(held, name);
      },
    });
    expect(show(list)).toMatch(/^\[a, missing, .*…\]$/);
    expect([asked.includes('0'), asked.includes('63'), asked.includes('64')]).toEqual([true, true, false]);
  });

  it('hide nothing that could mislead', () => {
    expect(printable('Ünï cödé, 漢字 €!')).toBe('Ünï cödé, 漢字 €!');
    expect(printable('a\nb\tc\u0000')).toBe('a\\u000ab\\u0009c\\u0000');
    expect(printable('\u202eabc\u200b\u00ad')).toBe('\\u202eabc\\u200b\\u00ad');
    expect(printable('\u{e0041}')).toBe('\\udb40\\udc41');
    expect(printable('\u{1f600}')).toBe('\u{1f600}');
    expect(printable('\ud800')).toBe('\\ud800');
    expect(quoted('a"b\u2028')).toBe('"a\\"b\\u2028"');
  });
});

describe('comparisons', () => {
  it('know what is known', () => {
    for (const value of ['', 'x', 0, -1.5, true, false])
      expect([isScalar(value), isPresent(value)]).toEqual([true, true]);
    for (const value of [null, undefined, {}, Number.NaN, Infinity, 5n, () => 1]) {
      expect([isScalar(value), isPresent(value)]).toEqual([false, false]);
    }
    expect([isScalar([]), isPresent([])]).toEqual([false, true]);
  });

  it.each<['equal' | 'less' | 'startsWith' | 'endsWith', unknown, unknown, boolean | undefined]>([
    ['equal', 'x', 'x', true],
    ['equal', 1, '1', false],
    ['less', 1, 2, true],
    ['less', 2, 2, false],
    ['less', 'a', 'b', true],
    ['less', 'b', 'a', false],
    ['less', 'a', 1, undefined],
    ['less', 1, 'a', undefined],
    ['less', true, false, undefined],
    ['startsWith', 'xy', 'x', true],
    ['startsWith', 'xy', 'y', false],
    ['startsWith', 12, 1, undefined],
    ['startsWith', '12', 1, undefined],
    ['endsWith', 'xy', 'y', true],
    ['endsWith', 'xy', 'x', false],
    ['endsWith', 12, '2', undefined],
    ['endsWith', 12, 2, undefined],
  ])('%s %j %j', (kind, left, right, outcome) => {
    expect(compareValues(kind, left, right, false)).toBe(outcome);
  });

  it('an empty text says nothing only where two attributes meet', () => {
    expect([compareValues('equal', '', '', false), compareValues('equal', '', '', true)]).toEqual([true, undefined]);
    expect([compareValues('equal', 'x', '', true), compareValues('equal', '', 'x', true)]).toEqual([
      undefined,
      undefined,
    ]);
    expect([findValue('', [''], false), findValue('', [''], true)]).toEqual([true, undefined]);
    expect([findValue('x', [''], false), findValue('x', [''], true), findValue('x', ['', 'x'], true)]).toEqual([
      false,
      undefined,
      true,
    ]);
    expect([findValue(null, [null], false), findValue('x', 'x', false), findValue('x', [null], false)]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect([findValue('x', [], false), findValue('x', [null, 'y', 'x'], false)]).toEqual([false, true]);
  });
});

describe('the hour in a zone', () => {
  const LATEST = 9_223_372_036_854;
  it('is counted from a moment since 1970, and before OPA stops to count', () => {
    const hourAt = zonedHour('UTC');
    expect([0, 0.5, 3_599_999, 3_599_999.9, 3_600_000, 7_200_000].map(hourAt)).toEqual([0, 0, 0, 0, 1, 2]);
    expect([LATEST, LATEST + 0.5].map(hourAt)).toEqual([23, 23]);
    for (const moment of [-1, -0.5, LATEST + 1, Number.NaN, Infinity, '0', null, undefined, 0n, new Date(0)]) {
      expect(hourAt(moment)).toBeUndefined();
    }
    expect(hourAt(0)).toBe(0);
  });

  it('is that of the zone, with its summer', () => {
    const hourAt = zonedHour('Europe/Berlin');
    expect([Date.UTC(2026, 0, 1, 23), Date.UTC(2026, 6, 1, 22), Date.UTC(2026, 6, 1, 12)].map(hourAt)).toEqual([
      0, 0, 14,
    ]);
    expect(() => zonedHour('Europe/Nowhere')).toThrow(RangeError);
  });

  it('can change with the next quarter of an hour, long ago with the next second', () => {
    const since = Date.UTC(2020, 0);
    expect(nextHourChange(since)).toBe(since + 900_000);
    expect(nextHourChange(since + 1)).toBe(since + 900_000);
    expect(nextHourChange(since + 900_000)).toBe(since + 1_800_000);
    expect(nextHourChange(since - 1)).toBe(since);
    expect(nextHourChange(1_500)).toBe(2_000);
    expect(nextHourChange(2_000)).toBe(3_000);
    expect(nextHourChange(LATEST)).toBe(LATEST + 1);
    expect(nextHourChange(LATEST - 1)).toBe(LATEST + 1);
    expect(nextHourChange(LATEST + 1)).toBe(Math.floor((LATEST + 1) / 900_000) * 900_000 + 900_000);
  });
});
