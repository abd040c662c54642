import { type Origin, publishAudit, type SessionEnd } from '../../core/index.ts';
import type { Settings } from '../settings.ts';

/** Why and from where a session is ended. */
export interface Ending {
  readonly reason: SessionEnd;
  readonly origin: Origin;
}

/** Tells, once, that a session has ended. */
export async function announceEnd(
  { onSessionEnded }: Settings,
  accountId: string,
  sessionId: string,
  { reason, origin }: Ending,
): Promise<void> {
  publishAudit({ type: 'session.ended', accountId, sessionId, reason, ...origin });
  await onSessionEnded(sessionId, accountId);
}

/** @returns whether there was one. */
export async function endSession(
  settings: Settings,
  accountId: string,
  sessionId: string,
  ending: Ending,
): Promise<boolean> {
  if (!(await settings.sessions.end(sessionId))) return false;
  await announceEnd(settings, accountId, sessionId, ending);
  return true;
}

/** Tells that sessions of an account have ended: all of them, which closes its sockets as well, or all but one. */
export async function announceEnds(
  settings: Settings,
  accountId: string,
  sessionIds: readonly string[],
  ending: Ending,
  exceptId?: string,
): Promise<void> {
  try {
    await Promise.all(sessionIds.map((id) => announceEnd(settings, accountId, id, ending)));
  } finally {
    if (exceptId === undefined) await settings.onRevoked(accountId);
  }
}

/**
 * Ends all sessions of an account, or all but one. Without an exception the account's sockets are closed
 * even if the store fails.
 *
 * @returns how many there were.
 */
export async function endSessions(
  settings: Settings,
  accountId: string,
  ending: Ending,
  exceptId?: string,
): Promise<number> {
  const { sessions, clock } = settings;
  let ended: readonly string[] = [];
  try {
    ended = await sessions.endAll(accountId, clock(), exceptId);
    return ended.length;
  } finally {
    await announceEnds(settings, accountId, ended, ending, exceptId);
  }
}
