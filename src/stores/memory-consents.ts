import type { ConsentRecord, ConsentStore } from '../oauth/consents/consent-store.ts';

/**
 * Keeps consents in memory, for tests, trials and single processes that may forget.
 *
 * @example
 * const consents = createMemoryConsentStore();
 */
export function createMemoryConsentStore(): ConsentStore {
  const byAccount = new Map<string, Map<string, ConsentRecord>>();

  // No method awaits anything: each runs from start to end before another one can.
  return {
    async find(accountId, clientId) {
      return byAccount.get(accountId)?.get(clientId);
    },
    async grant(accountId, clientId, scopes, now) {
      const owned = byAccount.get(accountId) ?? new Map<string, ConsentRecord>();
      const known = owned.get(clientId);
      const all = new Set([...(known?.scopes ?? []), ...scopes]);
      if (known !== undefined && all.size === known.scopes.length) return;
      const grantedAt = Math.max(known?.grantedAt ?? now, now);
      owned.set(clientId, Object.freeze({ clientId, scopes: Object.freeze([...all]), grantedAt }));
      byAccount.set(accountId, owned);
    },
    async list(accountId) {
      return [...(byAccount.get(accountId)?.values() ?? [])].sort((a, b) => (a.clientId < b.clientId ? -1 : 1));
    },
    async revoke(accountId, clientId) {
      const owned = byAccount.get(accountId);
      if (owned === undefined || !owned.delete(clientId)) return false;
      if (owned.size === 0) byAccount.delete(accountId);
      return true;
    },
    async revokeAll(accountId) {
      byAccount.delete(accountId);
    },
  };
}
