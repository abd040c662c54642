import { quoted } from '../condition/printable.ts';
import type { Scalar } from '../policy/policy.ts';

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
const KEYWORDS: ReadonlySet<string> = new Set(
  'as contains data default else every false if import in input not null package set some true with'.split(' '),
);

/** Writes a constant. Rego reads texts as JSON does, so none can end before its closing quote. */
export function regoScalar(value: Scalar): string {
  return typeof value === 'string' ? quoted(value) : JSON.stringify(value);
}

/** Writes constants, one of which a value may be. */
export function regoSet(values: readonly Scalar[]): string {
  return values.length === 0 ? 'set()' : `{${[...new Set(values)].map(regoScalar).join(', ')}}`;
}

/** Writes the way to a member, as `input.subject.id`; a name that Rego keeps for itself stands in brackets. */
export function regoReference(...names: readonly string[]): string {
  return `input${names.map((name) => (isRegoName(name) ? `.${name}` : `[${quoted(name)}]`)).join('')}`;
}

/** Whether a text can name a rule or a package, and stand behind a dot. */
export function isRegoName(text: string): boolean {
  return NAME.test(text) && !KEYWORDS.has(text);
}
