import { isAccountId } from '../core/identifiers.ts';
import { type Caller, DoorwardError, publishAudit } from '../core/index.ts';
import { originOf } from '../core/origin.ts';
import { ownProperty } from '../core/own-property.ts';
import type { ApiKeyRecord } from './api-key-store.ts';
import { digestOf, makeKey } from './key-text.ts';
import { type NewApiKey, readEnd, readNewApiKey } from './new-api-key.ts';
import { type PublicApiKey, toPublicApiKey } from './public-api-key.ts';
import type { Settings } from './settings.ts';

/** A key that has just been made. */
export interface IssuedApiKey {
  /** The key itself. This is the only time that anybody sees it: only a hash of its secret is kept. */
  readonly key: string;
  readonly apiKey: PublicApiKey;
}

export interface ReplaceOptions {
  /** How long the replaced key goes on, in whole seconds; 0 ends it at once, 2592000 (30 days) is the most. */
  readonly overlapSeconds: unknown;
  /** When the successor ends, RFC 3339, in the future. @default the end of the key that it replaces, if it has one */
  readonly expiresAt?: unknown;
}

/** What the owner of keys does with them. A `caller` is told in events. */
export interface Keeping {
  /**
   * Makes a key.
   *
   * @throws `INPUT_INVALID` with the `field` at fault: `accountId` when the account has as many keys as it may.
   */
  readonly create: (input: NewApiKey, caller?: Caller) => Promise<IssuedApiKey>;
  /** The account's keys, oldest first. Those that have ended are among them until its next key is made. */
  readonly list: (accountId: string) => Promise<readonly PublicApiKey[]>;
  /**
   * Makes the successor of a key, with its name and its scopes; both are good until the overlap is over.
   *
   * @returns `undefined` when the account has no such key, or when it has ended or was replaced before: of
   * parallel calls one gets the successor.
   * @throws `INPUT_INVALID` with the `field` at fault: `accountId` when the account has twice as many keys as it may.
   */
  readonly replace: (
    accountId: string,
    id: string,
    options: ReplaceOptions,
    caller?: Caller,
  ) => Promise<IssuedApiKey | undefined>;
  /** Ends a key at once. @returns whether the account had it. */
  readonly remove: (accountId: string, id: string, caller?: Caller) => Promise<boolean>;
  /** Ends all keys of an account at once, for example when it is removed or was taken over. */
  readonly removeAll: (accountId: string, caller?: Caller) => Promise<void>;
}

const MAX_OVERLAP_SECONDS = 30 * 86_400;
const KEY_ID = /^[0-9A-Za-z]{18}$/;

export function createKeeping({ store, scopes: known, prefix, maxKeysPerAccount, clock }: Settings): Keeping {
  const listOf = async (accountId: string): Promise<readonly ApiKeyRecord[]> =>
    isAccountId(accountId) ? store.list(accountId) : [];

  /** Forgets what has ended, so that an account's keys do not pile up, and makes sure that one more may be. */
  async function makeRoom(accountId: string, max: number, now: number): Promise<void> {
    const keys = await store.list(accountId);
    const ended = keys.filter((key) => hasEnded(key, now));
    for (const { id } of ended) await store.remove(accountId, id);
    if (keys.length - ended.length >= max) throw tooMany();
  }

  async function create(input: NewApiKey, caller: Caller = {}): Promise<IssuedApiKey> {
    const now = clock();
    const { accountId, ...wanted } = readNewApiKey(input, known, now);
    await makeRoom(accountId, maxKeysPerAccount, now);
    const { id, secret, key } = makeKey(prefix);
    const record = { id, accountId, ...wanted, hash: digestOf(secret).toString('base64url'), createdAt: now };
    if (!(await store.add(record))) throw new DoorwardError('SERVICE_UNAVAILABLE');
    // Whoever finds too many keys beside its own takes its own back: no number of parallel calls leaves more.
    const keys = await store.list(accountId);
    if (keys.filter((other) => !hasEnded(other, now)).length > maxKeysPerAccount) {
      await store.remove(accountId, id);
      throw tooMany();
    }
    publishAudit({ type: 'api_key.created', accountId, keyId: id, ...originOf(caller) });
    return { key, apiKey: toPublicApiKey(record) };
  }

  async function replace(
    accountId: string,
    id: string,
    options: ReplaceOptions,
    caller: Caller = {},
  ): Promise<IssuedApiKey | undefined> {
    const now = clock();
    const overlapMs = readOverlap(options) * 1_000;
    const wantedEnd = readEnd(ownProperty(options, 'expiresAt'), now);
    const old = (await listOf(accountId)).find((key) => key.id === id);
    if (old === undefined || hasEnded(old, now)) return undefined;
    await makeRoom(accountId, 2 * maxKeysPerAccount, now);
    const { name, scopes } = old;
    const expiresAt = wantedEnd ?? old.expiresAt;
    const { id: nextId, secret, key } = makeKey(prefix);
    const hash = digestOf(secret).toString('base64url');
    const kept = { accountId, name, scopes, ...(expiresAt !== undefined && { expiresAt }) };
    const next = { id: nextId, ...kept, hash, createdAt: now };
    if (!(await store.replace(id, next, now + overlapMs, now))) return undefined;
    publishAudit({ type: 'api_key.replaced', accountId, keyId: id, nextKeyId: nextId, ...originOf(caller) });
    return { key, apiKey: toPublicApiKey(next) };
  }

  async function remove(accountId: string, id: string, caller: Caller = {}): Promise<boolean> {
    const isKey = isAccountId(accountId) && typeof id === 'string' && KEY_ID.test(id);
    if (!isKey || !(await store.remove(accountId, id))) return false;
    publishAudit({ type: 'api_key.removed', accountId, keyId: id, ...originOf(caller) });
    return true;
  }

  async function removeAll(accountId: string, caller: Caller = {}): Promise<void> {
    const keys = await listOf(accountId);
    if (isAccountId(accountId)) await store.removeAll(accountId);
    for (const { id } of keys) publishAudit({ type: 'api_key.removed', accountId, keyId: id, ...originOf(caller) });
  }

  return {
    create,
    list: async (accountId) => (await listOf(accountId)).map(toPublicApiKey),
    replace,
    remove,
    removeAll,
  };
}

function hasEnded({ expiresAt }: ApiKeyRecord, now: number): boolean {
  return expiresAt !== undefined && now >= expiresAt;
}

function readOverlap(options: ReplaceOptions): number {
  const seconds = ownProperty(options, 'overlapSeconds');
  if (typeof seconds === 'number' && Number.isInteger(seconds) && seconds >= 0 && seconds <= MAX_OVERLAP_SECONDS) {
    return seconds;
  }
  const problem = `must be a whole number from 0 to ${MAX_OVERLAP_SECONDS}`;
  throw new DoorwardError('INPUT_INVALID', { field: 'overlapSeconds', problem });
}

function tooMany(): DoorwardError {
  return new DoorwardError('INPUT_INVALID', { field: 'accountId', problem: 'has as many API keys as it may' });
}
