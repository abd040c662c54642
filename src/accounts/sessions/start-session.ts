import { type Caller, DoorwardError, publishAudit } from '../../core/index.ts';
import { originOf } from '../../core/origin.ts';
import { acrOf } from '../login/assurance.ts';
import type { LoginOptions } from '../login/login-options.ts';
import type { Account } from '../ports.ts';
import { type PublicAccount, toPublicAccount } from '../public-account.ts';
import type { Settings } from '../settings.ts';
import { createRefreshToken, hashRefreshToken } from './refresh-token.ts';
import { claimsOf, endOf, type IssuedToken, issueLoginToken } from './session.ts';
import type { SessionRecord } from './session-store.ts';
import { createSessionToken, hashSessionToken } from './session-token.ts';

/** A token and what belongs to it. */
export interface Login extends IssuedToken {
  readonly account: PublicAccount;
  /** The `sid` of all tokens of this login. */
  readonly sessionId: string;
  /** Only when it was asked for. */
  readonly refreshToken?: string;
  /** Only when it was asked for. */
  readonly sessionToken?: string;
}

/** Somebody whose identity has been proved. */
export interface ProvedLogin {
  readonly account: Account;
  readonly amr: readonly string[];
  /** Epoch milliseconds, taken before anything was proved. */
  readonly startedAt: number;
  readonly caller: Caller;
  readonly options: LoginOptions;
  /** Tells whether the proof is good for the account as it is by now. */
  readonly stillHolds: (account: Account) => Promise<boolean>;
}

export type StartSession = (login: ProvedLogin) => Promise<Login>;

/**
 * Starts the session of a login. The account is read once more when the session is there: whoever ends all
 * sessions of an account, because its password changed for example, either finds this one or is seen here,
 * whatever the clocks of several machines say.
 */
export function createStartSession(settings: Settings): StartSession {
  const { store, sessions, clock, refreshIdleSeconds } = settings;

  return async (login) => {
    const { account, caller, options } = login;
    const session = sessionOf(login, settings);
    const refreshToken = options.refreshToken === true ? createRefreshToken() : undefined;
    const sessionToken = options.sessionToken === true ? createSessionToken() : undefined;
    const idleUntil = Math.min(clock() + refreshIdleSeconds * 1_000, session.endsAt);
    const record =
      (refreshToken !== undefined && { hash: hashRefreshToken(refreshToken), idleUntil }) ||
      (sessionToken !== undefined && { hash: hashSessionToken(sessionToken), idleUntil: session.endsAt }) ||
      undefined;
    const start = (startedAt: number): Promise<boolean> => sessions.start({ ...session, startedAt }, record);
    // The sessions may have been ended while the password was hashed; a proof that still holds may start anew.
    const isStarted = (await start(login.startedAt)) || (await start(Math.max(clock(), login.startedAt + 1)));
    const orEnd = async (error: unknown): Promise<never> => {
      if (isStarted) await sessions.end(session.id).catch(() => undefined);
      throw error;
    };
    const current = await store.byId(account.id).catch(orEnd);
    const holds = current !== undefined && !current.disabled && (await login.stillHolds(current).catch(orEnd));
    if (!isStarted || !holds) {
      if (isStarted) await sessions.end(session.id);
      if (holds) throw new DoorwardError('SERVICE_BUSY', { retryAfterSeconds: 1 });
      throw refused(account, current, caller);
    }
    const token = issueLoginToken(settings, claimsOf(current, session, options.includeEmail === true), endOf(session));
    const who = { accountId: account.id, sessionId: session.id, ...originOf(caller) };
    publishAudit({ type: 'login.succeeded', amr: session.amr, ...who });
    publishAudit({ type: 'token.issued', ...who });
    const shown = toPublicAccount(current);
    return {
      ...token,
      account: shown,
      sessionId: session.id,
      ...(refreshToken !== undefined && { refreshToken }),
      ...(sessionToken !== undefined && { sessionToken }),
    };
  };
}

function sessionOf(
  { account, amr, startedAt, caller, options }: ProvedLogin,
  { clock, sessionIds, maxSessionSeconds, refreshAbsoluteSeconds }: Settings,
): SessionRecord {
  const authTime = Math.floor(clock() / 1_000);
  const seconds = options.refreshToken === true ? refreshAbsoluteSeconds : maxSessionSeconds;
  const thumbprint = options.bindToCertificate === true ? caller.certificate?.thumbprint : undefined;
  return {
    id: sessionIds(),
    accountId: account.id,
    ...(options.clientId !== undefined && { clientId: options.clientId }),
    authTime,
    amr: [...new Set(amr)],
    acr: acrOf(amr),
    startedAt,
    endsAt: (authTime + seconds) * 1_000,
    ...(thumbprint !== undefined && { certificateThumbprint: thumbprint }),
  };
}

function refused({ id }: Account, current: Account | undefined, caller: Caller): DoorwardError {
  const reason = current?.disabled === true ? 'disabled' : 'credentials_changed';
  publishAudit({ type: 'login.failed', reason, accountId: id, ...originOf(caller) });
  return new DoorwardError('AUTH_INVALID_CREDENTIALS');
}
