import { type Accounts, createAccounts } from 'doorward/accounts';
import { createBcryptHasher } from 'doorward/passwords';
import { contractRoles } from 'doorward/rbac';
import { createMemoryAccountStore, createMemoryRateLimitStore, createMemorySessionStore } from 'doorward/stores/memory';
import { createTokenIssuer, createTokenVerifier, secretKey } from 'doorward/tokens';

export interface Ada {
  readonly accounts: Accounts;
  readonly credentials: { readonly username: string; readonly password: string };
  close(): Promise<void>;
}

/** Accounts in memory, with Ada's in them. */
export async function openAda(): Promise<Ada> {
  const key = secretKey('vQ9xL2mZ7tR4pW8sK1nB6yD3hF5jC0gA');
  const hasher = createBcryptHasher({ cost: 4, workers: 1 });
  const accounts = createAccounts({
    store: createMemoryAccountStore(),
    limits: createMemoryRateLimitStore(),
    sessions: createMemorySessionStore(),
    hasher,
    issuer: createTokenIssuer({ key }),
    verifier: createTokenVerifier({ keys: [key] }),
    roles: contractRoles.roles,
  });
  const credentials = { username: 'ada', password: 'a passphrase for tests' };
  await accounts.register({ ...credentials, email: 'ada@example.org' });
  return { accounts, credentials, close: () => hasher.close() };
}
