import { configInvalid } from '../../core/config-invalid.ts';

/** A plain object that has all the required keys, and no others than the optional ones. */
export function recordAt(
  at: string,
  json: unknown,
  required: readonly string[],
  optional: readonly string[] = [],
): Readonly<Record<string, unknown>> {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) throw configInvalid(at, 'must be an object');
  const record: Record<string, unknown> = Object.create(null);
  for (const [key, value] of Object.entries(json)) {
    if (!required.includes(key) && !optional.includes(key))
      throw configInvalid(at, `has an unknown key ${JSON.stringify(key)}`);
    record[key] = value;
  }
  const missing = required.find((key) => record[key] === undefined);
  if (missing !== undefined) throw configInvalid(at, `has no "${missing}"`);
  return record;
}

export function listAt(at: string, json: unknown): readonly unknown[] {
  if (!Array.isArray(json)) throw configInvalid(at, 'must be an array');
  return Array.from(json);
}

export function textAt(at: string, json: unknown): string {
  if (typeof json !== 'string' || json === '') throw configInvalid(at, 'must be a non-empty string');
  return json;
}
