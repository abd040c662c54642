import {
  createSqlAccountStore,
  createSqlApiKeyStore,
  createSqlCodeStore,
  createSqlConsentStore,
  createSqlOnceStore,
  createSqlPasskeyStore,
  createSqlRateLimitStore,
  createSqlSessionStore,
  createSqlTotpStore,
  type SqlDatabase,
} from 'doorward/stores/sql';
import {
  accountStoreCases,
  apiKeyStoreCases,
  codeStoreCases,
  consentStoreCases,
  onceStoreCases,
  passkeyStoreCases,
  rateLimitStoreCases,
  sessionStoreCases,
  totpStoreCases,
} from 'doorward/testing';
import { runCases } from './run-cases.ts';

const TABLES = `doorward_accounts, doorward_api_keys, doorward_codes, doorward_consents, doorward_once,
  doorward_passkeys, doorward_rate_limits, doorward_refresh_tokens, doorward_revoked_tokens, doorward_session_floors,
  doorward_sessions, doorward_totp`;

export async function empty(db: SqlDatabase): Promise<void> {
  await db.query(`TRUNCATE ${TABLES}`, []);
}

/** Runs the whole kit over the tables of one database. */
export function runSqlCases(name: string, db: SqlDatabase): void {
  const opening =
    <S>(create: (db: SqlDatabase) => S) =>
    async (): Promise<S> => {
      await empty(db);
      return create(db);
    };

  runCases(`${name} account store`, accountStoreCases(opening(createSqlAccountStore)));
  runCases(`${name} rate limit store`, rateLimitStoreCases(opening(createSqlRateLimitStore)));
  runCases(`${name} session store`, sessionStoreCases(opening(createSqlSessionStore)));
  runCases(`${name} once store`, onceStoreCases(opening(createSqlOnceStore)));
  runCases(`${name} TOTP store`, totpStoreCases(opening(createSqlTotpStore)));
  runCases(`${name} passkey store`, passkeyStoreCases(opening(createSqlPasskeyStore)));
  runCases(`${name} API key store`, apiKeyStoreCases(opening(createSqlApiKeyStore)));
  runCases(`${name} code store`, codeStoreCases(opening(createSqlCodeStore)));
  runCases(`${name} consent store`, consentStoreCases(opening(createSqlConsentStore)));
}
