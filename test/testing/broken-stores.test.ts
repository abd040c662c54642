import type { AccountStore, RateLimitStore, SessionRecord, SessionStore } from 'doorward/accounts';
import type { CodeStore, ConsentStore } from 'doorward/oauth';
import {
  createMemoryAccountStore,
  createMemoryApiKeyStore,
  createMemoryCodeStore,
  createMemoryConsentStore,
  createMemoryOnceStore,
  createMemoryPasskeyStore,
  createMemoryRateLimitStore,
  createMemorySessionStore,
  createMemoryTotpStore,
} from 'doorward/stores/memory';
import {
  accountStoreCases,
  apiKeyStoreCases,
  codeStoreCases,
  consentStoreCases,
  onceStoreCases,
  passkeyStoreCases,
  rateLimitStoreCases,
  type StoreCase,
  sessionStoreCases,
  totpStoreCases,
} from 'doorward/testing';
import { describe, expect, it } from 'vitest';

/** What a database on a network takes between a check and a write; longer than the delays that the kit puts between calls. */
const turn = () => new Promise<void>((resolve) => setTimeout(resolve, 5));

/** A good store with some methods broken. */
const broken = <S extends object>(create: () => S, breakIt: (store: S) => Partial<S>) => {
  return (): S => {
    const store = create();
    return { ...store, ...breakIt(store) };
  };
};
const accounts = (breakIt: (store: AccountStore) => Partial<AccountStore>) =>
  accountStoreCases(broken(createMemoryAccountStore, breakIt));
const limits = (breakIt: (store: RateLimitStore) => Partial<RateLimitStore>) =>
  rateLimitStoreCases(broken(createMemoryRateLimitStore, breakIt));
const sessions = (breakIt: (store: SessionStore) => Partial<SessionStore>) =>
  sessionStoreCases(broken(createMemorySessionStore, breakIt));
const codes = (breakIt: (store: CodeStore) => Partial<CodeStore>) =>
  codeStoreCases(broken(() => createMemoryCodeStore(), breakIt));
const consents = (breakIt: (store: ConsentStore) => Partial<ConsentStore>) =>
  consentStoreCases(broken(createMemoryConsentStore, breakIt));

