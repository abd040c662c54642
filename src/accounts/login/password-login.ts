import type { Caller } from '../../core/index.ts';
import { originOf } from '../../core/origin.ts';
import type { Account } from '../ports.ts';
import type { Login, StartSession } from '../sessions/start-session.ts';
import type { Settings } from '../settings.ts';
import { type Credentials, createProvePassword } from './credentials.ts';
import { type FactorStep, isMissing } from './factor-step.ts';
import { checkLoginOptions, type LoginOptions } from './login-options.ts';
import { createCheckPassword } from './password-check.ts';
import { createRehash } from './rehash.ts';

/** A login, or, when only the second factor is missing, what has been proved so far. */
export type PasswordLogin =
  | { readonly kind: 'complete'; readonly login: Login }
  | {
      readonly kind: 'second_factor';
      /** Of which one has to carry a proof. */
      readonly fields: readonly string[];
      readonly account: Account;
      /** Epoch milliseconds, taken before the password was looked at. */
      readonly startedAt: number;
      /** Brings the password hash up to date. @returns the hash that the password is right for now. */
      readonly rehash: () => Promise<string>;
    };

export type LogInByPassword = (
  credentials: Credentials,
  caller: Caller,
  options: LoginOptions,
) => Promise<PasswordLogin>;

/** What a login in one step and the first of two steps have in common: everything but the answer to a missing factor. */
export function createLoginByPassword(
  settings: Settings,
  startSession: StartSession,
  factorStep: FactorStep,
): LogInByPassword {
  const { clock } = settings;
  const provePassword = createProvePassword(settings);
  const checkPassword = createCheckPassword(settings);
  const rehash = createRehash(settings);

  return async (credentials, caller, options) => {
    checkLoginOptions(options, caller);
    const origin = originOf(caller);
    const startedAt = clock();
    const { account, password, admission } = await provePassword(credentials, caller);
    const factor = await factorStep({ accountId: account.id, proofs: credentials, admission, caller });
    const update = () => rehash(account, password, origin);
    if (isMissing(factor)) return { kind: 'second_factor', ...factor, account, startedAt, rehash: update };
    const stillHolds = async (current: Account): Promise<boolean> =>
      (current.passwordHash === account.passwordHash || (await checkPassword(password, current, origin)) === 'match') &&
      (await factor.stillHolds());
    const login = await startSession({ account, amr: ['pwd', ...factor.amr], startedAt, caller, options, stillHolds });
    await update();
    return { kind: 'complete', login };
  };
}
