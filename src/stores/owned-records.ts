/** What belongs to an account and has an id of its own. */
interface Owned {
  readonly id: string;
  readonly accountId: string;
  readonly createdAt: number;
}

/** Records in memory, found by their id or by their account. */
export interface OwnedRecords<T extends Owned> {
  find(id: string): T | undefined;
  /** Oldest first. */
  list(accountId: string): readonly T[];
  has(id: string): boolean;
  put(record: T): void;
  remove(accountId: string, id: string): boolean;
  removeAll(accountId: string): void;
}

/** Keeps records under two keys, so that neither way to find them looks at those of others. */
export function ownedRecords<T extends Owned>(): OwnedRecords<T> {
  const byId = new Map<string, T>();
  const byAccount = new Map<string, Map<string, T>>();

  return {
    find: (id) => byId.get(id),
    list: (accountId) => [...(byAccount.get(accountId)?.values() ?? [])].sort(byAge),
    has: (id) => byId.has(id),
    put(record) {
      byId.set(record.id, record);
      const owned = byAccount.get(record.accountId) ?? new Map<string, T>();
      byAccount.set(record.accountId, owned.set(record.id, record));
    },
    remove(accountId, id) {
      const owned = byAccount.get(accountId);
      if (owned === undefined || !owned.delete(id)) return false;
      if (owned.size === 0) byAccount.delete(accountId);
      return byId.delete(id);
    },
    removeAll(accountId) {
      for (const id of byAccount.get(accountId)?.keys() ?? []) byId.delete(id);
      byAccount.delete(accountId);
    },
  };
}

function byAge(a: Owned, b: Owned): number {
  if (a.createdAt !== b.createdAt) return a.createdAt - b.createdAt;
  return a.id < b.id ? -1 : 1;
}
