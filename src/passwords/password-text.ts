/** The longest password that is hashed at all, in Unicode code points. */
export const MAX_PASSWORD_CHARACTERS = 1_024;

/** Tells whether a text counts more Unicode code points than `max`, at a cost that `max` bounds. */
export function isLongerThan(text: string, max: number): boolean {
  return text.length > 2 * max || [...text].length > max;
}

/** Tells whether every part of a text is Unicode: UTF-8 would turn each lone surrogate into the same character. */
export function isWellFormed(text: string): boolean {
  return !/\p{Surrogate}/u.test(text);
}

/**
 * Tells whether any stored hash can be of this password; NUL ends a password for some implementations. A list
 * or a number out of a JSON body is none, whatever the types say.
 */
export function isHashable(password: unknown): password is string {
  if (typeof password !== 'string' || isLongerThan(password, MAX_PASSWORD_CHARACTERS)) return false;
  return !password.includes('\0') && isWellFormed(password);
}
