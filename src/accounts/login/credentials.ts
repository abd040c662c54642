import { type Caller, DoorwardError, type LoginFailure, publishAudit } from '../../core/index.ts';
import { originOf } from '../../core/origin.ts';
import { requiredText } from '../input.ts';
import type { Account } from '../ports.ts';
import type { Settings } from '../settings.ts';
import { usernameKey, usernameProblem } from '../username.ts';
import { type Admission, admit } from './limiter.ts';
import { loginLimits } from './login-limits.ts';
import { createCheckPassword } from './password-check.ts';
import { usernameDigest } from './username-digest.ts';

/** What a login brings, among it the proofs of second factors; parsed JSON may be handed in as it is. */
export interface Credentials {
  readonly username?: unknown;
  readonly password?: unknown;
  readonly [field: string]: unknown;
}

/** Somebody whose password was right. The attempt counts until its admission is released. */
export interface PasswordProof {
  readonly account: Account;
  /** As it was read, once. */
  readonly password: string;
  readonly admission: Admission;
}

/** @throws `INPUT_INVALID`, `AUTH_INVALID_CREDENTIALS`, `HTTP_TOO_MANY_REQUESTS`, `SERVICE_BUSY`. */
export type ProvePassword = (credentials: Credentials, caller: Caller) => Promise<PasswordProof>;

type Checked =
  | { readonly ok: true; readonly account: Account }
  | { readonly ok: false; readonly reason: LoginFailure; readonly account: Account | undefined };

/** Checks a username and a password: counted before anything is looked at, and one evaluation of a hash whatever the outcome. */
export function createProvePassword(settings: Settings): ProvePassword {
  const { store, limits, clock, auditSecret } = settings;
  const checkPassword = createCheckPassword(settings);

  async function check(username: string, password: string, caller: Caller): Promise<Checked> {
    const exists = usernameProblem(username) === undefined;
    const account = exists ? await store.byUsernameKey(usernameKey(username)) : undefined;
    const verdict = await checkPassword(password, account, originOf(caller));
    if (account === undefined) return { ok: false, reason: 'unknown_username', account };
    if (verdict === 'corrupt') return { ok: false, reason: 'credential_corrupt', account };
    if (verdict !== 'match') return { ok: false, reason: 'wrong_password', account };
    return account.disabled ? { ok: false, reason: 'disabled', account } : { ok: true, account };
  }

  return async (credentials, caller) => {
    const username = requiredText(credentials, 'username');
    const password = requiredText(credentials, 'password');
    const admission = await admit(limits, loginLimits(username, caller, settings), clock);
    const checked = await check(username, password, caller).catch(async (error: unknown) => {
      await admission.release();
      throw error;
    });
    if (checked.ok) return { account: checked.account, password, admission };
    const { reason, account } = checked;
    const whom =
      account === undefined ? { usernameDigest: usernameDigest(username, auditSecret) } : { accountId: account.id };
    publishAudit({ type: 'login.failed', reason, ...whom, ...originOf(caller) });
    throw new DoorwardError('AUTH_INVALID_CREDENTIALS');
  };
}
