import { type Origin, publishAudit } from '../../core/index.ts';
import type { PasswordVerdict } from '../../passwords/index.ts';
import type { Account } from '../ports.ts';
import type { Settings } from '../settings.ts';

/** Compares a password with an account's: one evaluation of a hash, whatever the outcome, also without an account. */
export type CheckPassword = (
  password: string,
  account: Account | undefined,
  origin: Origin,
) => Promise<PasswordVerdict>;

export function createCheckPassword({ hasher }: Settings): CheckPassword {
  return async (password, account, origin) => {
    const verdict = await hasher.verify(password, account?.passwordHash);
    if (account === undefined) return 'mismatch';
    if (verdict === 'corrupt') publishAudit({ type: 'credential.corrupt', accountId: account.id, ...origin });
    return verdict;
  };
}
