import type { Authenticator } from '../core/index.ts';
import { createAuthenticate } from './authenticate.ts';
import { createKeeping, type Keeping } from './keeping.ts';
import { type ApiKeysOptions, readSettings } from './settings.ts';

/** Every verb on API keys. Each may throw `SERVICE_UNAVAILABLE` when the store fails or is late. */
export interface ApiKeys extends Keeping {
  /** Tells by its beginning whether a bearer token is one of these keys, good or not; for routing only. */
  readonly recognises: (token: string) => boolean;
  /**
   * Turns a key into a principal: its account as it is now, narrowed to the scopes of the key. There is no
   * `session`, so that a key never passes for a recent login.
   */
  readonly authenticate: Authenticator;
}

/**
 * Composes API keys, for machines that call on behalf of an account, from a store and a loader of accounts.
 *
 * @throws `CONFIG_INVALID` when an option is unknown or cannot be meant.
 * @example
 * const apiKeys = createApiKeys({ store, subjectOf, scopes: ['create', 'update', 'delete'] });
 * const { key, apiKey } = await apiKeys.create({ accountId, name: 'nightly build', scopes: ['create'] });
 * const authenticate = (token: string) =>
 *   apiKeys.recognises(token) ? apiKeys.authenticate(token) : accounts.authenticate(token);
 */
export function createApiKeys(options: ApiKeysOptions): ApiKeys {
  const settings = readSettings(options);
  const start = `${settings.prefix}_`;
  return Object.freeze({
    recognises: (token: string) => typeof token === 'string' && token.startsWith(start),
    authenticate: createAuthenticate(settings),
    ...createKeeping(settings),
  });
}
