import { randomBytes } from 'node:crypto';
import {
  type AuthorizationServer,
  type AuthorizationServerOptions,
  createAuthorizationServer,
  createClientRegistry,
} from 'doorward/oauth';
import {
  createMemoryCodeStore,
  createMemoryConsentStore,
  createMemoryOnceStore,
  createMemoryRateLimitStore,
} from 'doorward/stores/memory';

type Given = 'issuer' | 'accounts' | 'keys';

/** An authorization server over memory stores of its own; what is given stands in their place. */
export function createServer(
  options: Pick<AuthorizationServerOptions, Given> & Partial<AuthorizationServerOptions>,
): AuthorizationServer {
  return createAuthorizationServer({
    clients: createClientRegistry([]),
    codes: createMemoryCodeStore(),
    consents: createMemoryConsentStore(),
    once: createMemoryOnceStore(),
    limits: createMemoryRateLimitStore(),
    secret: randomBytes(32),
    scopes: { create: 'Create posts in your name' },
    ...options,
  });
}
