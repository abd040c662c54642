import { publishAudit } from '../core/index.ts';
import { refuseInput } from './input.ts';
import type { AccountPatch } from './ports.ts';
import { type PublicAccount, toPublicAccount } from './public-account.ts';
import type { Settings } from './settings.ts';

/** Changes one property of an account; the answer is the account as it now is, if there is one. */
export type Update<T> = (id: string, value: T) => Promise<PublicAccount | undefined>;

export interface Updates {
  readonly setRoles: Update<readonly string[]>;
  readonly setDepartment: Update<string | null>;
  readonly setDisabled: Update<boolean>;
}

const DEPARTMENT = /^[^\p{C}]{1,128}$/u;

export function createUpdates({ store, roles: known, onRevoked }: Settings): Updates {
  async function update(id: string, patch: AccountPatch): Promise<PublicAccount | undefined> {
    const account = await store.update(id, patch);
    if (account === undefined) return undefined;
    publishAudit({ type: 'account.updated', accountId: account.id, fields: Object.keys(patch) });
    return toPublicAccount(account);
  }

  return {
    async setRoles(id, roles) {
      if (!Array.isArray(roles) || !roles.every((role) => known.includes(role))) {
        refuseInput('roles', 'must be a list of known roles');
      }
      return update(id, { roles: [...new Set(roles)] });
    },
    async setDepartment(id, department) {
      if (department !== null && !(typeof department === 'string' && DEPARTMENT.test(department))) {
        refuseInput('department', 'must be a name of 1 to 128 characters, or null');
      }
      return update(id, { department });
    },
    async setDisabled(id, disabled) {
      if (typeof disabled !== 'boolean') refuseInput('disabled', 'must be true or false');
      const account = await update(id, { disabled });
      if (account?.disabled) onRevoked(account.id);
      return account;
    },
  };
}
