/** A WebAuthn credential as it is stored; nothing in it is secret. */
export interface PasskeyRecord {
  /** The credential id in base64url. */
  readonly id: string;
  readonly accountId: string;
  /** COSE public key in base64url. */
  readonly publicKey: string;
  /** The signature counter that the authenticator last reported; 0 for those that do not count. */
  readonly counter: number;
  readonly transports: readonly string[];
  /** Whether the credential may be copied between devices. */
  readonly backedUp: boolean;
  /**
   * Whether the authenticator verified its user when the credential was registered. If not, its later word
   * for that is no factor: whoever finds a key without a PIN can set one (`uvInitialized` of Web
   * Authentication Level 3 section 4).
   */
  readonly userVerified: boolean;
  /** What its owner calls it. */
  readonly label: string;
  /** Epoch milliseconds. */
  readonly createdAt: number;
}

/** Persistence of passkeys. Every method is one indivisible operation. */
export interface PasskeyStore {
  /** Adds a credential unless its id is taken. @returns whether it was added. */
  add(passkey: PasskeyRecord): Promise<boolean>;
  find(id: string): Promise<PasskeyRecord | undefined>;
  /** @returns the account's passkeys, oldest first. */
  list(accountId: string): Promise<readonly PasskeyRecord[]>;
  /** Stores a counter if it is still the expected one: a copied authenticator loses. @returns whether it was. */
  count(id: string, expected: number, counter: number): Promise<boolean>;
  /** @returns whether the account had it. */
  remove(accountId: string, id: string): Promise<boolean>;
  /** Removes all passkeys of an account. */
  removeAll(accountId: string): Promise<void>;
}
