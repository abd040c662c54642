import { createHash } from 'node:crypto';
import { audiencesOf } from '../audience.ts';
import type { CodeState } from '../codes/code-store.ts';
import { verifierMatches } from '../pkce.ts';
import type { Settings } from '../settings.ts';
import { requireParameter, type TokenRequest } from './token-request.ts';

/** What a store knows a code by. A code of 256 random bits needs no slow hash. */
export function hashCode(code: string): string {
  return createHash('sha256').update(code).digest('base64url');
}

/**
 * The session that a code gives. It follows from the code, so that one that comes again ends that session when no
 * store remembers the code any more; and nobody can make a code that ends another session.
 */
export function sessionIdOf(codeHash: string): string {
  return createHash('sha256').update(codeHash).digest().subarray(0, 16).toString('base64url');
}

/**
 * Checks a code that nobody has taken against the request that brings it, in the order of RFC 6749 section 4.1.3.
 *
 * @returns why it is refused, for events; `undefined` when it is good.
 * @throws `OAuthError` `invalid_request` when `redirect_uri` is missing.
 */
export function checkCode(
  { record, failures }: CodeState,
  { form, client, binding }: TokenRequest,
  settings: Pick<Settings, 'clock' | 'maxVerifierFailures' | 'resource'>,
): string | undefined {
  if (record.clientId !== client.id) return 'other_client';
  const { clock, maxVerifierFailures } = settings;
  if (clock() >= record.expiresAt) return 'expired';
  if (failures >= maxVerifierFailures) return 'too_many_verifiers';
  if (requireParameter(form, 'redirect_uri') !== record.redirectUri) return 'redirect_uri';
  if (!verifierMatches(form.get('code_verifier') ?? '', record.codeChallenge)) return 'wrong_verifier';
  if (!record.scopes.every((name) => client.scopes.includes(name))) return 'scope';
  const audiences = audiencesOf(client, settings);
  if (!record.audience.every((name) => audiences.includes(name))) return 'audience';
  const { dpopThumbprint } = record;
  return dpopThumbprint === undefined || dpopThumbprint === binding.dpopThumbprint ? undefined : 'dpop_key';
}
