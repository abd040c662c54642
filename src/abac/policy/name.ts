const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;
const REFUSED: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/** Tells whether a text can name an attribute or a predicate. */
export function isName(text: string): boolean {
  return NAME.test(text) && !REFUSED.has(text);
}
