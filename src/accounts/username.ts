/** Letters, digits and `._@+-`; none of the letters that are invisible, such as the Hangul fillers. */
const ALLOWED = /^(?:(?!\p{Default_Ignorable_Code_Point})[\p{L}\p{Nd}._@+-])+$/u;
const MAX_LENGTH = 64;

/**
 * The scripts in which people write today (Unicode Standard Annex 31, table 5), and the ones that are
 * written together. A name of one script cannot hide a letter of another (UTS 39, section 5.1).
 */
const SCRIPTS: readonly RegExp[] = [
  ['Latin'],
  ['Cyrillic'],
  ['Greek'],
  ['Han', 'Hiragana', 'Katakana'],
  ['Han', 'Hangul'],
  ['Han', 'Bopomofo'],
  ['Arabic'],
  ['Armenian'],
  ['Bengali'],
  ['Devanagari'],
  ['Ethiopic'],
  ['Georgian'],
  ['Gujarati'],
  ['Gurmukhi'],
  ['Hebrew'],
  ['Kannada'],
  ['Khmer'],
  ['Lao'],
  ['Malayalam'],
  ['Myanmar'],
  ['Oriya'],
  ['Sinhala'],
  ['Tamil'],
  ['Telugu'],
  ['Thaana'],
  ['Thai'],
  ['Tibetan'],
].map(
  (scripts) => new RegExp(`^[-0-9._@+${scripts.map((script) => `\\p{Script_Extensions=${script}}`).join('')}]+$`, 'u'),
);

/**
 * Tells what is wrong with a username, in words that never repeat it: 1 to 64 letters (of one script),
 * digits, `.`, `_`, `@`, `+` and `-`.
 *
 * @returns `undefined` when the username is fine.
 * @example
 * usernameProblem('a/b'); // 'may hold letters, digits and . _ @ + - only'
 */
export function usernameProblem(username: string): string | undefined {
  if (username === '') return 'must not be empty';
  if (username.length > 2 * MAX_LENGTH || [...username].length > MAX_LENGTH) {
    return `must have at most ${MAX_LENGTH} characters`;
  }
  const compatible = username.normalize('NFKC');
  if (!ALLOWED.test(username) || !ALLOWED.test(compatible)) return 'may hold letters, digits and . _ @ + - only';
  if (!SCRIPTS.some((script) => script.test(compatible))) return 'must not mix scripts';
  return undefined;
}

/**
 * Makes the key by which a username is unique: two spellings that differ in case or in compatibility
 * forms (NFKC) have the same key.
 *
 * @example
 * usernameKey('Straße') === usernameKey('STRASSE'); // true
 */
export function usernameKey(username: string): string {
  // Lower, upper, lower reaches what one step misses: ẞ, ß and SS; ς and σ; ſ and s. The dot that
  // lower-casing leaves beside the i of İ goes, so that İ, I, ı and i are one letter.
  const folded = username.normalize('NFKC').toLowerCase().toUpperCase().toLowerCase();
  return folded.normalize('NFKC').replaceAll('i\u0307', 'i');
}
