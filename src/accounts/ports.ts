/** One account as a store keeps it. `passwordHash` never leaves the accounts and stores folders. */
export interface Account {
  /** Never reused, not even for the same username. The principal's `id` and the token's `uid`. */
  readonly id: string;
  /** As spelt at registration; the token's `sub`. */
  readonly username: string;
  /** What is unique: the username after NFKC and case folding. */
  readonly usernameKey: string;
  readonly email?: string;
  readonly passwordHash: string;
  readonly roles: readonly string[];
  readonly department?: string;
  readonly disabled: boolean;
  /** Epoch milliseconds. */
  readonly createdAt: number;
}

/** The parts of an account that can change. What is absent stays as it is; `department: null` clears it. */
export interface AccountPatch {
  readonly roles?: readonly string[];
  readonly department?: string | null;
  readonly disabled?: boolean;
}

/** Persistence of accounts. Every method is one indivisible operation. */
export interface AccountStore {
  /** Adds the account unless its `usernameKey` is taken. @returns whether it was added. */
  create(account: Account): Promise<boolean>;
  byId(id: string): Promise<Account | undefined>;
  byUsernameKey(usernameKey: string): Promise<Account | undefined>;
  /** @returns the account as it now is, or `undefined` when there is none. */
  update(id: string, patch: AccountPatch): Promise<Account | undefined>;
  /** Replaces the password hash if it still is exactly `expected`. @returns whether it was. */
  replacePasswordHash(id: string, expected: string, next: string): Promise<boolean>;
  /** @returns whether there was one. */
  remove(id: string): Promise<boolean>;
}

/** What a counter stands at after a hit. */
export interface Hits {
  readonly count: number;
  /** Epoch milliseconds at which the window ends and the count starts again. */
  readonly resetAt: number;
}

/** Counters in fixed windows. `hit` counts and reads in one indivisible step: it is the limiter. */
export interface RateLimitStore {
  /** Counts one hit in the key's window, opening a window of `windowMs` when none is open at `now`. */
  hit(key: string, windowMs: number, now: number): Promise<Hits>;
  /**
   * Takes back one hit of the window that ends at `resetAt`; nothing happens when the key has another
   * window by now. A window without hits is closed: what nobody counts for takes up no room.
   */
  release(key: string, resetAt: number): Promise<void>;
}
