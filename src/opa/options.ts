import { configInvalid } from '../core/config-invalid.ts';

export function count(field: string, value: number, most: number = Number.MAX_SAFE_INTEGER): number {
  if (!Number.isSafeInteger(value) || value < 1 || value > most)
    throw configInvalid(field, `must be a whole number from 1 to ${most}`);
  return value;
}

/** A bearer token as RFC 6750 section 2.1 writes it. */
export function bearerToken(field: string, value: string | undefined): string | undefined {
  if (value !== undefined && !/^[\w.~+/-]+=*$/.test(value))
    throw configInvalid(field, 'must be a bearer token (RFC 6750)');
  return value;
}
