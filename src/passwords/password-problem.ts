import type { MaybePromise } from '../core/index.ts';
import { isLongerThan, isWellFormed, MAX_PASSWORD_CHARACTERS } from './password-text.ts';

export interface PasswordRules {
  /** In characters (Unicode code points). @default 8 */
  readonly minLength?: number;
  /** In characters (Unicode code points); never more than 1,024. @default 1024 */
  readonly maxLength?: number;
  /** Passwords that are refused, in lower case; see `commonPasswords`. */
  readonly forbidden?: ReadonlySet<string>;
  /** Asked last, by `newPasswordProblem` only, because it may have to wait; when it fails the password is not taken. */
  readonly check?: PasswordCheck;
  /** How long `check` may take, in milliseconds. @default 3000 */
  readonly checkTimeoutMs?: number;
}

/**
 * Judges a password that somebody wants to have by means of its own, for example by a list of breached
 * passwords.
 *
 * @returns what is wrong, in words that do not repeat the password; `undefined` when nothing is.
 */
export type PasswordCheck = (
  password: string,
  about: { readonly username?: string },
) => MaybePromise<string | undefined>;

/**
 * Tells what is wrong with a password that somebody wants to have, in words that never repeat it. Any
 * Unicode but NUL is welcome and nothing is normalised; a character is a code point (ASVS 5.0, 6.2.5
 * and 6.2.8).
 *
 * @returns `undefined` when the password is fine.
 * @example
 * passwordProblem('1234567'); // 'must have at least 8 characters'
 */
export function passwordProblem(
  password: string,
  rules: PasswordRules & { readonly username?: string } = {},
): string | undefined {
  const { minLength = 8, forbidden, username } = rules;
  const maxLength = Math.min(rules.maxLength ?? MAX_PASSWORD_CHARACTERS, MAX_PASSWORD_CHARACTERS);
  if (isLongerThan(password, maxLength)) return `must have at most ${maxLength} characters`;
  if (!isLongerThan(password, minLength - 1)) return `must have at least ${minLength} characters`;
  if (password.includes('\0')) return 'must not contain the character NUL';
  if (!isWellFormed(password)) return 'must be well-formed Unicode';
  if (username !== undefined && caseless(password) === caseless(username)) return 'must not be the username';
  if (forbidden?.has(password) || forbidden?.has(password.toLowerCase())) return 'is among the commonest passwords';
  return undefined;
}

function caseless(text: string): string {
  return text.normalize('NFKC').toUpperCase();
}
