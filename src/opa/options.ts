import { configInvalid } from '../core/config-invalid.ts';

/** A bearer token as RFC 6750 section 2.1 writes it. */
export function bearerToken(field: string, value: string | undefined): string | undefined {
  if (value !== undefined && !/^[\w.~+/-]+=*$/.test(value))
    throw configInvalid(field, 'must be a bearer token (RFC 6750)');
  return value;
}
