import type { Account, AccountStore } from '../accounts/index.ts';

/**
 * Keeps accounts in memory, for tests, trials and single processes that may forget.
 *
 * @example
 * const store = createMemoryAccountStore();
 */
export function createMemoryAccountStore(): AccountStore {
  const accounts = new Map<string, Account>();
  const idsByKey = new Map<string, string>();

  // No method awaits anything: each runs from start to end before another one can.
  return {
    async create(account) {
      if (idsByKey.has(account.usernameKey)) return false;
      if (accounts.has(account.id)) throw new Error('an account id was used twice');
      accounts.set(account.id, frozen(account));
      idsByKey.set(account.usernameKey, account.id);
      return true;
    },
    async byId(id) {
      return accounts.get(id);
    },
    async byUsernameKey(usernameKey) {
      const id = idsByKey.get(usernameKey);
      return id === undefined ? undefined : accounts.get(id);
    },
    async update(id, { roles, department, disabled }) {
      const before = accounts.get(id);
      if (before === undefined) return undefined;
      const { department: former, ...rest } = before;
      const next = department === undefined ? former : department;
      const after = frozen({
        ...rest,
        ...(next !== undefined && next !== null && { department: next }),
        ...(roles !== undefined && { roles }),
        ...(disabled !== undefined && { disabled }),
      });
      accounts.set(id, after);
      return after;
    },
    async replacePasswordHash(id, expected, next) {
      const account = accounts.get(id);
      if (account?.passwordHash !== expected) return false;
      accounts.set(id, frozen({ ...account, passwordHash: next }));
      return true;
    },
    async remove(id) {
      const account = accounts.get(id);
      if (account === undefined) return false;
      idsByKey.delete(account.usernameKey);
      return accounts.delete(id);
    },
  };
}

/** A copy that neither the caller nor a reader can change. */
function frozen(account: Account): Account {
  return Object.freeze({ ...account, roles: Object.freeze([...account.roles]) });
}
