import type { Subject } from '../core/index.ts';
import type { PublicAccount } from './public-account.ts';
import type { Settings } from './settings.ts';

/** @returns the account as policies see it, with the roles that it holds now; `undefined` when there is none or it is disabled. */
export type FindSubject = (accountId: string) => Promise<Subject | undefined>;

export function createFindSubject({ store }: Settings): FindSubject {
  return async (accountId) => {
    const account = await store.byId(accountId);
    return account === undefined || account.disabled ? undefined : subjectOf(account);
  };
}

type Visible = Pick<PublicAccount, 'id' | 'roles' | 'username' | 'email' | 'department'>;

/** Copies what policies may see, name by name. */
export function subjectOf({ id, roles, username, email, department }: Visible): Subject {
  return {
    id,
    roles,
    attributes: { username, ...(email !== undefined && { email }), ...(department !== undefined && { department }) },
  };
}
