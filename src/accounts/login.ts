import { type Caller, DoorwardError, publishAudit } from '../core/index.ts';
import { originOf } from '../core/origin.ts';
import { type Credentials, createProvePassword } from './credentials.ts';
import { checkLoginOptions, type LoginOptions } from './login-options.ts';
import { createCheckPassword } from './password-check.ts';
import type { Account } from './ports.ts';
import { type PublicAccount, toPublicAccount } from './public-account.ts';
import { createRehash } from './rehash.ts';
import { checkFactors, enrolledFactors } from './second-factor-check.ts';
import type { Settings } from './settings.ts';
import type { Login, StartSession } from './start-session.ts';

export type LogIn = (credentials: Credentials, caller?: Caller, options?: LoginOptions) => Promise<Login>;

export function createLogin(settings: Settings, startSession: StartSession): LogIn {
  const { clock } = settings;
  const provePassword = createProvePassword(settings);
  const checkPassword = createCheckPassword(settings);
  const rehash = createRehash(settings);

  return async (credentials, caller = {}, options = {}) => {
    checkLoginOptions(options, caller);
    const origin = originOf(caller);
    const startedAt = clock();
    const { account, password, admission } = await provePassword(credentials, caller);
    const enrolled = await enrolledFactors(account.id, settings).catch(async (error: unknown) => {
      await admission.release();
      throw error;
    });
    // A proof that could not be judged in time counts: it may have been judged all the same.
    const factor = await checkFactors(account.id, credentials, enrolled, settings, caller);
    if (factor.kind !== 'wrong') await admission.release();
    if (factor.kind !== 'proved') {
      const reason = factor.kind === 'missing' ? 'second_factor_missing' : 'second_factor_wrong';
      publishAudit({ type: 'login.failed', reason, accountId: account.id, ...origin });
      throw new DoorwardError('AUTH_SECOND_FACTOR_REQUIRED');
    }
    /** Whoever enrols a factor meanwhile and ends the other sessions either finds this one or is seen here. */
    const stillHolds = async (current: Account): Promise<boolean> =>
      (current.passwordHash === account.passwordHash || (await checkPassword(password, current, origin)) === 'match') &&
      (enrolled.length > 0 || (await enrolledFactors(account.id, settings)).length === 0);
    const amr = ['pwd', ...factor.amr];
    const started = await startSession({ account, amr, startedAt, caller, options, stillHolds });
    await rehash(account, password, origin);
    return started;
  };
}

/** @returns the account whose password it is. */
export type PasswordStep = (credentials: Credentials, caller?: Caller) => Promise<PublicAccount>;

/** The first step of a login alone. */
export function createPasswordStep(settings: Settings): PasswordStep {
  const provePassword = createProvePassword(settings);
  return async (credentials, caller = {}) => {
    const { account, admission } = await provePassword(credentials, caller);
    await admission.release();
    return toPublicAccount(account);
  };
}