/** Every broken store with a case that it has to fail. */
const BROKEN: readonly (readonly [string, string, () => readonly StoreCase[]])[] = [
  [
    'accounts that look for the username before they add it',
    'lets one of 50 parallel creations of a username win',
    () =>
      accounts((store) => {
        const names = new Map<string, string>();
        return {
          async create(account) {
            const isTaken = names.has(account.usernameKey);
            await turn();
            if (isTaken) return false;
            names.set(account.usernameKey, account.id);
            return (await store.create(account)) || true;
          },
        };
      }),
  ],
  [
    'STO-10 accounts that report a removal without doing it',
    'lets one of 50 parallel removals win, and frees the username',
    () => accounts(() => ({ remove: async () => true })),
  ],
  [
    'STO-10 accounts that report undefined for a removal that was done',
    'lets one of 50 parallel removals win, and frees the username',
    () =>
      accounts((store) => ({
        async remove(id) {
          await store.remove(id);
          return undefined as never;
        },
      })),
  ],
  [
    'STO-10 accounts that report a new hash without storing it',
    'replaces a password hash that is still exactly the expected one',
    () => accounts((store) => ({ replacePasswordHash: async (id) => (await store.byId(id)) !== undefined })),
  ],
  [
    'accounts that compare the hash before they replace it',
    'replaces a password hash for one of 50 parallel calls',
    () =>
      accounts((store) => ({
        async replacePasswordHash(id, expected, next) {
          if ((await store.byId(id))?.passwordHash !== expected) return false;
          await turn();
          const current = (await store.byId(id))?.passwordHash;
          await store.replacePasswordHash(id, current ?? '', next);
          return true;
        },
      })),
  ],
  [
    'STO-09 accounts read from a replica that lags',
    'gives back what was created, by id and by username key',
    () => accounts(() => ({ byId: async () => undefined })),
  ],
  [
    'counters that are read and then written',
    'counts each of 50 parallel hits once',
    () =>
      limits(() => {
        const counts = new Map<string, { count: number; resetAt: number }>();
        return {
          async hit(key, windowMs, now) {
            const known = counts.get(key);
            await turn();
            const isOpen = known !== undefined && known.resetAt > now;
            const next = isOpen ? { ...known, count: known.count + 1 } : { count: 1, resetAt: now + windowMs };
            counts.set(key, next);
            return next;
          },
        };
      }),
  ],
  [
    'counters that nothing is taken back from',
    'takes back each of 50 parallel releases once',
    () => limits(() => ({ release: async () => undefined })),
  ],
  [
    'sessions that look at a refresh token before they swap it',
    'gives 50 parallel rotations one and the same successor',
    () => sessions(checkThenSwap),
  ],
  [
    'sessions that forget that a token was used',
    'ends exactly the family when a token is used again after the grace time',
    () =>
      sessions((store) => ({
        async rotate(request) {
          const rotation = await store.rotate({ ...request, graceMs: 3_600_000 });
          return rotation.kind === 'reused' ? { kind: 'refused' } : rotation;
        },
      })),
  ],
  [
    'sessions that tell of a reuse and go on',
    'ends the family when the token before the last comes back, within the grace time, too',
    () =>
      sessions((store) => ({
        async rotate(request) {
          const session = (await store.findByRefreshToken(request.hash, request.now))?.session;
          const rotation = await store.rotate(request);
          if (rotation.kind === 'reused' && session !== undefined) await store.start(session);
          return rotation;
        },
      })),
  ],
  [
    'sessions whose tokens any client may use',
    'keeps the token of a client from every other one, and changes nothing',
    () =>
      sessions((store) => ({
        async rotate(request) {
          const { clientId, ...rest } = request;
          const session = (await store.findByRefreshToken(request.hash, request.now))?.session;
          return store.rotate({ ...rest, ...(session?.clientId !== undefined && { clientId: session.clientId }) });
        },
      })),
  ],
  [
    'sessions that call every refresh token good',
    'tells whether a refresh token would be swapped now, as the rotation itself does',
    () =>
      sessions((store) => ({
        async findByRefreshToken(...args) {
          const owner = await store.findByRefreshToken(...args);
          return owner && { ...owner, usable: true };
        },
      })),
  ],
  [
    'sessions that know no grace time when they are asked',
    'tells whether a refresh token would be swapped now, as the rotation itself does',
    () => sessions((store) => ({ findByRefreshToken: (hash, now) => store.findByRefreshToken(hash, now) })),
  ],
  ...(['scopes', 'audience', 'dpopThumbprint'] as const).map(
    (lost) =>
      [
        `sessions that forget the ${lost} of a grant`,
        'keeps what an OAuth client was granted, in every answer',
        () =>
          sessions((store) => ({
            start: ({ [lost]: _, ...session }, token) => store.start(session as SessionRecord, token),
          })),
      ] as const,
  ),
  [
    'sessions whose grace time revives an idle token',
    'never revives an idle token, whatever the grace time',
    () =>
      sessions((store) => ({
        rotate: (request) => store.rotate({ ...request, now: Math.max(0, request.now - request.graceMs) }),
      })),
  ],
  [
    'sessions that start although all were ended',
    'starts no session from before all were ended, whatever order they were ended in',
    () => sessions((store) => ({ start: (session, token) => store.start({ ...session, startedAt: 1e15 }, token) })),
  ],
  [
    'sessions that are ended one by one as they were found',
    'leaves no session of 50 starts in a race with the end of all',
    () =>
      sessions((store) => ({
        async endAll(accountId, _notBefore, exceptId) {
          const ended = (await store.list(accountId, 0)).map(({ id }) => id).filter((id) => id !== exceptId);
          await turn();
          for (const id of ended) await store.end(id);
          return ended;
        },
      })),
  ],
  [
    'STO-09 sessions found on a replica that lags',
    'ends a session for one of 50 parallel calls, and its refresh token with it',
    () =>
      sessions((store) => {
        const seen = new Map<string, SessionRecord>();
        return {
          async find(id, tokenId, now) {
            const stale = seen.get(id);
            const fresh = await store.find(id, tokenId, now);
            if (fresh !== undefined) seen.set(id, fresh);
            return stale ?? fresh;
          },
          async start(session, token) {
            const isAdded = await store.start(session, token);
            if (isAdded) seen.set(session.id, session);
            return isAdded;
          },
        };
      }),
  ],
  [
    'STO-10 sessions that report an end without it',
    'ends a session for one of 50 parallel calls, and its refresh token with it',
    () => sessions(() => ({ end: async () => true })),
  ],
  [
    'STO-11 sessions that end by the clock of the database',
    'gives back a session that was started',
    () => sessions((store) => ({ find: (id, tokenId) => store.find(id, tokenId, Date.now()) })),
  ],
  [
    'sessions that forget the certificate they are bound to',
    'gives back a session that was started',
    () =>
      sessions((store) => ({
        start({ certificateThumbprint, ...session }, token) {
          return store.start(session, token);
        },
      })),
  ],
  [
    'sessions whose grace time begins anew with every repetition',
    'counts the grace time from the swap, not from the last repetition',
    () =>
      sessions((store) => {
        const swappedAt = new Map<string, number>();
        const repeatedAt = new Map<string, number>();
        return {
          async rotate(request) {
            const since = request.now - (repeatedAt.get(request.hash) ?? request.now);
            const now = Math.min(request.now, (swappedAt.get(request.hash) ?? request.now) + since);
            const rotation = await store.rotate({ ...request, now });
            if (rotation.kind === 'rotated') swappedAt.set(request.hash, request.now);
            repeatedAt.set(request.hash, request.now);
            return rotation;
          },
        };
      }),
  ],
  [
    'sessions that repeat without grace as long as the clock is behind',
    'without grace repeats nothing, on a server whose clock is behind, either',
    () => sessions((store) => ({ rotate: (request) => store.rotate({ ...request, graceMs: request.graceMs || 1 }) })),
  ],
  [
    'sessions that start during the end of all but one',
    'ends all sessions of an account but the one excepted, and names them',
    () =>
      sessions((store) => ({
        endAll: (accountId, notBefore, exceptId) =>
          store.endAll(accountId, exceptId === undefined ? notBefore : 0, exceptId),
      })),
  ],
  [
    'revocations that a later one cuts short',
    'never shortens a revocation',
    () =>
      sessions((store) => {
        const expiries = new Map<string, number>();
        return {
          async revokeToken(tokenId, expiresAt, now) {
            expiries.set(tokenId, expiresAt);
            for (const [id, end] of expiries) if (end <= now) expiries.delete(id);
          },
          find: async (id, tokenId, now) => (expiries.has(tokenId) ? undefined : store.find(id, tokenId, now)),
        };
      }),
  ],
  [
    'sessions without a denylist',
    'revokes one token, and the session goes on',
    () => sessions(() => ({ revokeToken: async () => undefined })),
  ],
  [
    'keys that are looked for before they are added',
    'grants one of 50 parallel calls with one key',
    () =>
      onceStoreCases(() => {
        const keys = new Map<string, number>();
        return {
          async once(key, expiresAt, now) {
            const isUsed = (keys.get(key) ?? 0) > now;
            await turn();
            if (isUsed || !(expiresAt > now)) return false;
            keys.set(key, expiresAt);
            return true;
          },
        };
      }),
  ],
  [
    'STO-11 keys that expire by the clock of the database',
    'grants a key once',
    () =>
      onceStoreCases(
        broken(createMemoryOnceStore, (store) => ({
          once: (key, expiresAt) => store.once(key, expiresAt, Date.now()),
        })),
      ),
  ],
  [
    'STO-10 keys whose insertion answers with something truthy',
    'grants a key once',
    () => onceStoreCases(() => ({ once: async () => 'OK' as never })),
  ],
  [
    'recovery codes that are looked for before they are taken',
    'gives a recovery code to one of 50 parallel calls',
    () =>
      totpStoreCases(
        broken(createMemoryTotpStore, (store) => ({
          async takeRecovery(accountId, hash) {
            const record = await store.find(accountId);
            await turn();
            if (record?.confirmed !== true || !record.recoveryHashes.includes(hash)) return false;
            return store.replaceRecovery(
              accountId,
              record.recoveryHashes.filter((other) => other !== hash),
            );
          },
        })),
      ),
  ],
  [
    'enrolments that replace a confirmed one',
    'never replaces a confirmed enrolment',
    () =>
      totpStoreCases(
        broken(createMemoryTotpStore, (store) => ({
          async enrol(record) {
            await store.remove(record.accountId);
            return store.enrol(record);
          },
        })),
      ),
  ],
  [
    'passkeys that compare the counter before they set it',
    'lets one of 50 parallel uses from one counter win',
    () =>
      passkeyStoreCases(
        broken(createMemoryPasskeyStore, (store) => ({
          async count(id, expected, counter) {
            const found = await store.find(id);
            await turn();
            if (found?.counter !== expected) return false;
            const current = (await store.find(id))?.counter ?? 0;
            return store.count(id, current, counter);
          },
        })),
      ),
  ],
  [
    'STO-10 passkeys that report a new counter without storing it',
    'counts from exactly the expected counter',
    () =>
      passkeyStoreCases(
        broken(createMemoryPasskeyStore, (store) => ({
          count: async (id, expected) => (await store.find(id))?.counter === expected,
        })),
      ),
  ],
  [
    'passkeys that count from a lower counter than the expected one',
    'counts from exactly the expected counter',
    () =>
      passkeyStoreCases(
        broken(createMemoryPasskeyStore, (store) => ({
          async count(id, expected, counter) {
            const current = (await store.find(id))?.counter;
            return current !== undefined && current <= expected && store.count(id, current, counter);
          },
        })),
      ),
  ],
  [
    'passkeys that anybody may remove',
    'removes a passkey of its own account only',
    () =>
      passkeyStoreCases(
        broken(createMemoryPasskeyStore, (store) => ({
          remove: async (_accountId, id) => store.remove((await store.find(id))?.accountId ?? '', id),
        })),
      ),
  ],
  [
    'codes that are looked for before they are taken',
    'lets one of 50 parallel calls take a code, and tells all others whose it is',
    () =>
      codes((store) => ({
        async take(hash, sessionId, maxFailures, now) {
          const takenBy = (await store.find(hash, now))?.takenBy;
          await turn();
          const taken = await store.take(hash, sessionId, maxFailures, now);
          return takenBy === undefined && taken.kind === 'replayed' ? { kind: 'taken' } : taken;
        },
      })),
  ],
  [
    'codes that are deleted when they are taken',
    'remembers who took a code and that it came again, beyond its expiry and to the end',
    () => {
      const taken = new Set<string>();
      return codes((store) => ({
        async find(hash, now) {
          return taken.has(hash) ? undefined : store.find(hash, now);
        },
        async take(hash, ...rest) {
          taken.add(hash);
          return store.take(hash, ...rest);
        },
      }));
    },
  ],
  [
    'codes whose tombstone goes when they would have expired',
    'marks a replay that comes when the code would be expired, too',
    () =>
      codes((store) => ({
        put: (hash, record, _keepUntil, now) => store.put(hash, record, record.expiresAt, now),
      })),
  ],
  [
    'codes that tell of a replay and leave no mark',
    'remembers who took a code and that it came again, beyond its expiry and to the end',
    () =>
      codes((store) => ({
        async find(hash, now) {
          const state = await store.find(hash, now);
          return state && { ...state, replayed: false };
        },
      })),
  ],
  [
    'codes whose replay is told as that of whoever asks',
    'lets one of 50 parallel calls take a code, and tells all others whose it is',
    () =>
      codes((store) => ({
        async take(hash, sessionId, ...rest) {
          const taken = await store.take(hash, sessionId, ...rest);
          return taken.kind === 'replayed' ? { ...taken, sessionId } : taken;
        },
      })),
  ],
  [
    'codes that live on however many verifiers were wrong',
    'gives a code up to the last wrong verifier, and none after it',
    () => codes((store) => ({ take: (hash, id, _max, now) => store.take(hash, id, 1e9, now) })),
  ],
  [
    'codes whose failures are read and then written',
    'counts 50 parallel wrong verifiers one by one',
    () =>
      codes((store) => ({
        async fail(hash, now) {
          const before = (await store.find(hash, now))?.failures ?? 0;
          await turn();
          await store.fail(hash, now);
          return before + 1;
        },
      })),
  ],
  [
    'STO-11 codes that expire by the clock of the database',
    'gives back what was put in, and finding changes nothing',
    () => codes((store) => ({ find: (hash) => store.find(hash, Date.now()) })),
  ],
  [
    'codes that are overwritten',
    'never lets a second code take the place of the first',
    () => codes((store) => ({ put: (hash, ...rest) => store.put(hash, ...rest).catch(() => undefined) })),
  ],
  [
    'STO-10 codes whose taking answers with something truthy',
    'takes 50 codes in parallel, each by itself',
    () => codes(() => ({ take: async () => 'OK' as never })),
  ],
  [
    'consents that are read and then written',
    'loses nothing of 50 parallel grants',
    () =>
      consents((store) => ({
        async grant(accountId, clientId, scopes, now) {
          const before = (await store.find(accountId, clientId))?.scopes ?? [];
          await turn();
          await store.revoke(accountId, clientId);
          await store.grant(accountId, clientId, [...before, ...scopes], now);
        },
      })),
  ],
  [
    'consents that only grow',
    'lets one of 50 parallel calls take a consent back, for good',
    () => consents((store) => ({ revoke: async (...of) => (await store.find(...of)) !== undefined })),
  ],
  [
    'STO-10 consents that report something truthy for what was taken back',
    'lets one of 50 parallel calls take a consent back, for good',
    () => consents((store) => ({ revoke: async (...of) => Number(await store.revoke(...of)) as never })),
  ],
  [
    'API keys that are replaced in two steps',
    'replaces a key for one of 50 parallel calls, and adds no other',
    () =>
      apiKeyStoreCases(
        broken(createMemoryApiKeyStore, (store) => ({
          async replace(id, next, expiresAt, now) {
            const key = await store.find(id);
            await turn();
            if (key === undefined || key.accountId !== next.accountId || (key.expiresAt ?? 1e15) <= now) return false;
            return (await store.add(next)) && expiresAt > 0;
          },
        })),
      ),
  ],
  [
    'STO-10 API keys that report a replacement without the end of the old one',
    'replaces a key: the next one is there, and the old one ends',
    () => apiKeyStoreCases(broken(createMemoryApiKeyStore, (store) => ({ replace: (_id, next) => store.add(next) }))),
  ],
  [
    'API keys whose replacement has no end',
    'replaces a key: the next one is there, and the old one ends',
    () =>
      apiKeyStoreCases(
        broken(createMemoryApiKeyStore, (store) => ({
          replace: (id, { expiresAt: _, ...next }, expiresAt, now) => store.replace(id, next, expiresAt, now),
        })),
      ),
  ],
  [
    'API keys that a replacement gives a longer life',
    'lets a replaced key end no later than it would have',
    () =>
      apiKeyStoreCases(
        broken(createMemoryApiKeyStore, (store) => ({
          async replace(id, next, expiresAt, now) {
            const key = await store.find(id);
            const isReplaced = await store.replace(id, next, expiresAt, now);
            if (!isReplaced || key === undefined) return isReplaced;
            await store.remove(key.accountId, id);
            return store.add({ ...key, expiresAt });
          },
        })),
      ),
  ],
];

/** The commonest mistake: a transaction without a lock. */
function checkThenSwap(store: SessionStore): Partial<SessionStore> {
  const used = new Set<string>();
  return {
    async rotate(request) {
      const isUsed = used.has(request.hash);
      const session = (await store.findByRefreshToken(request.hash, request.now))?.session;
      await turn();
      if (session === undefined) return { kind: 'refused' };
      if (isUsed) return store.rotate(request);
      used.add(request.hash);
      await store.start({ ...session, id: `${session.id} ${request.successor.hash}` }, request.successor);
      return { kind: 'rotated', session };
    },
  };
}

describe('the conformance kit', () => {
  it.each(BROKEN)('catches %s', async (_, name, cases) => {
    const both = cases().filter((one) => one.name === name || one.name === `${name} (calls delayed)`);
    expect(both).toHaveLength(2);
    for (const { run } of both) await expect(run()).rejects.toMatchObject({ code: 'ERR_ASSERTION' });
  });

  it('finds nothing wrong with stores that nothing is broken in', async () => {
    for (const { run } of [...accounts(() => ({})), ...limits(() => ({})), ...sessions(() => ({}))]) await run();
  });
});
