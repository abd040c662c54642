export type { CreationOptions, CredentialDescriptor, RequestOptions } from './ceremony-options.ts';
export { createPasskeys } from './create-passkeys.ts';
export type { PasskeyRecord, PasskeyStore } from './passkey-store.ts';
export type { PasskeyLogin, Passkeys, PublicPasskey } from './passkeys.ts';
export type { PasskeysOptions } from './settings.ts';
