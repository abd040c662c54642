import { configInvalid } from '../core/config-invalid.ts';
import { type Caller, publishAudit } from '../core/index.ts';
import { originOf } from '../core/origin.ts';
import { isClientSubject } from './grants/grants.ts';
import type { Account } from './ports.ts';
import { toPublicAccount } from './public-account.ts';
import type { Settings } from './settings.ts';

/**
 * @returns whether it was added: `false` when its username is taken.
 * @throws `CONFIG_INVALID` for an id that a client which acts for itself could have.
 */
export type AddAccount = (account: Account, caller: Caller) => Promise<boolean>;

/** Adds an account and tells of it. One that could not be told of is taken back: no account is without its user. */
export function createAddAccount({ store, onRegistered }: Settings): AddAccount {
  return async (account, caller) => {
    if (isClientSubject(account.id)) throw configInvalid('ids', 'must not make ids that stand for an OAuth client');
    if (!(await store.create(account))) return false;
    await onRegistered(toPublicAccount(account)).catch(async (error: unknown) => {
      await store.remove(account.id).catch(() => undefined);
      throw error;
    });
    const { id: accountId, username } = account;
    publishAudit({ type: 'account.registered', accountId, username, ...originOf(caller) });
    return true;
  };
}
