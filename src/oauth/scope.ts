import type { Client } from './clients/client-metadata.ts';
import { OAuthError } from './oauth-error.ts';

const MAX_SCOPES = 100;

/**
 * Reads the scope that a client asks for. Without one it asks for all that it may have.
 *
 * @throws `OAuthError` `invalid_scope` for one that is malformed or more than the client may have.
 */
export function readScope(text: string | undefined, client: Pick<Client, 'scopes'>): readonly string[] {
  return narrowScope(text, client.scopes);
}

/**
 * Reads a scope (RFC 6749 section 3.3) that must not be more than `allowed`; without a text it is all of that. Names
 * that are allowed are well-formed, and the empty one between two spaces is not among them.
 *
 * @returns each scope once, in the order of the text.
 * @throws `OAuthError` `invalid_scope`
 */
export function narrowScope(text: string | undefined, allowed: readonly string[]): readonly string[] {
  if (text === undefined) return allowed;
  const names = text.split(' ', MAX_SCOPES + 1);
  if (names.length > MAX_SCOPES || !names.every((name) => allowed.includes(name)))
    throw new OAuthError('invalid_scope');
  return [...new Set(names)];
}
