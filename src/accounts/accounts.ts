import type { Authenticator } from '../core/index.ts';
import { createIdentify } from './authenticate.ts';
import { createLogin, type LogIn } from './login.ts';
import { type PublicAccount, toPublicAccount } from './public-account.ts';
import { createRefresh, type Refresh } from './refresh.ts';
import { createRegister, type Register } from './register.ts';
import { createRemove, type Remove } from './remove.ts';
import { type AccountsOptions, readSettings } from './settings.ts';
import { createUpdates, type Updates } from './update.ts';

/** Every verb on accounts. Each may throw `SERVICE_UNAVAILABLE` when a store fails or is late. */
export interface Accounts extends Updates {
  /**
   * Adds an account.
   *
   * @throws `INPUT_INVALID` with the `field` at fault, `ACCOUNT_EXISTS`, `HTTP_TOO_MANY_REQUESTS`, `SERVICE_BUSY`.
   */
  readonly register: Register;
  /**
   * Checks a password and issues a token. Unknown names, wrong passwords and disabled accounts get the
   * same answer after the same work.
   *
   * @throws `INPUT_INVALID` for what is not text, `AUTH_INVALID_CREDENTIALS`, `HTTP_TOO_MANY_REQUESTS`, `SERVICE_BUSY`.
   */
  readonly login: LogIn;
  /**
   * Issues a new token for the login of a token that is still good; the old one stays good.
   *
   * @throws `AUTH_NOT_AUTHENTICATED`, also when the login is older than `maxSessionSeconds`.
   */
  readonly refresh: Refresh;
  /** Turns a token into a principal, with the roles that the store holds now. */
  readonly authenticate: Authenticator;
  readonly byId: (id: string) => Promise<PublicAccount | undefined>;
  readonly remove: Remove;
}

/**
 * Composes accounts from a store, a hasher and the two sides of a token.
 *
 * @throws `CONFIG_INVALID` when an option cannot be meant.
 * @example
 * const accounts = createAccounts({ store, limits, hasher, issuer, verifier, roles: ['admin', 'viewer'] });
 * await accounts.register({ username: 'ada', password, email: 'ada@example.org' });
 * const { accessToken } = await accounts.login({ username: 'ada', password }, { ip: '192.0.2.1' });
 * const authentication = await accounts.authenticate(accessToken);
 */
export function createAccounts(options: AccountsOptions): Accounts {
  const settings = readSettings(options);
  const identify = createIdentify(settings);
  return {
    register: createRegister(settings),
    login: createLogin(settings),
    refresh: createRefresh(settings, identify),
    authenticate: identify,
    byId: async (id) => {
      const account = await settings.store.byId(id);
      return account && toPublicAccount(account);
    },
    ...createUpdates(settings),
    remove: createRemove(settings),
  };
}
