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
  client: Pick<Client, 'resources'>,
  settings: Pick<Settings, 'resource'>,
): readonly string[] {
  const allowed = audiencesOf(client, settings);
  const usual = allowed.includes(settings.resource) ? [settings.resource] : allowed;
  if (resources.length === 0 && usual.length !== 1) throw new OAuthError('invalid_target');
  return narrowAudience(resources, allowed, usual);
}

/** Whom a client may have tokens for. */
export function audiencesOf(
  { resources }: Pick<Client, 'resources'>,
  { resource }: Pick<Settings, 'resource'>,
): readonly string[] {
  return resources ?? [resource];
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
  allowed: readonly string[],
  otherwise: readonly string[] = allowed,
): readonly string[] {
  const wanted = resources.length === 0 ? otherwise : resources;
  // A token without an audience would be for everybody.
  if (wanted.length === 0 || !wanted.every((audience) => allowed.includes(audience))) {
    throw new OAuthError('invalid_target');
  }
  return [...new Set(wanted)];
}
