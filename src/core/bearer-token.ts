import { createHash, timingSafeEqual } from 'node:crypto';
import { configInvalid } from './config-invalid.ts';

/** A bearer token as RFC 6750 section 2.1 writes it. @throws `CONFIG_INVALID` */
export function bearerToken(field: string, value: unknown): string | undefined {
  if (value === undefined || (typeof value === 'string' && /^[\w.~+/-]+=*$/.test(value))) return value;
  throw configInvalid(field, 'must be a bearer token (RFC 6750)');
}

/**
 * Makes the check of the header `Authorization`; without a token everyone passes. Both sides are hashed first, so that
 * the comparison takes the same time whatever was sent.
 */
export function bearerCheck(token: string | undefined): (authorization: string | null) => boolean {
  if (token === undefined) return () => true;
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  const expected = digest(token);
  return (authorization) => {
    const [, presented] = /^Bearer +(\S+)$/i.exec(authorization ?? '') ?? [];
    return presented !== undefined && timingSafeEqual(digest(presented), expected);
  };
}
