import { PGlite } from '@electric-sql/pglite';
import { environmentSource } from 'doorward';
import { createAccounts } from 'doorward/accounts';
import { accountRoutes, createGate, createRouter } from 'doorward/http';
import { createBcryptHasher } from 'doorward/passwords';
import { contractRoles } from 'doorward/rbac';
import { createMemoryRateLimitStore, createMemorySessionStore } from 'doorward/stores/memory';
import { createSqlAccountStore, migrate } from 'doorward/stores/sql';
import { createTokenIssuer, createTokenVerifier, secretKey } from 'doorward/tokens';
import { expect, it } from 'vitest';
import { bearer, SECRET } from './harness.ts';

it('stores a bcrypt hash of cost 12', async () => {
  const hasher = createBcryptHasher();
  expect(await hasher.hash('a good passphrase')).toMatch(/^\$2b\$12\$[./A-Za-z0-9]{53}$/);
  await hasher.close();
});

it('answers 503 when the store is down, at login and with a valid token, and never 401', async () => {
  const db = await PGlite.create();
  await migrate(db);
  const key = secretKey(SECRET);
  const hasher = createBcryptHasher({ cost: 4 });
  const accounts = createAccounts({
    store: createSqlAccountStore(db),
    limits: createMemoryRateLimitStore(),
    sessions: createMemorySessionStore(),
    hasher,
    issuer: createTokenIssuer({ key }),
    verifier: createTokenVerifier({ keys: [key] }),
    roles: contractRoles.roles,
  });
  const gate = createGate({
    authenticate: accounts.authenticate,
    pdp: contractRoles,
    environment: environmentSource(),
  });
  const handle = createRouter(accountRoutes(accounts, gate));
  const send = (path: string, init: RequestInit) =>
    handle(new Request(`http://localhost${path}`, init), { requestId: 'r1' });
  const ada = { username: 'ada', password: 'a good passphrase' };
  const login = () =>
    send('/login', { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(ada) });
  await accounts.register({ ...ada, email: 'ada@example.org' });
  const { access_token } = (await (await login()).json()) as { access_token: string };

  await db.close();
  for (const response of [await login(), await send('/me', { headers: bearer(access_token) })]) {
    expect(response.status).toBe(503);
    expect(await response.json()).toEqual({ error: 'Service Unavailable' });
  }
  await hasher.close();
});
