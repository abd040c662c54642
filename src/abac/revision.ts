import { createHash } from 'node:crypto';
import type { Policy } from './policy.ts';

/** A short name for exactly this policy: the same whatever order its keys were written in. */
export function revisionOf(policy: Policy): string {
  return createHash('sha256').update(canonical(policy)).digest('hex').slice(0, 16);
}

function canonical(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, member]) => `${JSON.stringify(key)}:${canonical(member)}`).join(',')}}`;
}
