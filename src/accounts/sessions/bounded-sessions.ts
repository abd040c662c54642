import { checkedFlag, guarded } from '../../core/guarded.ts';
import { isAccountId } from '../../core/identifiers.ts';
import { malformed, texts } from '../record.ts';
import { readRefreshTokenOwner, readRotation, readSessionRecord } from './session-record.ts';
import type { SessionRecord, SessionStore } from './session-store.ts';

/**
 * Puts a deadline on every call of a session store and checks every answer. Whatever goes wrong is
 * `SERVICE_UNAVAILABLE`, never "this session goes on" and never "there is none".
 *
 * @param timeoutMs - milliseconds
 */
export function boundedSessionStore(store: SessionStore, timeoutMs: number): SessionStore {
  const within = <T>(call: () => Promise<T>): Promise<T> => guarded(call, timeoutMs);
  return {
    start: (session, token) => within(async () => checkedFlag(await store.start(session, token))),
    async find(id, tokenId, now) {
      if (!isAccountId(id)) return undefined;
      return within(async () => {
        const found = readSessionRecord(await store.find(id, tokenId, now));
        if (found !== undefined && found.id !== id) throw new Error('the session store returned another session');
        return open(found, now);
      });
    },
    async list(accountId, now) {
      if (!isAccountId(accountId)) return [];
      return within(async () => {
        const answer: unknown = await store.list(accountId, now);
        if (!Array.isArray(answer)) throw new Error('the session store did not answer with a list');
        return Array.from(answer, (record: unknown) => readSessionRecord(record) ?? malformed('id'))
          .map((session) => owned(session, accountId))
          .filter((session) => open(session, now) !== undefined);
      });
    },
    findByRefreshToken: (hash, now, graceMs = 0) =>
      within(async () => {
        const owner = readRefreshTokenOwner(await store.findByRefreshToken(hash, now, graceMs));
        return owner !== undefined && open(owner.session, now) !== undefined ? owner : undefined;
      }),
    rotate: (request) => within(async () => readRotation(await store.rotate(request))),
    end: async (id) => isAccountId(id) && within(async () => checkedFlag(await store.end(id))),
    async endAll(accountId, notBefore, exceptId) {
      if (!isAccountId(accountId)) return [];
      return within(async () => texts(await store.endAll(accountId, notBefore, exceptId), 'id'));
    },
    revokeToken: (tokenId, expiresAt, now) => within(async () => store.revokeToken(tokenId, expiresAt, now)),
  };
}

/** A store that reads more loosely than it should revives nobody. */
function open(session: SessionRecord | undefined, now: number): SessionRecord | undefined {
  return session !== undefined && session.endsAt > now ? session : undefined;
}

function owned(session: SessionRecord, accountId: string): SessionRecord {
  if (session.accountId !== accountId) throw new Error('the session store returned a session of another account');
  return session;
}
