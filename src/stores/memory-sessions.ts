import type { RefreshTokenRecord, Rotation, RotationRequest, SessionRecord, SessionStore } from '../accounts/index.ts';
import { createSweep } from './sweep.ts';

interface Family {
  readonly record: SessionRecord;
}

interface Token {
  readonly family: Family;
  readonly idleUntil: number;
  /** Whose successor this one is. */
  readonly predecessor?: Token;
  /** When it was swapped, and, as long as its successor is unused, what a repeated call gets. */
  used?: { readonly at: number; sealedSuccessor?: string };
}

/** No login takes longer than this from its start to its session. */
const LONGEST_LOGIN_MS = 86_400_000;

/**
 * Keeps sessions in memory, of this process only: a restart ends them all. What has ended is deleted in
 * small slices along the way. A session takes about 1 KiB, and each rotation of its refresh token about
 * 200 bytes more until the session ends, so that a token of any generation is recognised when it is reused.
 *
 * @example
 * const sessions = createMemorySessionStore();
 */
export function createMemorySessionStore(): SessionStore {
  const families = new Map<string, Family>();
  const familiesOf = new Map<string, Set<Family>>();
  const tokens = new Map<string, Token>();
  const floors = new Map<string, number>();
  const revoked = new Map<string, number>();

  const isLive = (family: Family): boolean => families.get(family.record.id) === family;
  const isOpen = (family: Family, now: number): boolean => isLive(family) && family.record.endsAt > now;

  function drop(family: Family): void {
    const { id, accountId } = family.record;
    families.delete(id);
    const ofAccount = familiesOf.get(accountId);
    ofAccount?.delete(family);
    if (ofAccount?.size === 0) familiesOf.delete(accountId);
  }

  const sweepFamilies = createSweep(families, (family, now) => {
    if (family.record.endsAt <= now) drop(family);
  });
  const sweepTokens = createSweep(tokens, (token, now, hash) => {
    if (!isOpen(token.family, now)) tokens.delete(hash);
  });
  const sweepRevoked = createSweep(revoked, (expiresAt, now, id) => {
    if (expiresAt <= now) revoked.delete(id);
  });
  const sweepFloors = createSweep(floors, (floor, now, accountId) => {
    if (floor + LONGEST_LOGIN_MS <= now) floors.delete(accountId);
  });

  function put(family: Family, { hash, idleUntil }: RefreshTokenRecord, predecessor?: Token): void {
    if (tokens.has(hash)) throw new Error('a refresh token was used for two sessions');
    tokens.set(hash, { family, idleUntil, ...(predecessor !== undefined && { predecessor }) });
  }

  function swap(token: Token, { successor, sealedSuccessor, now }: RotationRequest): Rotation {
    put(token.family, successor, token);
    token.used = { at: now, sealedSuccessor };
    // Nobody is given a successor again that has been used itself.
    delete token.predecessor?.used?.sealedSuccessor;
    return { kind: 'rotated', session: token.family.record };
  }

  function again(token: Token, { graceMs, now }: RotationRequest): Rotation {
    const { record } = token.family;
    const sealedSuccessor = repeated(token, graceMs, now);
    if (sealedSuccessor !== undefined) return { kind: 'repeated', session: record, sealedSuccessor };
    drop(token.family);
    return { kind: 'reused', session: record };
  }

  // No method awaits anything: each runs from start to end before another one can.
  return {
    async start(session, refreshToken) {
      const { id, accountId, startedAt } = session;
      sweepFamilies(startedAt);
      sweepTokens(startedAt);
      sweepFloors(startedAt);
      if ((floors.get(accountId) ?? Number.NEGATIVE_INFINITY) >= startedAt) return false;
      if (families.has(id)) throw new Error('a session id was used twice');
      const family: Family = { record: frozen(session) };
      if (refreshToken !== undefined) put(family, refreshToken);
      families.set(id, family);
      const ofAccount = familiesOf.get(accountId) ?? new Set();
      familiesOf.set(accountId, ofAccount.add(family));
      return true;
    },
    async find(id, tokenId, now) {
      const family = families.get(id);
      return family !== undefined && isOpen(family, now) && !revoked.has(tokenId) ? family.record : undefined;
    },
    async list(accountId, now) {
      const records = Array.from(familiesOf.get(accountId) ?? [], ({ record }) => record);
      return records.filter(({ endsAt }) => endsAt > now).sort((a, b) => a.startedAt - b.startedAt);
    },
    async findByRefreshToken(hash, now, graceMs = 0) {
      const token = tokens.get(hash);
      if (token === undefined || !isOpen(token.family, now)) return undefined;
      const isUnused = token.used === undefined;
      const usable = isUnused ? token.idleUntil > now : repeated(token, graceMs, now) !== undefined;
      return { session: token.family.record, usable };
    },
    async rotate(request) {
      const { hash, clientId, now } = request;
      sweepTokens(now);
      sweepFamilies(now);
      const token = tokens.get(hash);
      if (token === undefined || !isOpen(token.family, now) || token.family.record.clientId !== clientId) {
        return { kind: 'refused' };
      }
      if (token.used !== undefined) return again(token, request);
      return token.idleUntil > now ? swap(token, request) : { kind: 'refused' };
    },
    async end(id) {
      const family = families.get(id);
      if (family !== undefined) drop(family);
      return family !== undefined;
    },
    async endAll(accountId, notBefore, exceptId) {
      floors.set(accountId, Math.max(notBefore, floors.get(accountId) ?? notBefore));
      const ended = [...(familiesOf.get(accountId) ?? [])].filter(({ record }) => record.id !== exceptId);
      for (const family of ended) drop(family);
      return ended.map(({ record }) => record.id);
    },
    async revokeToken(tokenId, expiresAt, now) {
      sweepRevoked(now);
      revoked.set(tokenId, Math.max(expiresAt, revoked.get(tokenId) ?? expiresAt));
    },
  };
}

/** What a used token still gets: its successor, within the grace time and as long as that one is unused. */
function repeated({ used }: Token, graceMs: number, now: number): string | undefined {
  return used !== undefined && graceMs > 0 && now < used.at + graceMs ? used.sealedSuccessor : undefined;
}

/** A copy that neither the caller nor a reader can change. */
function frozen(session: SessionRecord): SessionRecord {
  const { amr, scopes, audience } = session;
  return Object.freeze({
    ...session,
    amr: Object.freeze([...amr]),
    ...(scopes !== undefined && { scopes: Object.freeze([...scopes]) }),
    ...(audience !== undefined && { audience: Object.freeze([...audience]) }),
  });
}
