import { type Clock, DoorwardError, type OnceStore } from 'doorward';
import type { Accounts, RateLimitStore } from 'doorward/accounts';
import type { ErrorListener } from 'doorward/http';
import {
  type AuthorizationServer,
  type ClientMetadata,
  type ClientRegistry,
  createAuthorizationServer,
  createClientRegistry,
} from 'doorward/oauth';
import { createSqlCodeStore, createSqlConsentStore, type SqlDatabase } from 'doorward/stores/sql';
import type { Keyring, TokenKey } from 'doorward/tokens';
import { generatedKey } from '../data/generated-key.ts';
import { isForBrowsers } from '../tools/settings.ts';
import demoClients from './clients.development.json' with { type: 'json' };
import { keyringOf } from './keys.ts';

/** What clients and API keys may be narrowed to, each as people are asked for it; `read` needs no scope. */
export const SCOPES: Readonly<Record<string, string>> = {
  create: 'Create posts in your name',
  update: 'Publish posts that you may publish',
  delete: 'Delete posts that you may delete',
  manage_users: 'Manage users, if you may',
  'ml.predict': 'Ask the prediction model in your name',
};

interface Settings {
  readonly DATA_DIR: string;
  readonly BASE_URL?: string | undefined;
  readonly AUTH_ISSUER?: string | undefined;
  readonly CLIENTS_FILE?: ClientRegistry | undefined;
  readonly SIGNING_KEY_FILE?: readonly TokenKey[] | undefined;
}

/** The clients and keys of the authorization server; none where another issuer has its role, or nobody could use it. */
export function authorizationServerOf(
  { DATA_DIR, BASE_URL, AUTH_ISSUER, CLIENTS_FILE, SIGNING_KEY_FILE: files = [] }: Settings,
  production: boolean,
): { readonly clients: ClientRegistry; readonly keys: Keyring } | undefined {
  const clients = CLIENTS_FILE ?? (production ? undefined : createClientRegistry(demoClients as ClientMetadata[]));
  if (AUTH_ISSUER !== undefined || clients === undefined) return undefined;
  if (BASE_URL !== undefined && !isForBrowsers(BASE_URL)) {
    throw refused('BASE_URL', 'must be https, or http on a loopback address');
  }
  const active = files.find(({ alg }) => alg === 'RS256') ?? (production ? undefined : generatedKey(DATA_DIR));
  if (active === undefined) {
    throw refused('SIGNING_KEY_FILE', 'must have an RSA key in production when CLIENTS_FILE is set');
  }
  return { clients, keys: keyringOf({ active, next: files.filter((key) => key !== active) }) };
}

function refused(field: string, problem: string): DoorwardError {
  return new DoorwardError('CONFIG_INVALID', { field, problem });
}

interface Surroundings {
  readonly base: string;
  readonly clients: ClientRegistry;
  readonly keys: Keyring;
  readonly secret: Uint8Array;
  readonly db: SqlDatabase;
  readonly accounts: Accounts;
  readonly once: OnceStore;
  readonly limits: RateLimitStore;
  readonly onError: ErrorListener;
  readonly production: boolean;
  readonly clock: Clock;
}

/** The authorization server of the example, whose one resource is the example itself. */
export function openOAuth({ base, db, production, ...parts }: Surroundings): AuthorizationServer {
  return createAuthorizationServer({
    ...parts,
    issuer: base,
    resource: base,
    codes: createSqlCodeStore(db),
    consents: createSqlConsentStore(db),
    scopes: SCOPES,
    codesPerMinute: production ? 30 : 10_000,
    // The service's contract has usernames as `sub`; who keys on an account takes `uid`.
    subject: 'username',
  });
}
