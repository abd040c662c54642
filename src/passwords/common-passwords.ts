import { commonPasswordList } from './common-passwords.generated.ts';

/**
 * Makes the set of the 3,000 commonest passwords of 8 characters and more, in lower case (ASVS 5.0,
 * 6.2.4), for the rule `forbidden` of `passwordProblem`.
 *
 * @example
 * commonPasswords().has('sunshine'); // true
 */
export function commonPasswords(): ReadonlySet<string> {
  return new Set(commonPasswordList.split(' '));
}
