import { DoorwardError } from '../core/index.ts';

/** The error for what is wrong at a JSON path. */
export function invalid(at: string, problem: string): DoorwardError {
  return new DoorwardError('CONFIG_INVALID', { field: at, problem });
}

/** A plain object that has all the required keys, and no others than the optional ones. */
export function recordAt(
  at: string,
  json: unknown,
  required: readonly string[],
  optional: readonly string[] = [],
): Readonly<Record<string, unknown>> {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) throw invalid(at, 'must be an object');
  const record: Record<string, unknown> = Object.create(null);
  for (const [key, value] of Object.entries(json)) {
    if (!required.includes(key) && !optional.includes(key))
      throw invalid(at, `has an unknown key ${JSON.stringify(key)}`);
    record[key] = value;
  }
  const missing = required.find((key) => record[key] === undefined);
  if (missing !== undefined) throw invalid(at, `has no "${missing}"`);
  return record;
}

export function listAt(at: string, json: unknown): readonly unknown[] {
  if (!Array.isArray(json)) throw invalid(at, 'must be an array');
  return Array.from(json);
}

export function textAt(at: string, json: unknown): string {
  if (typeof json !== 'string' || json === '') throw invalid(at, 'must be a non-empty string');
  return json;
}
