import { createHash, randomBytes } from 'node:crypto';
import { DoorwardError } from 'doorward';
import type { Grant, Grants, NewGrant, PublicAccount } from 'doorward/accounts';

interface Family {
  readonly grant: Grant;
  /** Digest of each refresh token; whether it was used. */
  readonly refreshTokens: Map<string, boolean>;
  readonly revoked: Set<string>;
}

/** Grants in memory, strict: a refresh token that comes again ends its family. */
export function createMemoryGrants(
  findAccount: (id: string) => PublicAccount | undefined,
  clock: () => number,
): Grants {
  const families = new Map<string, Family>();
  const digest = (token: unknown): string => createHash('sha256').update(String(token)).digest('base64url');
  const familyOf = (token: unknown): Family | undefined =>
    [...families.values()].find(({ refreshTokens }) => refreshTokens.has(digest(token)));
  const addToken = ({ refreshTokens }: Family): string => {
    const token = randomBytes(32).toString('base64url');
    refreshTokens.set(digest(token), false);
    return token;
  };
  /** With the account as it is now; none while that one is gone or disabled. */
  const grantOf = ({ grant }: Family): Grant | undefined => {
    if (grant.account === undefined) return grant;
    const account = findAccount(grant.account.id);
    return account === undefined || account.disabled ? undefined : { ...grant, account };
  };
  const refused = (): DoorwardError => new DoorwardError('AUTH_INVALID_GRANT');

  return {
    async start(grant) {
      const account = findAccount(grant.accountId);
      const isClient = grant.accountId.startsWith('client:');
      if (!isClient && (account === undefined || account.disabled)) return undefined;
      const family: Family = {
        grant: { session: sessionOf(grant, clock()), ...(account !== undefined && { account }) },
        refreshTokens: new Map(),
        revoked: new Set(),
      };
      families.set(grant.sessionId, family);
      return { ...family.grant, ...(grant.refreshToken && { refreshToken: addToken(family) }) };
    },
    async rotate(refreshToken, { clientId, admit }) {
      const family = familyOf(refreshToken);
      if (family === undefined || family.grant.session.clientId !== clientId) throw refused();
      await admit?.(family.grant);
      if (family.refreshTokens.get(digest(refreshToken)) === true) {
        families.delete(family.grant.session.id);
        throw refused();
      }
      family.refreshTokens.set(digest(refreshToken), true);
      return { ...family.grant, refreshToken: addToken(family) };
    },
    async find(sessionId, tokenId) {
      const family = families.get(sessionId);
      return family === undefined || family.revoked.has(tokenId) ? undefined : grantOf(family);
    },
    async findByRefreshToken(token) {
      const family = familyOf(token);
      if (family === undefined) return undefined;
      const grant = family.refreshTokens.get(digest(token)) === true ? undefined : grantOf(family);
      return { session: family.grant.session, ...(grant !== undefined && { grant }) };
    },
    findSession: async (sessionId) => families.get(sessionId)?.grant.session,
    findBySessionToken: async () => undefined,
    end: async ({ id }) => families.delete(id),
    endOfClient: async () => 0,
    endAll: async () => 0,
    async revokeToken({ id, sessionId, clientId }) {
      const family = families.get(sessionId);
      if (family === undefined || family.grant.session.clientId !== clientId || family.revoked.has(id)) return false;
      family.revoked.add(id);
      return true;
    },
  };
}

function sessionOf(grant: NewGrant, now: number): Grant['session'] {
  const { sessionId, refreshToken, lifetimeSeconds = 43_200, ...rest } = grant;
  return { id: sessionId, ...rest, endsAt: now + (refreshToken ? 2_592_000 : lifetimeSeconds) * 1_000 };
}
