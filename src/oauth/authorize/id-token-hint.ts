import { parseJsonObject } from '../../core/json-object.ts';
import { ownProperty } from '../../core/own-property.ts';
import { createTokenVerifier } from '../../tokens/index.ts';
import type { Client } from '../clients/client-metadata.ts';
import type { Settings } from '../settings.ts';

/**
 * Tells whom an ID Token of this server for a client is about (`id_token_hint`, OpenID Connect Core section 3.1.2.1).
 * It says whose login is wanted and proves none, so it may have expired: it is judged as of when it was issued.
 *
 * @returns its `sub`; `undefined` for every other token and text.
 */
export function subjectOfHint(
  hint: string,
  { id }: Pick<Client, 'id'>,
  { keys, issuer }: Pick<Settings, 'keys' | 'issuer'>,
): string | undefined {
  const unverified = parseJsonObject(Buffer.from(hint.split('.')[1] ?? '', 'base64url'));
  const issuedAt = ownProperty(unverified, 'iat');
  const clock = (): number => (typeof issuedAt === 'number' ? issuedAt * 1_000 : Number.NaN);
  const result = createTokenVerifier({ keys, issuer, audience: id, clock }).verify(hint);
  return result.ok ? result.claims.sub : undefined;
}
