import type { Scalar } from '../policy/policy.ts';

const PLAIN = /^[\w.@:+-]{1,64}$/;
const LONGEST = 64;

/** Tells whether a value can be compared; everything else, `null`, `NaN` and infinity included, is unknown. */
export function isScalar(value: unknown): value is Scalar {
  const type = typeof value;
  return type === 'string' || type === 'boolean' || (type === 'number' && Number.isFinite(value));
}

/** Writes a value into a trace: short, on one line, and never mistakable for the text around it. */
export function show(value: unknown): string {
  return Array.isArray(value) ? `[${shortened(value.map(showOne).join(', '))}]` : showOne(value);
}

function showOne(value: unknown): string {
  if (value === undefined) return 'missing';
  if (typeof value === 'string') return PLAIN.test(value) ? value : JSON.stringify(shortened(value));
  return value === null || typeof value === 'number' || typeof value === 'boolean' ? String(value) : 'not a scalar';
}

function shortened(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
