import { bodyLimits, limitBody, readForm, readJson } from 'doorward/http';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

const LIMIT = 1_024;

function request(body: BodyInit | null, headers: Record<string, string> = {}): Request {
  return new Request('http://localhost/', { method: 'POST', body, headers, duplex: 'half' } as RequestInit);
}
const jsonRequest = (body: BodyInit | null, headers: Record<string, string> = {}) =>
  request(body, { 'content-type': 'application/json', ...headers });
const formRequest = (body: string) => request(body, { 'content-type': 'application/x-www-form-urlencoded' });

const code = (expected: string) => expect.objectContaining({ code: expected });

/** A body that goes on for ever, and counts what was taken from it. */
function endless(): { body: ReadableStream; taken: () => number; isCancelled: () => boolean } {
  let taken = 0;
  let cancelled = false;
  const body = new ReadableStream(
    {
      pull(controller) {
        taken += 256;
        controller.enqueue(new Uint8Array(256).fill(0x20));
      },
      cancel() {
        cancelled = true;
      },
    },
    { highWaterMark: 0 },
  );
  return { body, taken: () => taken, isCancelled: () => cancelled };
}

describe('readJson', () => {
  it('reads an object', async () => {
    expect(await readJson(jsonRequest('{"a":[1,{"b":null}]}'), LIMIT)).toEqual({ a: [1, { b: null }] });
  });

  it.each([
    'application/json',
    'Application/JSON',
    'application/json;charset=utf-8',
    'application/json; charset="UTF-8"',
  ])('takes the content type %s', async (type) => {
    expect(await readJson(request('{}', { 'content-type': type }), LIMIT)).toEqual({});
  });

  it.each([
    'text/plain',
    'application/jsonp',
    'application/json; charset=latin1',
    'application/json;charset=utf-16',
    'application/json; charset=utf-7',
    'application/json; charset=x-unknown',
    'application/json; charset=utf-8; charset=utf-16',
    'application/json, text/plain',
    'application/x-www-form-urlencoded',
    '',
  ])('LOG-22 HTTP-15 refuses the content type %j with 415', async (type) => {
    await expect(readJson(request('{}', { 'content-type': type }), LIMIT)).rejects.toThrow(
      code('HTTP_UNSUPPORTED_MEDIA_TYPE'),
    );
  });

  it.each(['gzip', 'br', 'identity', 'x-unknown'])(
    'HTTP-15 refuses a body with Content-Encoding %s',
    async (encoding) => {
      const encoded = jsonRequest('{}', { 'content-encoding': encoding });
      await expect(readJson(encoded, LIMIT)).rejects.toThrow(code('HTTP_UNSUPPORTED_MEDIA_TYPE'));
    },
  );

  it.each([
    '',
    '{"a":',
    '[]',
    'null',
    '5',
    '"text"',
    '{"a":1,}',
    '{"a":1}//',
    '/**/{}',
    "{'a':1}",
    '{"a":NaN}',
    '{}{}',
    '\u0000{}',
  ])('HTTP-14 %j is 400 and its text is not repeated', async (text) => {
    await expect(readJson(jsonRequest(text), LIMIT)).rejects.toThrow(
      expect.objectContaining({ code: 'INPUT_INVALID', message: 'Invalid request' }),
    );
  });

  it.each([
    ['a byte order mark', Buffer.from('\uFEFF{}')],
    ['invalid UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
    ['a surrogate in UTF-8', Buffer.from([0x7b, 0x22, 0xed, 0xa0, 0x80, 0x22, 0x3a, 0x31, 0x7d])],
    ['an overlong slash', Buffer.from([0x7b, 0x22, 0xc0, 0xaf, 0x22, 0x3a, 0x31, 0x7d])],
    ['UTF-16', Buffer.from('{}', 'utf16le')],
  ])('HTTP-14 %s is 400', async (_, bytes) => {
    await expect(readJson(jsonRequest(bytes), LIMIT)).rejects.toThrow(code('INPUT_INVALID'));
  });

  it('HTTP-14 nesting is bounded before anything is built', async () => {
    const nested = (depth: number) => jsonRequest(`{"a":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`);
    await expect(readJson(nested(64), bodyLimits.graphql)).resolves.toBeDefined();
    await expect(readJson(nested(65), bodyLimits.graphql)).rejects.toThrow(code('INPUT_INVALID'));
    await expect(readJson(nested(50_000), bodyLimits.graphql)).rejects.toThrow(code('INPUT_INVALID'));
    const brackets = JSON.stringify({ a: `\\"${'['.repeat(500)}` });
    await expect(readJson(jsonRequest(brackets), LIMIT)).resolves.toEqual(JSON.parse(brackets));
  });

  it('HTTP-14 of a repeated name the last value counts', async () => {
    expect(await readJson(jsonRequest('{"a":1,"a":2}'), LIMIT)).toEqual({ a: 2 });
  });

  it('__proto__ is an ordinary name and nothing is inherited', async () => {
    const body = await readJson(jsonRequest('{"__proto__":{"role":"admin"}}'), LIMIT);
    expect(body.role).toBeUndefined();
    expect(body.constructor).toBeUndefined();
    expect(Object.keys(body)).toEqual(['__proto__']);
  });

  it('a body of the limit is read, one byte more is 413', async () => {
    const text = JSON.stringify({ a: 'x'.repeat(LIMIT - 8) });
    expect(Buffer.byteLength(text)).toBe(LIMIT);
    expect(await readJson(jsonRequest(text), LIMIT)).toEqual(JSON.parse(text));
    await expect(readJson(jsonRequest(`${text} `), LIMIT)).rejects.toThrow(code('HTTP_BODY_TOO_LARGE'));
  });

  it('a Content-Length over the limit is 413 before a byte is read', async () => {
    const { body, taken } = endless();
    await expect(readJson(jsonRequest(body, { 'content-length': '10485760' }), LIMIT)).rejects.toThrow(
      code('HTTP_BODY_TOO_LARGE'),
    );
    expect(taken()).toBe(0);
  });

  it('a body that does not tell its length, or lies about it, is stopped at the limit', async () => {
    for (const headers of [{}, { 'content-length': '10' }]) {
      const { body, taken, isCancelled } = endless();
      await expect(readJson(jsonRequest(body, headers), LIMIT)).rejects.toThrow(code('HTTP_BODY_TOO_LARGE'));
      expect(taken()).toBeLessThanOrEqual(LIMIT + 256);
      expect(isCancelled()).toBe(true);
    }
  });

  it('a body that breaks off is 400', async () => {
    const body = new ReadableStream({
      pull(controller) {
        controller.error(new Error('connection reset'));
      },
    });
    await expect(readJson(jsonRequest(body), LIMIT)).rejects.toThrow(code('INPUT_INVALID'));
  });

  it('an empty body is 400, or what it is said to mean, then without a content type too', async () => {
    const whenEmpty = { title: 'Untitled' };
    await expect(readJson(jsonRequest(''), LIMIT)).rejects.toThrow(code('INPUT_INVALID'));
    expect(await readJson(jsonRequest(''), LIMIT, { whenEmpty })).toBe(whenEmpty);
    expect(await readJson(request(null), LIMIT, { whenEmpty })).toBe(whenEmpty);
    await expect(readJson(request('{}', { 'content-type': 'text/plain' }), LIMIT, { whenEmpty })).rejects.toThrow(
      code('HTTP_UNSUPPORTED_MEDIA_TYPE'),
    );
  });

  it('reads what JSON.stringify wrote', async () => {
    await fc.assert(
      fc.asyncProperty(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 5 })), async (value) => {
        const text = JSON.stringify(value);
        expect(JSON.stringify(await readJson(jsonRequest(text), bodyLimits.graphql))).toBe(
          JSON.stringify(JSON.parse(text)),
        );
      }),
    );
  });
});

