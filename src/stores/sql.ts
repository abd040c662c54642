export { createSqlAccountStore } from './sql-accounts.ts';
export type { SqlDatabase } from './sql-database.ts';
export { migrate } from './sql-migrate.ts';
export { createSqlRateLimitStore } from './sql-rate-limits.ts';
