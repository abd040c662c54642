import type { Scalar } from '../policy/policy.ts';
import { quoted } from './printable.ts';

const PLAIN = /^[\w.@:+-]{1,64}$/;
/** Texts that would read as another value if they stood without quotes. */
const WORDS: ReadonlySet<string> = new Set(['missing', 'null', 'true', 'false']);
const LONGEST = 64;

/** Tells whether a value can be compared; everything else, `null`, `NaN` and infinity included, is unknown. */
export function isScalar(value: unknown): value is Scalar {
  return (
    typeof value === 'string' || typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))
  );
}

/** Writes a value into a trace: short, on one line, and never mistakable for the text around it. */
export function show(value: unknown): string {
  if (!Array.isArray(value)) return showOne(value);
  return `[${shortened(Array.from(value.slice(0, LONGEST), showOne).join(', '))}]`;
}

function showOne(value: unknown): string {
  if (value === undefined) return 'missing';
  if (typeof value === 'string') return isPlain(value) ? value : quoted(shortened(value));
  return value === null || typeof value === 'number' || typeof value === 'boolean' ? String(value) : 'not a scalar';
}

function isPlain(text: string): boolean {
  return PLAIN.test(text) && !WORDS.has(text) && Number.isNaN(Number(text));
}

function shortened(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
