import { usernameKey } from 'doorward/accounts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

/** Every letter of Unicode but those that come in pairs of surrogates without case. */
const letters = Array.from({ length: 0x1_f000 }, (_, code) => code)
  .filter((code) => code < 0xd800 || code > 0xdfff)
  .map((code) => String.fromCodePoint(code))
  .filter((char) => /[\p{L}\p{Nd}]/u.test(char));

describe('username key', () => {
  it('is its own key, for every letter', () => {
    expect(letters.filter((letter) => usernameKey(usernameKey(letter)) !== usernameKey(letter))).toEqual([]);
  });

  it('does not depend on case, for every letter', () => {
    const spellings = (letter: string) => [letter, letter.toUpperCase(), letter.toLowerCase()];
    expect(letters.filter((letter) => new Set(spellings(letter).map(usernameKey)).size > 1)).toEqual([]);
  });

  it('does not depend on the normalization form, for any name', () => {
    const name = fc.string({ unit: fc.constantFrom(...letters), minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(name, (text) => {
        for (const form of ['NFC', 'NFD', 'NFKC', 'NFKD']) {
          expect(usernameKey(text.normalize(form))).toBe(usernameKey(text));
          expect(usernameKey(text.normalize(form).toUpperCase())).toBe(usernameKey(text));
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it('keeps names apart that differ in a letter', () => {
    const names = ['ada', 'adà', 'adb', 'ada.', 'ad', 'ada1', 'ada١', 'аda'];
    expect(new Set(names.map(usernameKey)).size).toBe(names.length);
  });
});
