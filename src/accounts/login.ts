import { DoorwardError, type LoginFailure, publishAudit } from '../core/index.ts';
import type { Caller } from './caller.ts';
import { requiredText } from './input.ts';
import { admit } from './limiter.ts';
import { loginLimits } from './login-limits.ts';
import type { Account } from './ports.ts';
import { type PublicAccount, toPublicAccount } from './public-account.ts';
import { issueLoginToken } from './session.ts';
import type { Settings } from './settings.ts';
import { usernameKey, usernameProblem } from './username.ts';

/** What a login brings; parsed JSON may be handed in as it is. */
export interface Credentials {
  readonly username: unknown;
  readonly password: unknown;
}

export interface LoginOptions {
  /** Puts the account's e-mail address into the token. @default false */
  readonly includeEmail?: boolean;
}

/** A token and what belongs to it. */
export interface Login {
  readonly accessToken: string;
  readonly expiresInSeconds: number;
  readonly account: PublicAccount;
}

export type LogIn = (credentials: Credentials, caller?: Caller, options?: LoginOptions) => Promise<Login>;

type Checked =
  | { readonly ok: true; readonly account: Account }
  | { readonly ok: false; readonly reason: LoginFailure; readonly account: Account | undefined };

export function createLogin(settings: Settings): LogIn {
  const { store, limits, hasher, clock, sessionIds } = settings;

  async function login(credentials: Credentials, caller: Caller = {}, options: LoginOptions = {}): Promise<Login> {
    const username = requiredText(credentials, 'username');
    const password = requiredText(credentials, 'password');
    const from = caller.ip === undefined ? {} : { ip: caller.ip };
    const admission = await admit(limits, loginLimits(username, caller, settings), clock);
    const checked = await check(username, password).catch(async (error: unknown) => {
      await admission.release();
      throw error;
    });
    if (!checked.ok) {
      const { reason, account } = checked;
      publishAudit({ type: 'login.failed', reason, ...(account !== undefined && { accountId: account.id }), ...from });
      throw new DoorwardError('AUTH_INVALID_CREDENTIALS');
    }
    await admission.release();
    const { account } = checked;
    const token = issueLoginToken(settings, {
      sub: account.username,
      uid: account.id,
      auth_time: Math.floor(clock() / 1_000),
      sid: sessionIds(),
      amr: ['pwd'],
      ...(options.includeEmail === true && account.email !== undefined && { email: account.email }),
    });
    publishAudit({ type: 'login.succeeded', accountId: account.id, ...from });
    return { ...token, account: toPublicAccount(account) };
  }

  /** One evaluation of the hash, whatever the outcome. */
  async function check(username: string, password: string): Promise<Checked> {
    const exists = usernameProblem(username) === undefined;
    const account = exists ? await store.byUsernameKey(usernameKey(username)) : undefined;
    const verdict = await hasher.verify(password, account?.passwordHash);
    if (account === undefined) return { ok: false, reason: 'unknown_username', account };
    if (verdict === 'corrupt') {
      publishAudit({ type: 'credential.corrupt', accountId: account.id });
      return { ok: false, reason: 'credential_corrupt', account };
    }
    if (verdict !== 'match') return { ok: false, reason: 'wrong_password', account };
    return account.disabled ? { ok: false, reason: 'disabled', account } : { ok: true, account };
  }

  return login;
}
