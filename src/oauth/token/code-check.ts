import { createHash } from 'node:crypto';
import type { CodeState } from '../codes/code-store.ts';
import { verifierMatches } from '../pkce.ts';
import type { Settings } from '../settings.ts';
import { requireParameter, type TokenRequest } from './token-request.ts';

/** What a store knows a code by. A code of 256 random bits needs no slow hash. */
export function hashCode(code: string): string {
  return createHash('sha256').update(code).digest('base64url');
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
  { clock, maxVerifierFailures }: Pick<Settings, 'clock' | 'maxVerifierFailures'>,
): string | undefined {
  if (record.clientId !== client.id) return 'other_client';
  if (clock() >= record.expiresAt) return 'expired';
  if (failures >= maxVerifierFailures) return 'too_many_verifiers';
  if (requireParameter(form, 'redirect_uri') !== record.redirectUri) return 'redirect_uri';
  if (!verifierMatches(form.get('code_verifier') ?? '', record.codeChallenge)) return 'wrong_verifier';
  if (!record.scopes.every((name) => client.scopes.includes(name))) return 'scope';
  const { dpopThumbprint } = record;
  return dpopThumbprint === undefined || dpopThumbprint === binding.dpopThumbprint ? undefined : 'dpop_key';
}
