import type { Subject } from '../core/index.ts';
import type { Account } from './ports.ts';
import type { Settings } from './settings.ts';

/** @returns the account as policies see it, with the roles that it holds now; `undefined` when there is none or it is disabled. */
export type FindSubject = (accountId: string) => Promise<Subject | undefined>;

export function createFindSubject({ store }: Settings): FindSubject {
  return async (accountId) => {
    const account = await store.byId(accountId);
    return account === undefined || account.disabled ? undefined : subjectOf(account);
  };
}

/** Copies what policies may see, name by name. */
export function subjectOf({ id, roles, username, email, department }: Account): Subject {
  return {
    id,
    roles,
    attributes: { username, ...(email !== undefined && { email }), ...(department !== undefined && { department }) },
  };
}
