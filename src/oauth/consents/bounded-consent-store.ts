import { malformed, text, textList, time } from '../../accounts/record.ts';
import { checkedFlag, guarded } from '../../core/guarded.ts';
import { isAccountId } from '../../core/identifiers.ts';
import type { ConsentRecord, ConsentStore } from './consent-store.ts';

/**
 * Puts a deadline on every call of a consent store and checks every answer: a database may compare more loosely
 * than we do. Whatever goes wrong is `SERVICE_UNAVAILABLE`, never "has consented".
 *
 * @param timeoutMs - milliseconds
 */
export function boundedConsentStore(store: ConsentStore, timeoutMs: number): ConsentStore {
  return {
    async find(accountId, clientId) {
      if (!isAccountId(accountId) || !isAccountId(clientId)) return undefined;
      return guarded(async () => {
        const found = readConsent(await store.find(accountId, clientId));
        if (found !== undefined && found.clientId !== clientId) malformed('clientId');
        return found;
      }, timeoutMs);
    },
    grant: (accountId, clientId, scopes, now) =>
      guarded(async () => void (await store.grant(accountId, clientId, scopes, now)), timeoutMs),
    async list(accountId) {
      if (!isAccountId(accountId)) return [];
      return guarded(async () => {
        const answer: unknown = await store.list(accountId);
        if (!Array.isArray(answer)) throw new Error('the consent store did not answer with a list');
        return Array.from(answer, (item: unknown) => readConsent(item) ?? malformed('clientId'));
      }, timeoutMs);
    },
    async revoke(accountId, clientId) {
      if (!isAccountId(accountId) || !isAccountId(clientId)) return false;
      return guarded(async () => checkedFlag(await store.revoke(accountId, clientId)), timeoutMs);
    },
    async revokeAll(accountId) {
      if (isAccountId(accountId)) await guarded(async () => store.revokeAll(accountId), timeoutMs);
    },
  };
}

/** By own properties of the right types only. @throws an `Error` naming the property that is wrong. */
function readConsent(record: unknown): ConsentRecord | undefined {
  if (record === undefined || record === null) return undefined;
  return Object.freeze({
    clientId: text(record, 'clientId'),
    scopes: textList(record, 'scopes'),
    grantedAt: time(record, 'grantedAt'),
  });
}
