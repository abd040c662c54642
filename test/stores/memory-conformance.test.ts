import {
  createMemoryAccountStore,
  createMemoryApiKeyStore,
  createMemoryCodeStore,
  createMemoryConsentStore,
  createMemoryOnceStore,
  createMemoryPasskeyStore,
  createMemoryRateLimitStore,
  createMemorySessionStore,
  createMemoryTotpStore,
} from 'doorward/stores/memory';
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

runCases('memory account store', accountStoreCases(createMemoryAccountStore));
runCases('memory rate limit store', rateLimitStoreCases(createMemoryRateLimitStore));
runCases('memory session store', sessionStoreCases(createMemorySessionStore));
runCases('memory once store', onceStoreCases(createMemoryOnceStore));
runCases('memory TOTP store', totpStoreCases(createMemoryTotpStore));
runCases('memory passkey store', passkeyStoreCases(createMemoryPasskeyStore));
runCases('memory API key store', apiKeyStoreCases(createMemoryApiKeyStore));
runCases('memory code store', codeStoreCases(createMemoryCodeStore));
runCases('memory consent store', consentStoreCases(createMemoryConsentStore));
