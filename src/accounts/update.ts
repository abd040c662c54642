import { type Caller, publishAudit } from '../core/index.ts';
import { originOf } from '../core/origin.ts';
import { ownProperty } from '../core/own-property.ts';
import { refuseInput } from './input.ts';
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

/** Changes an account; the answer is the account as it now is, if there is one. */
export type Update<T> = (id: string, value: T, caller?: Caller) => Promise<PublicAccount | undefined>;

export interface Updates {
  /** Changes several properties in one step: all of them, or none when one is refused. */
  readonly update: Update<AccountChanges>;
  readonly setRoles: Update<readonly string[]>;
  readonly setDepartment: Update<string | null>;
  /** Refuses the account's tokens and closes its sockets at once; enabled again, the tokens that have not ended work again. */
  readonly disable: (id: string, caller?: Caller) => Promise<PublicAccount | undefined>;
  readonly enable: (id: string, caller?: Caller) => Promise<PublicAccount | undefined>;
}

const DEPARTMENT = /^[^\p{C}]{1,128}$/u;

export function createUpdates({ store, roles: known, onRevoked }: Settings): Updates {
  const update: Update<AccountChanges> = async (id, changes, caller = {}) => {
    const patch = readChanges(changes, known);
    const account = await store.update(id, patch);
    if (account === undefined) return undefined;
    publishAudit({ type: 'account.updated', accountId: account.id, fields: Object.keys(patch), ...originOf(caller) });
    if (patch.disabled === true) await onRevoked(account.id);
    return toPublicAccount(account);
  };
  return {
    update,
    setRoles: (id, roles, caller) => update(id, { roles }, caller),
    setDepartment: (id, department, caller) => update(id, { department }, caller),
    disable: (id, caller) => update(id, { disabled: true }, caller),
    enable: (id, caller) => update(id, { disabled: false }, caller),
  };
}

function readChanges(changes: AccountChanges, known: readonly string[]): AccountPatch {
  // A property that is there must be meant: `undefined` is refused, not taken for "as it was".
  const given = (name: keyof AccountChanges): boolean => Object.hasOwn(Object(changes), name);
  return {
    ...(given('roles') && { roles: readRoles(ownProperty(changes, 'roles'), known) }),
    ...(given('department') && { department: readDepartment(ownProperty(changes, 'department')) }),
    ...(given('disabled') && { disabled: readFlag(ownProperty(changes, 'disabled')) }),
  };
}

function readRoles(roles: unknown, known: readonly string[]): readonly string[] {
  if (!Array.isArray(roles)) return refuseInput('roles', 'must be a list of known roles');
  const names = new Set<string>(roles);
  for (const name of names) {
    if (!known.includes(name)) refuseInput('roles', 'must be a list of known roles');
  }
  return [...names];
}

function readDepartment(department: unknown): string | null {
  if (department === null || (typeof department === 'string' && DEPARTMENT.test(department))) return department;
  return refuseInput('department', 'must be a name of 1 to 128 characters, or null');
}

function readFlag(disabled: unknown): boolean {
  return typeof disabled === 'boolean' ? disabled : refuseInput('disabled', 'must be true or false');
}
