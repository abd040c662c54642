import { createHash, timingSafeEqual } from 'node:crypto';
import { DoorwardError } from '../../core/index.ts';
import type { Metadata } from './metadata.ts';
import { isErrorCode, responseInvalid } from './response-invalid.ts';
import type { AuthorizationTransaction } from './transaction.ts';

/**
 * Reads where the browser came back to. The answer must be the server's (RFC 9207 section 2.4) and this
 * browser's (`state`) before anything else of it counts, an error too.
 *
 * @param callback - the whole address, or its path and query
 * @returns the code
 * @throws `OAUTH_RESPONSE_INVALID`, `OAUTH_REFUSED` with the server's error code
 */
export function readCallback(
  callback: string | URL,
  { issuer, state }: AuthorizationTransaction,
  { sendsIssuer }: Pick<Metadata, 'sendsIssuer'>,
): string {
  const parameters = queryOf(callback);
  for (const name of ['iss', 'state', 'code', 'error']) {
    if (parameters.getAll(name).length > 1) throw responseInvalid(name, 'is repeated');
  }
  const iss = parameters.get('iss');
  if (iss === null ? sendsIssuer : iss !== issuer) throw responseInvalid('iss', 'is missing or of another server');
  if (!areEqual(parameters.get('state') ?? '', state)) throw responseInvalid('state', 'is not that of this browser');
  const error = parameters.get('error');
  if (error !== null) {
    throw new DoorwardError('OAUTH_REFUSED', { oauthError: isErrorCode(error) ? error : 'server_error' });
  }
  const code = parameters.get('code');
  if (code === null || code === '') throw responseInvalid('code', 'is missing');
  return code;
}

/** A request's own address is often only a path. */
function queryOf(callback: string | URL): URLSearchParams {
  const text = String(callback);
  if (!URL.canParse(text, 'http://localhost')) throw responseInvalid('callback', 'is no address');
  return new URL(text, 'http://localhost').searchParams;
}

function areEqual(one: string, other: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}
