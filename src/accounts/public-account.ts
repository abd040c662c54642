import type { Account } from './ports.ts';

/** An account as its owner and administrators may see it. */
export interface PublicAccount {
  readonly id: string;
  readonly username: string;
  readonly email?: string;
  readonly roles: readonly string[];
  readonly department?: string;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
  readonly disabled: boolean;
}

/** Copies what may be shown, name by name: what is not listed here stays inside. */
export function toPublicAccount(account: Account): PublicAccount {
  return {
    id: account.id,
    username: account.username,
    ...(account.email !== undefined && { email: account.email }),
    roles: [...account.roles],
    ...(account.department !== undefined && { department: account.department }),
    createdAt: new Date(account.createdAt).toISOString(),
    disabled: account.disabled,
  };
}
