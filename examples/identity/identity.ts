import type { Authenticator, Caller, Clock } from 'doorward';
import { createAccounts } from 'doorward/accounts';
import { createApiKeys } from 'doorward/api-keys';
import type { ErrorListener } from 'doorward/http';
import { createRemoteTokenVerifier } from 'doorward/jwks';
import { resourceMetadataUrl } from 'doorward/oauth';
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
import { openOAuth, SCOPES } from './oauth.ts';

interface Surroundings {
  readonly config: Config;
  readonly data: Data;
  readonly hasher: PasswordHasher;
  readonly clock: Clock;
  /** Where clients reach the server: the issuer of its tokens. */
  readonly base: string;
  /** Where browsers use passkeys. */
  readonly origin: string;
  readonly onError: ErrorListener;
  /** Ends what is open in the name of an account, or of one of its sessions. */
  readonly onRevoked: (accountId: string, sessionId?: string) => unknown;
}

export type Identity = Awaited<ReturnType<typeof openIdentity>>;

/** Who somebody is: accounts with their sessions, second factors, API keys and OAuth clients, and the one way in. */
export async function openIdentity({ config, data, hasher, clock, base, origin, ...listeners }: Surroundings) {
  const { production, keyring, secretFor } = config;
  const { onError, onRevoked } = listeners;
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
    refreshGraceSeconds: config.REFRESH_GRACE_SECONDS,
    ticketSecret: secretFor('login tickets'),
    onRevoked,
    onSessionEnded: (sessionId, accountId) => onRevoked(accountId, sessionId),
  });
  const remote =
    config.AUTH_ISSUER === undefined ? undefined : remoteVerifier(config.AUTH_ISSUER, { ...config, origin }, clock);
  const apiKeys = createApiKeys({
    store: createSqlApiKeyStore(data.db),
    subjectOf: accounts.subject,
    scopes: Object.keys(SCOPES),
    clock,
  });
  const shared = { base, db: data.db, accounts, once, limits, onError, clock, production };
  const oauth = config.oauth && openOAuth({ ...config.oauth, ...shared, secret: secretFor('oauth forms') });
  const authenticate: Authenticator = async (token, caller) => {
    if (apiKeys.recognises(token)) return apiKeys.authenticate(token, caller);
    if (oauth?.recognises(token)) return oauth.authenticate(token, caller);
    if (remote === undefined || isSignedByUs(verifier.verify(token))) return accounts.authenticate(token, caller);
    const verified = await remote.verify(token, caller);
    return verified.ok ? accounts.adopt(verified.claims, caller) : verified;
  };

  return {
    base,
    issuer: config.AUTH_ISSUER ?? base,
    resourceMetadata: resourceMetadataUrl(base),
    accounts,
    keyring,
    store,
    totp,
    passkeys,
    apiKeys,
    oauth,
    authenticate,
    close: () => remote?.close(),
    /** Removes whatever belongs to an account. @returns whether there was one. */
    async remove(id: string, caller: Caller): Promise<boolean> {
      const removed = await accounts.remove(id, caller);
      await Promise.all([
        totp.remove(id, caller),
        passkeys.removeAll(id),
        apiKeys.removeAll(id, caller),
        oauth?.consents.revokeAll(id, caller),
      ]);
      return removed;
    },
  };
}

/** Of a token that none of our keys signed, the other issuer is asked; what ours signed is ours to judge. */
function isSignedByUs(result: TokenResult): boolean {
  return result.ok || (result.reason !== 'unknown_key' && result.reason !== 'algorithm');
}

function remoteVerifier(
  issuer: string,
  { AUTH_AUDIENCE, origin }: Pick<Config, 'AUTH_AUDIENCE'> & { origin: string },
  clock: Clock,
) {
  return createRemoteTokenVerifier({ issuer, audience: AUTH_AUDIENCE ?? origin, types: ['at+jwt', 'JWT'], clock });
}
