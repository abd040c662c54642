import { type Authenticator, environmentSource } from 'doorward';
import { type Accounts, type AccountsOptions, createAccounts } from 'doorward/accounts';
import { type ApiKeys, createApiKeys } from 'doorward/api-keys';
import {
  accountRoutes,
  apiKeyRoutes,
  createGate,
  createRouter,
  passkeyRoutes,
  type RequestInfo,
  sessionRoutes,
  totpRoutes,
} from 'doorward/http';
import { createBcryptHasher, type PasswordHasher } from 'doorward/passwords';
import { contractRoles } from 'doorward/rbac';
import {
  createMemoryAccountStore,
  createMemoryApiKeyStore,
  createMemoryOnceStore,
  createMemoryPasskeyStore,
  createMemoryRateLimitStore,
  createMemorySessionStore,
  createMemoryTotpStore,
} from 'doorward/stores/memory';
import { createTokenIssuer, createTokenVerifier, secretKey } from 'doorward/tokens';
import { createTotp, type Totp } from 'doorward/totp';
import { createPasskeys, type Passkeys } from 'doorward/webauthn';
import { codeOf, fromBase32, SEAL_KEY } from '../totp/app.ts';
import { createAuthenticator, type SoftwareAuthenticator, type Tampering } from '../webauthn/authenticator.ts';
import { CHALLENGE_KEY, ORIGIN } from '../webauthn/world.ts';

export const PASSWORD = 'a passphrase for tests';
export const INFO: RequestInfo = { requestId: 'r-1', ip: '192.0.2.7' };
const STEP = 30_000;

// biome-ignore lint/suspicious/noExplicitAny: tests read bodies of every shape
export type Answer = { status: number; headers: Headers; body: any };

/** What a test may put in place of its part. */
export interface Parts {
  readonly totp: Totp;
  readonly passkeys: Passkeys;
  readonly accounts: Accounts;
}

/** Real accounts, factors and keys over stores in memory, behind all routes that belong to identities. */
export interface IdentityDesk extends Parts {
  readonly apiKeys: ApiKeys;
  readonly clock: { now: number };
  call(method: string, path: string, token?: string, body?: unknown): Promise<Answer>;
  /** Registers somebody and logs in. */
  newcomer(name: string): Promise<{ readonly id: string; readonly token: string }>;
  login(username: string, proofs?: object): Promise<string>;
  /** Sets up an authenticator app; each code it makes is one of a later step. */
  withTotp(token: string): Promise<{ readonly code: () => string; readonly recoveryCodes: readonly string[] }>;
  withPasskey(token: string, tampering?: Tampering, rawId?: Buffer<ArrayBuffer>): Promise<SoftwareAuthenticator>;
  close(): Promise<void>;
}

export interface DeskOptions {
  /** Changes what the accounts are made of. */
  readonly accounts?: (factors: Pick<Parts, 'totp' | 'passkeys'>) => Partial<AccountsOptions>;
  /** Changes the parts behind the routes. */
  readonly routed?: (parts: Parts) => Partial<Parts>;
  /** Reads tokens beside those of the accounts. */
  readonly foreign?: (accounts: Accounts) => Authenticator;
}

export function openIdentityDesk(options: DeskOptions = {}): IdentityDesk {
  const clock = { now: 1_800_000_000_000 };
  const now = () => clock.now;
  const key = secretKey('vQ9xL2mZ7tR4pW8sK1nB6yD3hF5jC0gA');
  const hasher: PasswordHasher = createBcryptHasher({ cost: 4, workers: 1 });
  const once = createMemoryOnceStore();
  const totp = createTotp({
    store: createMemoryTotpStore(),
    once,
    sealKey: SEAL_KEY,
    issuer: 'Example',
    clock: now,
  });
  const passkeys = createPasskeys({
    store: createMemoryPasskeyStore(),
    once,
    challengeKey: CHALLENGE_KEY,
    rpId: 'example.org',
    rpName: 'Example',
    origins: [ORIGIN],
    clock: now,
  });
  const accounts = createAccounts({
    store: createMemoryAccountStore(),
    limits: createMemoryRateLimitStore(),
    sessions: createMemorySessionStore(),
    hasher,
    issuer: createTokenIssuer({ key, ttlSeconds: 1_800, clock: now }),
    verifier: createTokenVerifier({ keys: [key], clock: now }),
    roles: contractRoles.roles,
    factors: [totp, passkeys],
    registerMaxPerHour: 1_000,
    clock: now,
    ...options.accounts?.({ totp, passkeys }),
  });
  const apiKeys = createApiKeys({
    store: createMemoryApiKeyStore(),
    subjectOf: accounts.subject,
    scopes: ['create', 'delete'],
    clock: now,
  });
  const foreign = options.foreign?.(accounts);
  const authenticate: Authenticator = async (token, caller) => {
    if (apiKeys.recognises(token)) return apiKeys.authenticate(token, caller);
    const own = await accounts.authenticate(token, caller);
    return own.ok || foreign === undefined ? own : foreign(token, caller);
  };
  const gate = createGate({ authenticate, pdp: contractRoles, environment: environmentSource({ clock: now }) });
  const parts = { totp, passkeys, accounts };
  const routed = { ...parts, ...options.routed?.(parts), gate, factors: [totp, passkeys] };
  const handler = createRouter({
    ...accountRoutes(accounts, gate),
    ...sessionRoutes(accounts, gate),
    ...totpRoutes(routed),
    ...passkeyRoutes(routed),
    ...apiKeyRoutes(apiKeys, gate),
  });

  const call: IdentityDesk['call'] = async (method, path, token, body) => {
    const headers = {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    };
    const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
    const response = await handler(new Request(`http://localhost${path}`, init), INFO);
    return { status: response.status, headers: response.headers, body: await response.json() };
  };
  const login: IdentityDesk['login'] = async (username, proofs = {}) =>
    String((await call('POST', '/login', undefined, { username, password: PASSWORD, ...proofs })).body.access_token);

  return {
    ...parts,
    apiKeys,
    clock,
    call,
    login,
    async newcomer(username) {
      await call('POST', '/register', undefined, { username, password: PASSWORD, email: `${username}@example.org` });
      const token = await login(username);
      return { token, id: String((await call('GET', '/me', token)).body.id) };
    },
    async withTotp(token) {
      const secret = fromBase32((await call('POST', '/account/totp', token)).body.secret);
      const code = () => {
        clock.now += STEP;
        return codeOf(secret, clock.now);
      };
      const { recoveryCodes } = (await call('POST', '/account/totp/confirm', token, { otp: code() })).body;
      return { code, recoveryCodes };
    },
    async withPasskey(token, tampering, rawId) {
      const authenticator = createAuthenticator(ORIGIN, undefined, rawId);
      const created = (await call('POST', '/account/passkeys/options', token)).body;
      await call('POST', '/account/passkeys', token, { passkey: authenticator.create(created, tampering) });
      return authenticator;
    },
    close: () => hasher.close(),
  };
}
