import type { Scalar } from '../policy/policy.ts';

/** Letters, digits and signs of every script, and the space. All else could hide what a reader sees. */
const PLAIN = /[\p{L}\p{M}\p{N}\p{P}\p{S} ]/u;
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
const KEYWORDS: ReadonlySet<string> = new Set(
  'as contains data default else every false if import in input not null package set some true with'.split(' '),
);

/** Writes a constant. Rego reads texts as JSON does, so none can end before its closing quote. */
export function regoScalar(value: Scalar): string {
  return typeof value === 'string' ? regoString(value) : JSON.stringify(value);
}

/** Line breaks, marks of direction and other signs that nobody sees are written as escapes. */
export function regoString(text: string): string {
  return Array.from(JSON.stringify(text), (character) => (PLAIN.test(character) ? character : escaped(character))).join(
    '',
  );
}

/** Writes constants, one of which a value may be. */
export function regoSet(values: readonly Scalar[]): string {
  return values.length === 0 ? 'set()' : `{${[...new Set(values)].map(regoScalar).join(', ')}}`;
}

/** Writes the way to a member, as `input.subject.id`; a name that Rego keeps for itself stands in brackets. */
export function regoReference(...names: readonly string[]): string {
  return `input${names.map((name) => (isRegoName(name) ? `.${name}` : `[${regoString(name)}]`)).join('')}`;
}

/** Whether a text can name a rule or a package, and stand behind a dot. */
export function isRegoName(text: string): boolean {
  return NAME.test(text) && !KEYWORDS.has(text);
}

function escaped(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}
