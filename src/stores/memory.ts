export { createMemoryAccountStore } from './memory-accounts.ts';
export { createMemoryRateLimitStore, type MemoryRateLimitStoreOptions } from './memory-rate-limits.ts';
