import { type Caller, DoorwardError, publishAudit } from '../core/index.ts';
import { originOf } from '../core/origin.ts';
import { newPasswordProblem, passwordProblem } from '../passwords/index.ts';
import { refuseInput, requiredText } from './input.ts';
import { admit } from './login/limiter.ts';
import { loginLimits } from './login/login-limits.ts';
import { createCheckPassword } from './login/password-check.ts';
import type { Account } from './ports.ts';
import { announceEnds, type Ending } from './sessions/end-session.ts';
import type { Settings } from './settings.ts';

/** The password as it is and as it shall be; parsed JSON may be handed in as it is. */
export interface PasswordChange {
  readonly current: unknown;
  readonly next: unknown;
}

type Texts = { readonly [name in keyof PasswordChange]: string };

export interface PasswordVerbs {
  /**
   * Changes a password for somebody who knows it, and ends all other sessions of the account. The current
   * password is guessed under the same limits as at a login.
   *
   * @param options.sessionId the session that asks; it goes on
   * @throws `INPUT_INVALID`, `AUTH_INVALID_CREDENTIALS`, `HTTP_TOO_MANY_REQUESTS`, `SERVICE_BUSY`.
   */
  readonly changePassword: (
    accountId: string,
    change: PasswordChange,
    options?: { readonly sessionId?: string; readonly caller?: Caller },
  ) => Promise<void>;
  /**
   * Sets a password without asking for the former one, for administrators and for recovery, and ends all
   * sessions of the account.
   *
   * @returns whether there is such an account.
   * @throws `INPUT_INVALID`, `SERVICE_BUSY`.
   */
  readonly setPassword: (accountId: string, next: string, caller?: Caller) => Promise<boolean>;
}

/** A rehash or another change may come in between; more than a few in a row do not. */
const ATTEMPTS = 3;

export function createPasswordVerbs(settings: Settings): PasswordVerbs {
  const { store, limits, sessions, hasher, clock, passwordRules } = settings;
  const checkPassword = createCheckPassword(settings);

  function checkRules(next: string, username: string): void {
    const problem = passwordProblem(next, { ...passwordRules, username });
    if (problem !== undefined) refuseInput('next', problem);
  }

  /** The same with the rule `check`, which may ask others; only for whoever may change the password. */
  async function checkAllRules(next: string, username: string): Promise<void> {
    const problem = await newPasswordProblem(next, { ...passwordRules, username });
    if (problem !== undefined) refuseInput('next', problem);
  }

  /**
   * Replaces the hash that was seen. The sessions end before, so that a store that fails leaves no old one behind
   * a new password, and after, for logins in between. Listeners are told at last: one that fails keeps no old
   * password good.
   */
  async function replace(
    { id, passwordHash }: Account,
    hash: string,
    ending: Ending,
    exceptId?: string,
  ): Promise<boolean> {
    const ended: string[] = [];
    const endAll = async () => void ended.push(...(await sessions.endAll(id, clock(), exceptId)));
    try {
      await endAll();
      if (!(await store.replacePasswordHash(id, passwordHash, hash))) return false;
      publishAudit({ type: 'password.changed', accountId: id, ...ending.origin });
      await endAll();
      return true;
    } finally {
      await announceEnds(settings, id, ended, ending, exceptId);
    }
  }

  /** The account, if the password is right. */
  async function verified(accountId: string, { current, next }: Texts, caller: Caller): Promise<Account> {
    const account = await store.byId(accountId);
    if (account === undefined || account.disabled) throw new DoorwardError('AUTH_INVALID_CREDENTIALS');
    checkRules(next, account.username);
    const admission = await admit(limits, loginLimits(account.username, caller, settings), clock);
    const verdict = await checkPassword(current, account, originOf(caller)).catch(async (error: unknown) => {
      await admission.release();
      throw error;
    });
    if (verdict !== 'match') {
      const reason = verdict === 'corrupt' ? 'credential_corrupt' : 'wrong_password';
      publishAudit({ type: 'login.failed', reason, accountId, ...originOf(caller) });
      throw new DoorwardError('AUTH_INVALID_CREDENTIALS');
    }
    await admission.release();
    return account;
  }

  return {
    async changePassword(accountId, change, { sessionId, caller = {} } = {}) {
      const current = requiredText(change, 'current');
      const next = requiredText(change, 'next');
      const ending: Ending = { reason: 'password_changed', origin: originOf(caller) };
      for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
        const account = await verified(accountId, { current, next }, caller);
        await checkAllRules(next, account.username);
        if (await replace(account, await hasher.hash(next), ending, sessionId)) return;
      }
      throw new DoorwardError('SERVICE_BUSY', { retryAfterSeconds: 1 });
    },
    async setPassword(accountId, next, caller = {}) {
      const ending: Ending = { reason: 'password_changed', origin: originOf(caller) };
      for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
        const account = await store.byId(accountId);
        if (account === undefined) return false;
        await checkAllRules(requiredText({ next }, 'next'), account.username);
        if (await replace(account, await hasher.hash(next), ending)) return true;
      }
      throw new DoorwardError('SERVICE_BUSY', { retryAfterSeconds: 1 });
    },
  };
}
