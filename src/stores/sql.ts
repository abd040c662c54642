export { createSqlAccountStore } from './sql-accounts.ts';
export { createSqlApiKeyStore } from './sql-api-keys.ts';
export type { SqlDatabase } from './sql-database.ts';
export { migrate } from './sql-migrate.ts';
export { createSqlOnceStore } from './sql-once.ts';
export { createSqlPasskeyStore } from './sql-passkeys.ts';
export { createSqlRateLimitStore } from './sql-rate-limits.ts';
export { createSqlSessionStore } from './sql-sessions.ts';
export { createSqlTotpStore } from './sql-totp.ts';
