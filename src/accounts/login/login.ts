import type { Caller } from '../../core/index.ts';
import { type PublicAccount, toPublicAccount } from '../public-account.ts';
import type { Login } from '../sessions/start-session.ts';
import type { Settings } from '../settings.ts';
import { type Credentials, createProvePassword } from './credentials.ts';
import { refusedFactor } from './factor-step.ts';
import type { LoginOptions } from './login-options.ts';
import type { LogInByPassword } from './password-login.ts';

export type LogIn = (credentials: Credentials, caller?: Caller, options?: LoginOptions) => Promise<Login>;

export function createLogin(logInByPassword: LogInByPassword): LogIn {
  return async (credentials, caller = {}, options = {}) => {
    const result = await logInByPassword(credentials, caller, options);
    if (result.kind === 'second_factor') throw refusedFactor('second_factor_missing', result.account.id, caller);
    return result.login;
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
