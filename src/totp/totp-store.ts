/** A TOTP enrolment as it is stored. */
export interface TotpRecord {
  readonly accountId: string;
  /** The shared secret, sealed; only the sealing key opens it. */
  readonly sealedSecret: string;
  /** Whether a first code has proved that the authenticator app has the secret. */
  readonly confirmed: boolean;
  /** HMAC-SHA256 of the recovery codes that are left, in base64url. */
  readonly recoveryHashes: readonly string[];
}

/** Persistence of TOTP enrolments. Every method is one indivisible operation. */
export interface TotpStore {
  find(accountId: string): Promise<TotpRecord | undefined>;
  /** Adds an unconfirmed enrolment or replaces one, unless a confirmed one is there. @returns whether it was stored. */
  enrol(record: TotpRecord): Promise<boolean>;
  /** Confirms the enrolment with exactly this sealed secret. @returns whether it was there and unconfirmed. */
  confirm(accountId: string, sealedSecret: string, recoveryHashes: readonly string[]): Promise<boolean>;
  /** Takes one recovery code away. @returns whether it was there; of parallel calls one gets `true`. */
  takeRecovery(accountId: string, hash: string): Promise<boolean>;
  /** Replaces all recovery codes of a confirmed enrolment. @returns whether there is one. */
  replaceRecovery(accountId: string, recoveryHashes: readonly string[]): Promise<boolean>;
  /** @returns whether there was one. */
  remove(accountId: string): Promise<boolean>;
}
