import { guarded } from '../core/guarded.ts';
import { type PasswordRules, passwordProblem } from './password-problem.ts';

/**
 * Tells what is wrong with a password that somebody wants to have: {@link passwordProblem} first, then the rule
 * `check`, which is asked only about what passes all other rules.
 *
 * @returns `undefined` when the password is fine.
 * @throws `SERVICE_UNAVAILABLE` when `check` throws, rejects, takes longer than `checkTimeoutMs` or answers
 * anything but a non-empty string or `undefined`: a password that could not be checked is not taken.
 * @example
 * await newPasswordProblem('1234567'); // 'must have at least 8 characters'
 */
export async function newPasswordProblem(
  password: string,
  rules: PasswordRules & { readonly username?: string } = {},
): Promise<string | undefined> {
  const { check, checkTimeoutMs = 3_000, username } = rules;
  const problem = passwordProblem(password, rules);
  if (problem !== undefined || check === undefined) return problem;
  return guarded(async () => {
    const answer: unknown = await check(password, username === undefined ? {} : { username });
    if (answer === undefined || (typeof answer === 'string' && answer !== '')) return answer;
    throw new Error('the password check answered neither undefined nor a text');
  }, checkTimeoutMs);
}
