const FIRST_SURROGATE = 0xd800;
const AFTER_SURROGATES = 0xe000;

/**
 * Whether one text comes before another, by code point, as in OPA and in PostgreSQL with `COLLATE "C"`.
 * JavaScript compares UTF-16 code units, which puts U+1F600 before U+FF5E.
 */
export function isTextLess(left: string, right: string): boolean {
  const length = Math.min(left.length, right.length);
  let i = 0;
  while (i < length && left.charCodeAt(i) === right.charCodeAt(i)) i++;
  if (i === length) return left.length < right.length;
  const [a, b] = [left.charCodeAt(i), right.charCodeAt(i)];
  return a < FIRST_SURROGATE || b < FIRST_SURROGATE ? a < b : rank(a) < rank(b);
}

/** Surrogates stand for the code points above all that one unit can be. */
function rank(unit: number): number {
  return unit < AFTER_SURROGATES ? unit + 0x10000 : unit;
}
