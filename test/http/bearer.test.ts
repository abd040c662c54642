import { readBearer } from 'doorward/http';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

describe('readBearer', () => {
  it('tells an absent header from everything else', () => {
    expect(readBearer(undefined)).toEqual({ kind: 'none' });
    expect(readBearer(new Headers().get('authorization'))).toEqual({ kind: 'none' });
  });

  it.each(['Bearer abc', 'bearer abc', 'BEARER abc', 'bEaReR abc', 'Bearer  abc', 'Bearer     abc'])(
    'JWT-30 accepts the scheme in any case and one or more spaces: %j',
    (value) => {
      expect(readBearer(value)).toEqual({ kind: 'token', token: 'abc' });
    },
  );

  it.each([
    '',
    'Bearer',
    'Bearer ',
    'Bearerabc',
    'Bearer\tabc',
    'Bearer \tabc',
    ' Bearer abc',
    'Bearer abc ',
    'Bearer a b',
    'Bearer a, Bearer b',
    'Bearer a,b',
    'Bearer a=b',
    'Bearer =',
    'Bearer "abc"',
    'Bearer abc\r\nX: y',
    'Bearer abc\n',
    'Bearer a\u0000',
    'Bearer \u00ff',
    'Basic YTpi',
    'token abc',
    'abc',
  ])('JWT-30 takes %j for invalid, never for anonymous', (value) => {
    expect(readBearer(value)).toEqual({ kind: 'invalid' });
  });

  it('JWT-30 a repeated header is invalid, as Headers joins it', () => {
    const headers = new Headers([
      ['authorization', 'Bearer a'],
      ['authorization', 'Bearer b'],
    ]);
    expect(readBearer(headers.get('authorization'))).toEqual({ kind: 'invalid' });
  });

  it('reads every token68 and nothing with another character', () => {
    const characters = 'abcXYZ019-._~+/';
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), (text) => {
        const isToken = [...text].every((character) => characters.includes(character));
        if (isToken) expect(readBearer(`Bearer ${text}==`)).toEqual({ kind: 'token', token: `${text}==` });
        if (/[^A-Za-z0-9\-._~+/=]/.test(text.trim())) expect(readBearer(`Bearer ${text}`).kind).toBe('invalid');
      }),
    );
  });
});
