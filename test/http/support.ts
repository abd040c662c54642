import { environmentSource } from 'doorward';
import { type AccountStore, type Accounts, createAccounts } from 'doorward/accounts';
import { accountRoutes, createGate, createRouter, type Handler, type RequestInfo } from 'doorward/http';
import { createBcryptHasher, type PasswordHasher } from 'doorward/passwords';
import { contractRoles } from 'doorward/rbac';
import { createMemoryAccountStore, createMemoryRateLimitStore, createMemorySessionStore } from 'doorward/stores/memory';
import { createTokenIssuer, createTokenVerifier, secretKey } from 'doorward/tokens';

export const PASSWORD = 'a passphrase for tests';
export const INFO: RequestInfo = { requestId: 'r-1', ip: '192.0.2.7' };

export interface Desk {
  readonly accounts: Accounts;
  readonly store: AccountStore;
  readonly handler: Handler;
  readonly clock: { now: number };
  call(method: string, path: string, init?: RequestInit): Promise<Response>;
  close(): Promise<void>;
}

export interface DeskOptions {
  readonly ttlSeconds?: number;
  readonly hasher?: PasswordHasher;
}

export function testHasher(): PasswordHasher {
  return createBcryptHasher({ cost: 4, workers: 1 });
}

/** Real accounts on stores in memory, with the account Ada, behind the account routes. */
export async function openDesk({ ttlSeconds = 1_800, hasher = testHasher() }: DeskOptions = {}): Promise<Desk> {
  const clock = { now: 1_800_000_000_000 };
  const now = () => clock.now;
  const key = secretKey('vQ9xL2mZ7tR4pW8sK1nB6yD3hF5jC0gA');
  const store = createMemoryAccountStore();
  const accounts = createAccounts({
    store,
    limits: createMemoryRateLimitStore(),
    sessions: createMemorySessionStore(),
    hasher,
    issuer: createTokenIssuer({ key, ttlSeconds, clock: now }),
    verifier: createTokenVerifier({ keys: [key], clock: now }),
    roles: contractRoles.roles,
    clock: now,
  });
  await accounts.register({ username: 'Ada', password: PASSWORD, email: 'ada@example.org' });
  const environment = environmentSource({ clock: now });
  const gate = createGate({ authenticate: accounts.authenticate, pdp: contractRoles, environment });
  const handler = createRouter({ ...accountRoutes(accounts, gate) });
  return {
    accounts,
    store,
    handler,
    clock,
    call: async (method, path, init) => handler(new Request(`http://localhost${path}`, { method, ...init }), INFO),
    close: () => hasher.close(),
  };
}

export function sendJson(body: unknown, headers: Record<string, string> = {}): RequestInit {
  return { body: JSON.stringify(body), headers: { 'content-type': 'application/json', ...headers } };
}

export function bearer(token: string): RequestInit {
  return { headers: { authorization: `Bearer ${token}` } };
}
