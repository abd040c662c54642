import type { Authenticator, Caller, Clock } from 'doorward';
import { createAccounts } from 'doorward/accounts';
import { createApiKeys } from 'doorward/api-keys';
import { createRemoteTokenVerifier } from 'doorward/jwks';
import { commonPasswords, type PasswordHasher } from 'doorward/passwords';
import { contractRoles } from 'doorward/rbac';
import {
  createSqlAccountStore,
  createSqlApiKeyStore,
  createSqlOnceStore,
  createSqlPasskeyStore,
  createSqlRateLimitStore,
  createSqlSessionStore,
  createSqlTotpStore,
  migrate,
} from 'doorward/stores/sql';
import { createTokenIssuer, createTokenVerifier, type TokenResult } from 'doorward/tokens';
import { createTotp } from 'doorward/totp';
import { createPasskeys } from 'doorward/webauthn';
import type { Data } from '../data/data.ts';
import type { Config } from '../server/config.ts';

interface Surroundings {
  readonly config: Config;
  readonly data: Data;
  readonly hasher: PasswordHasher;
  readonly clock: Clock;
  /** Ends what is open in the name of an account, or of one of its sessions. */
  readonly onRevoked: (accountId: string, sessionId?: string) => unknown;
}

export type Identity = Awaited<ReturnType<typeof openIdentity>>;

/** The scopes that an API key may have; contract-wide, `read` needs none. */
export const SCOPES: readonly string[] = ['create', 'update', 'delete', 'manage_users', 'ml.predict'];

/** Who somebody is: accounts with their sessions, second factors and API keys, and the one way in. */
export async function openIdentity({ config, data, hasher, clock, onRevoked }: Surroundings) {
  const { production, keyring, secretFor, origin } = config;
  await migrate(data.db);
  const store = createSqlAccountStore(data.db);
  const limits = createSqlRateLimitStore(data.db);
  const once = createSqlOnceStore(data.db);
  const totp = createTotp({
    store: createSqlTotpStore(data.db),
    once,
    sealKey: secretFor('totp'),
    issuer: 'Doorward example',
    clock,
  });
  const passkeys = createPasskeys({
    store: createSqlPasskeyStore(data.db),
    once,
    challengeKey: secretFor('passkeys'),
    rpId: new URL(origin).hostname,
    rpName: 'Doorward example',
    origins: [origin],
    clock,
  });
  const verifier = createTokenVerifier({ keys: keyring, clock });
  const accounts = createAccounts({
    store,
    limits,
    hasher,
    clock,
    sessions: createSqlSessionStore(data.db),
    factors: [totp, passkeys],
    issuer: createTokenIssuer({ key: keyring, ttlSeconds: config.ACCESS_TOKEN_SECONDS, clock }),
    verifier,
    roles: contractRoles.roles,
    passwordRules: { forbidden: production ? commonPasswords() : new Set() },
    loginMaxFailures: config.LOGIN_MAX_FAILURES,
    registerMaxPerHour: config.REGISTER_MAX_PER_HOUR ?? (production ? 10 : 1_000),
    onRegistered: async ({ id, username, email = '' }) => void (await data.createUser(username, email, id)),
    onRevoked,
    onSessionEnded: (sessionId, accountId) => onRevoked(accountId, sessionId),
  });
  const remote = config.AUTH_ISSUER === undefined ? undefined : remoteVerifier(config.AUTH_ISSUER, config, clock);
  const apiKeys = createApiKeys({
    store: createSqlApiKeyStore(data.db),
    subjectOf: accounts.subject,
    scopes: SCOPES,
    clock,
  });
  const authenticate: Authenticator = async (token, caller) => {
    if (apiKeys.recognises(token)) return apiKeys.authenticate(token, caller);
    if (remote === undefined || isSignedByUs(verifier.verify(token))) return accounts.authenticate(token, caller);
    const verified = await remote.verify(token, caller);
    return verified.ok ? accounts.adopt(verified.claims, caller) : verified;
  };

  return {
    accounts,
    keyring,
    store,
    totp,
    passkeys,
    apiKeys,
    authenticate,
    close: () => remote?.close(),
    /** Removes whatever belongs to an account. @returns whether there was one. */
    async remove(id: string, caller: Caller): Promise<boolean> {
      const removed = await accounts.remove(id, caller);
      await Promise.all([totp.remove(id, caller), passkeys.removeAll(id), apiKeys.removeAll(id, caller)]);
      return removed;
    },
  };
}

/** Of a token that none of our keys signed, the other issuer is asked; what ours signed is ours to judge. */
function isSignedByUs(result: TokenResult): boolean {
  return result.ok || (result.reason !== 'unknown_key' && result.reason !== 'algorithm');
}

function remoteVerifier(issuer: string, { AUTH_AUDIENCE, origin }: Config, clock: Clock) {
  return createRemoteTokenVerifier({ issuer, audience: AUTH_AUDIENCE ?? origin, types: ['at+jwt', 'JWT'], clock });
}
