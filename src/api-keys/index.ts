export type { ApiKeyRecord, ApiKeyStore } from './api-key-store.ts';
export { type ApiKeys, createApiKeys } from './api-keys.ts';
export type { IssuedApiKey, Keeping, ReplaceOptions } from './keeping.ts';
export type { NewApiKey } from './new-api-key.ts';
export type { PublicApiKey } from './public-api-key.ts';
export type { ApiKeysOptions } from './settings.ts';
