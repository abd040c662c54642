import type { Client } from './clients/client-metadata.ts';
import { OAuthError } from './oauth-error.ts';
import type { Settings } from './settings.ts';

/**
 * Reads whom a client wants its tokens for (RFC 8707 section 2): exact strings, of those that it is registered
 * for. Without a wish it is the server's `resource`, or else the only one that the client may ask for.
 *
 * @throws `OAuthError` `invalid_target`
 */
export function readAudience(
  resources: readonly string[],
  { resources: allowed }: Pick<Client, 'resources'>,
  { resource }: Pick<Settings, 'resource'>,
): readonly string[] {
  if (allowed === undefined || allowed.includes(resource)) return narrowAudience(resources, allowed, [resource]);
  if (resources.length === 0 && allowed.length !== 1) throw new OAuthError('invalid_target');
  return narrowAudience(resources, allowed, allowed);
}

/**
 * Reads audiences that must be among `allowed`, which are absolute URIs without a fragment because the settings
 * have been checked for that.
 *
 * @returns each once; `otherwise` when none is named.
 * @throws `OAuthError` `invalid_target`
 */
export function narrowAudience(
  resources: readonly string[],
  allowed: readonly string[] | undefined,
  otherwise: readonly string[],
): readonly string[] {
  if (resources.length === 0) return otherwise;
  const registered = allowed ?? otherwise;
  if (!resources.every((resource) => registered.includes(resource))) throw new OAuthError('invalid_target');
  return [...new Set(resources)];
}
