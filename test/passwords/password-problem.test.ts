import { commonPasswords, passwordProblem } from 'doorward/passwords';
import { describe, expect, it } from 'vitest';

describe('password rules', () => {
  it.each([
    ['8 characters', '8 chars!'],
    ['8 emoji', '😀'.repeat(8)],
    ['1,024 letters', 'p'.repeat(1_024)],
    ['1,024 emoji', '😀'.repeat(1_024)],
    ['8 spaces', ' '.repeat(8)],
    ['quotes and semicolons', `'";--"' x`],
    ['another alphabet', 'пароль на годы'],
  ])('LOG-06 accept %s', (_, password) => {
    expect(passwordProblem(password, { username: 'ada' })).toBeUndefined();
  });

  it.each([
    ['nothing', '', 'must have at least 8 characters'],
    ['7 characters', '1234567', 'must have at least 8 characters'],
    ['7 emoji, which are 14 UTF-16 units', '😀'.repeat(7), 'must have at least 8 characters'],
    ['1,025 characters', 'p'.repeat(1_025), 'must have at most 1024 characters'],
    ['1,025 emoji', '😀'.repeat(1_025), 'must have at most 1024 characters'],
    ['1 MB', 'p'.repeat(1_000_000), 'must have at most 1024 characters'],
    ['NUL', 'with a \0 inside', 'must not contain the character NUL'],
    ['a lone surrogate', 'with a \ud800 inside', 'must be well-formed Unicode'],
    ['the username', 'lovelace', 'must not be the username'],
    ['the username in capitals', 'LOVELACE', 'must not be the username'],
    ['the username in full width', 'ｌｏｖｅｌａｃｅ', 'must not be the username'],
    ['a common one', 'sunshine', 'is among the commonest passwords'],
    ['a common one in mixed case', 'SunShine', 'is among the commonest passwords'],
  ])('LOG-12 refuse %s', (_, password, problem) => {
    expect(passwordProblem(password, { username: 'lovelace', forbidden: commonPasswords() })).toBe(problem);
  });

  it('follow other lengths, but never beyond what is hashed', () => {
    expect(passwordProblem('fourteen chars', { minLength: 15 })).toBe('must have at least 15 characters');
    expect(passwordProblem('nine chars', { maxLength: 9 })).toBe('must have at most 9 characters');
    expect(passwordProblem('p'.repeat(1_025), { maxLength: 5_000 })).toBe('must have at most 1024 characters');
  });
});

describe('common passwords', () => {
  it('are the 3,000 commonest of 8 characters and more, in lower case', () => {
    const common = commonPasswords();
    expect(common.size).toBe(3_000);
    expect([...common].slice(0, 3)).toEqual(['password', '12345678', '123456789']);
    for (const password of common) {
      expect([...password].length).toBeGreaterThanOrEqual(8);
      expect(password).toBe(password.toLowerCase());
    }
  });
});
