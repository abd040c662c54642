import { publishAudit } from '../../core/index.ts';
import { originOf } from '../../core/origin.ts';
import { toPublicAccount } from '../public-account.ts';
import { type Ending, endSession } from '../sessions/end-session.ts';
import { hashRefreshToken, isRefreshToken } from '../sessions/refresh-token.ts';
import type { Swap } from '../sessions/rotation.ts';
import { isGrant } from '../sessions/session.ts';
import { MAX_TOLERANCE_SECONDS } from '../sessions/session-control.ts';
import type { SessionRecord } from '../sessions/session-store.ts';
import { hashSessionToken, isSessionToken } from '../sessions/session-token.ts';
import type { Settings } from '../settings.ts';
import { clientSubject, type Grant, type Grants } from './grants.ts';
import { createStartGrant } from './start-grant.ts';

/** The sessions of OAuth clients, over the same stores and by the same rules as logins. */
export function createGrants(settings: Settings, swap: Swap): Grants {
  const { store, sessions, clock, refreshGraceSeconds } = settings;

  /** The session with the account that it is for, as long as that one is enabled. */
  async function withAccount(session: SessionRecord): Promise<Grant | undefined> {
    if (session.clientId !== undefined && session.accountId === clientSubject(session.clientId)) return { session };
    const account = await store.byId(session.accountId);
    return account === undefined || account.disabled ? undefined : { session, account: toPublicAccount(account) };
  }

  const grantOf = async (session: SessionRecord | undefined): Promise<Grant | undefined> =>
    session !== undefined && isGrant(session) ? withAccount(session) : undefined;

  async function endThose(isOne: (session: SessionRecord) => boolean, accountId: string, ending: Ending) {
    const those = (await sessions.list(accountId, clock())).filter(isOne);
    const ended = await Promise.all(those.map(({ id }) => endSession(settings, accountId, id, ending)));
    return ended.filter(Boolean).length;
  }

  return {
    start: createStartGrant(settings),
    async rotate(token, { clientId, caller, admit }) {
      const { session, account, refreshToken } = await swap(token, {
        clientId,
        caller,
        isGrant: true,
        ...(admit !== undefined && {
          admit: (holder) => admit({ session: holder.session, account: toPublicAccount(holder.account) }),
        }),
      });
      return { session, account: toPublicAccount(account), refreshToken };
    },
    find: async (sessionId, tokenId) => grantOf(await sessions.find(sessionId, tokenId, clock())),
    async findByRefreshToken(token) {
      if (!isRefreshToken(token)) return undefined;
      const owner = await sessions.findByRefreshToken(hashRefreshToken(token), clock(), refreshGraceSeconds * 1_000);
      if (owner === undefined || !isGrant(owner.session)) return undefined;
      const { session, usable } = owner;
      const grant = usable ? await withAccount(session) : undefined;
      return { session, ...(grant !== undefined && { grant }) };
    },
    // It is not about any token: no revoked one has an empty id.
    findSession: (sessionId) => sessions.find(sessionId, '', clock()),
    async findBySessionToken(token) {
      if (!isSessionToken(token)) return undefined;
      const session = (await sessions.findByRefreshToken(hashSessionToken(token), clock()))?.session;
      return session === undefined || session.clientId !== undefined ? undefined : withAccount(session);
    },
    end: ({ id, accountId }, reason, caller = {}) =>
      endSession(settings, accountId, id, { reason, origin: originOf(caller) }),
    endOfClient: (accountId, clientId, reason, caller = {}) =>
      endThose((session) => session.clientId === clientId, accountId, { reason, origin: originOf(caller) }),
    endAll: (accountId, reason, caller = {}) => endThose(isGrant, accountId, { reason, origin: originOf(caller) }),
    async revokeToken({ id, sessionId, clientId, expiresAt }, caller = {}) {
      const session = await sessions.find(sessionId, id, clock());
      if (session === undefined || session.clientId !== clientId || !isGrant(session)) return false;
      await sessions.revokeToken(id, (expiresAt + MAX_TOLERANCE_SECONDS) * 1_000, clock());
      publishAudit({ type: 'token.revoked', accountId: session.accountId, tokenId: id, ...originOf(caller) });
      return true;
    },
  };
}
