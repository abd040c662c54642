export { createMemoryAccountStore } from './memory-accounts.ts';
export { createMemoryApiKeyStore } from './memory-api-keys.ts';
export { createMemoryCodeStore, type MemoryCodeStoreOptions } from './memory-codes.ts';
export { createMemoryConsentStore } from './memory-consents.ts';
export { createMemoryOnceStore, type MemoryOnceStoreOptions } from './memory-once.ts';
export { createMemoryPasskeyStore } from './memory-passkeys.ts';
export { createMemoryRateLimitStore, type MemoryRateLimitStoreOptions } from './memory-rate-limits.ts';
export { createMemorySessionStore } from './memory-sessions.ts';
export { createMemoryTotpStore } from './memory-totp.ts';
