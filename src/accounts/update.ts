import { publishAudit } from '../core/index.ts';
import { refuseInput } from './input.ts';
import { ownField } from './own-field.ts';
import type { AccountPatch } from './ports.ts';
import { type PublicAccount, toPublicAccount } from './public-account.ts';
import type { Settings } from './settings.ts';

/** What may change of an account; parsed JSON may be handed in as it is, and other properties are ignored. */
export interface AccountChanges {
  readonly roles?: unknown;
  /** `null` takes it away. */
  readonly department?: unknown;
  /** A disabled account cannot log in, and its tokens stop working at once. */
  readonly disabled?: unknown;
}

/** Changes one property of an account; the answer is the account as it now is, if there is one. */
export type Update<T> = (id: string, value: T) => Promise<PublicAccount | undefined>;

export interface Updates {
  /** Changes several properties in one step: all of them, or none when one is refused. */
  readonly update: Update<AccountChanges>;
  readonly setRoles: Update<readonly string[]>;
  readonly setDepartment: Update<string | null>;
  readonly setDisabled: Update<boolean>;
}

const DEPARTMENT = /^[^\p{C}]{1,128}$/u;

export function createUpdates({ store, roles: known, onRevoked }: Settings): Updates {
  const update: Update<AccountChanges> = async (id, changes) => {
    const patch = readChanges(changes, known);
    const account = await store.update(id, patch);
    if (account === undefined) return undefined;
    publishAudit({ type: 'account.updated', accountId: account.id, fields: Object.keys(patch) });
    if (patch.disabled === true) onRevoked(account.id);
    return toPublicAccount(account);
  };
  return {
    update,
    setRoles: (id, roles) => update(id, { roles }),
    setDepartment: (id, department) => update(id, { department }),
    setDisabled: (id, disabled) => update(id, { disabled }),
  };
}

function readChanges(changes: AccountChanges, known: readonly string[]): AccountPatch {
  const roles = ownField(changes, 'roles');
  const department = ownField(changes, 'department');
  const disabled = ownField(changes, 'disabled');
  return {
    ...(roles !== undefined && { roles: readRoles(roles, known) }),
    ...(department !== undefined && { department: readDepartment(department) }),
    ...(disabled !== undefined && { disabled: readFlag(disabled) }),
  };
}

function readRoles(roles: unknown, known: readonly string[]): readonly string[] {
  if (Array.isArray(roles) && roles.every((role) => known.includes(role))) return [...new Set<string>(roles)];
  return refuseInput('roles', 'must be a list of known roles');
}

function readDepartment(department: unknown): string | null {
  if (department === null || (typeof department === 'string' && DEPARTMENT.test(department))) return department;
  return refuseInput('department', 'must be a name of 1 to 128 characters, or null');
}

function readFlag(disabled: unknown): boolean {
  return typeof disabled === 'boolean' ? disabled : refuseInput('disabled', 'must be true or false');
}