describe('readForm', () => {
  it('reads names and values, decoded once', async () => {
    const form = await readForm(formRequest('username=ada&password=a+b%2Bc%26%3D&empty=&flag'), LIMIT);
    expect([...form]).toEqual([
      ['username', 'ada'],
      ['password', 'a b+c&='],
      ['empty', ''],
      ['flag', ''],
    ]);
  });

  it('HTTP-13 stays flat, and __proto__ is an ordinary name', async () => {
    const form = await readForm(formRequest('a[b][c]=1&__proto__[role]=admin&__proto__=x'), LIMIT);
    expect(form.get('a[b][c]')).toBe('1');
    expect(form.get('role')).toBeUndefined();
    expect(form.get('constructor')).toBeUndefined();
  });

  it('HTTP-13 takes 100 pairs and refuses 101', async () => {
    const pairs = (count: number) => formRequest(Array.from({ length: count }, (_, n) => `k${n}=v`).join('&'));
    expect((await readForm(pairs(100), LIMIT)).size).toBe(100);
    await expect(readForm(pairs(101), LIMIT)).rejects.toThrow(code('INPUT_INVALID'));
    await expect(readForm(pairs(20_000), 1_048_576)).rejects.toThrow(code('INPUT_INVALID'));
  });

  it.each(['a=1&a=2', 'a=1&%61=2', 'a=%zz', 'a=%FF', '%E0%A4%A=1', '&', '\uFEFFa=1'])(
    'HTTP-13 %j is 400',
    async (text) => {
      await expect(readForm(formRequest(text), LIMIT)).rejects.toThrow(code('INPUT_INVALID'));
    },
  );

  it('HTTP-13 a key of 1 MB is 413', async () => {
    await expect(readForm(formRequest(`${'k'.repeat(1_048_576)}=1`), bodyLimits.auth)).rejects.toThrow(
      code('HTTP_BODY_TOO_LARGE'),
    );
  });

  it('LOG-23 refuses JSON with 415', async () => {
    await expect(readForm(jsonRequest('{}'), LIMIT)).rejects.toThrow(code('HTTP_UNSUPPORTED_MEDIA_TYPE'));
  });

  it('reads what URLSearchParams wrote', async () => {
    const text = fc.string({ unit: 'grapheme' });
    await fc.assert(
      fc.asyncProperty(fc.dictionary(text, text, { maxKeys: 20 }), async (value) => {
        const form = await readForm(formRequest(new URLSearchParams(value).toString()), 1_048_576);
        expect([...form]).toEqual(Object.entries(value));
      }),
    );
  });
});

describe('limitBody', () => {
  it('hands a body within its limit on, with its headers', async () => {
    const limited = await limitBody(jsonRequest('{"query":"{__typename}"}', { 'x-kept': 'yes' }), LIMIT);
    expect(await limited.json()).toEqual({ query: '{__typename}' });
    expect([limited.method, limited.headers.get('x-kept')]).toEqual(['POST', 'yes']);
  });

  it('hands a request without a body back', async () => {
    const get = new Request('http://localhost/');
    expect(await limitBody(get, LIMIT)).toBe(get);
  });

  it('refuses what is too large, encoded, or nested without end', async () => {
    await expect(limitBody(jsonRequest('x'.repeat(LIMIT + 1)), LIMIT)).rejects.toThrow(code('HTTP_BODY_TOO_LARGE'));
    await expect(limitBody(jsonRequest('{}', { 'content-encoding': 'gzip' }), LIMIT)).rejects.toThrow(
      code('HTTP_UNSUPPORTED_MEDIA_TYPE'),
    );
    await expect(limitBody(jsonRequest('['.repeat(500)), LIMIT)).rejects.toThrow(code('INPUT_INVALID'));
  });
});
