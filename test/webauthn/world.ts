import { createMemoryOnceStore, createMemoryPasskeyStore } from 'doorward/stores/memory';
import { createPasskeys, type PasskeyStore, type Passkeys, type PasskeysOptions } from 'doorward/webauthn';
import { createAuthenticator, type KeyPair, type SoftwareAuthenticator, type Tampering } from './authenticator.ts';

export const ORIGIN = 'https://www.example.org';
export const CHALLENGE_KEY = 'uV3bN8qLz5XrT1wYc7Kd2Jm9Hf4Gs6Pe';
export const START = 1_700_000_000_000;

export interface World {
  readonly passkeys: Passkeys;
  readonly store: PasskeyStore;
  readonly options: PasskeysOptions;
  readonly time: { now: number };
  /** A new authenticator with a credential of the account. */
  registered(accountId: string, tampering?: Tampering, keys?: KeyPair): Promise<SoftwareAuthenticator>;
}

export function createWorld(changes: Partial<PasskeysOptions> = {}): World {
  const time = { now: START };
  const store = changes.store ?? createMemoryPasskeyStore();
  const options: PasskeysOptions = {
    once: createMemoryOnceStore(),
    challengeKey: CHALLENGE_KEY,
    rpId: 'example.org',
    rpName: 'Example',
    origins: [ORIGIN, 'https://login.example.org'],
    clock: () => time.now,
    ...changes,
    store,
  };
  const passkeys = createPasskeys(options);
  return {
    passkeys,
    store,
    options,
    time,
    async registered(accountId, tampering, keys) {
      const authenticator = createAuthenticator(ORIGIN, keys);
      const creation = await passkeys.registrationOptions({ id: accountId, username: accountId });
      const added = await passkeys.register(accountId, authenticator.create(creation, tampering));
      if (added === undefined) throw new Error('the registration was refused');
      return authenticator;
    },
  };
}
