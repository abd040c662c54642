import type { Authenticator } from '../core/index.ts';
import { type Adopt, createAdopt } from './adopt.ts';
import { createPasswordVerbs, type PasswordVerbs } from './change-password.ts';
import { createGrants } from './grants/create-grants.ts';
import type { Grants } from './grants/grants.ts';
import { createLoginSteps } from './login/create-login-steps.ts';
import { createFactorStep } from './login/factor-step.ts';
import { createLogin, createPasswordStep, type LogIn, type PasswordStep } from './login/login.ts';
import type { LoginSteps } from './login/login-steps.ts';
import { createLoginVerified, type LogInVerified } from './login/login-verified.ts';
import { createLoginByPassword } from './login/password-login.ts';
import type { AccountsOptions } from './options.ts';
import { type PublicAccount, toPublicAccount } from './public-account.ts';
import { createRegister, type Register } from './register.ts';
import { createRemove, type Remove } from './remove.ts';
import { createAuthenticate, createIdentify } from './sessions/authenticate.ts';
import { createRefresh, type Refresh } from './sessions/refresh.ts';
import { createRotate, type Rotate } from './sessions/rotate.ts';
import { createSwap } from './sessions/rotation.ts';
import { createSessionControl, type SessionControl } from './sessions/session-control.ts';
import { createStartSession } from './sessions/start-session.ts';
import { readSettings } from './settings.ts';
import { createFindSubject, type FindSubject } from './subject.ts';
import { createUpdates, type Updates } from './update.ts';

/** Every verb on accounts. Each may throw `SERVICE_UNAVAILABLE` when a store fails or is late. */
export interface Accounts extends Updates, SessionControl, PasswordVerbs, LoginSteps {
  /**
   * Adds an account.
   *
   * @throws `INPUT_INVALID` with the `field` at fault, `ACCOUNT_EXISTS`, `HTTP_TOO_MANY_REQUESTS`, `SERVICE_BUSY`.
   */
  readonly register: Register;
  /**
   * Checks a password, and a second factor where one is enrolled, and starts a session. Unknown names,
   * wrong passwords and disabled accounts get the same answer after the same work.
   *
   * @throws `INPUT_INVALID` for what is not text, `AUTH_INVALID_CREDENTIALS`, `AUTH_SECOND_FACTOR_REQUIRED`
   * (only after the right password), `HTTP_TOO_MANY_REQUESTS`, `SERVICE_BUSY`.
   */
  readonly login: LogIn;
  /**
   * Checks a username and a password as a login does, under the same limits, and starts no session: for
   * ceremonies that go on with a second factor. The account is not logged in yet.
   *
   * @throws `INPUT_INVALID`, `AUTH_INVALID_CREDENTIALS`, `HTTP_TOO_MANY_REQUESTS`, `SERVICE_BUSY`.
   */
  readonly checkPassword: PasswordStep;
  /**
   * Starts a session for somebody whose identity a passkey or another trusted ceremony has proved.
   *
   * @throws `INPUT_INVALID`, `AUTH_INVALID_CREDENTIALS` when there is no such account or it is disabled.
   */
  readonly loginVerified: LogInVerified;
  /**
   * Issues a new token for the login of a token that is still good; the old one stays good.
   *
   * @throws `AUTH_NOT_AUTHENTICATED`, also when the login is older than `maxSessionSeconds`.
   */
  readonly refresh: Refresh;
  /**
   * Swaps a refresh token for the next one and a new access token. Parallel and repeated calls within
   * `refreshGraceSeconds` get the same next one; a later use ends the session. Refresh tokens of OAuth grants are
   * refused: `grants.rotate` swaps those.
   *
   * @throws `AUTH_INVALID_GRANT`
   */
  readonly rotate: Rotate;
  /** Turns a token into a principal, with the roles that the store holds now. */
  readonly authenticate: Authenticator;
  /**
   * Turns the verified claims of another issuer's token into a principal. At first sight of its subject an
   * account of its own is made, with `defaultRoles` and without a password; also after its account was removed:
   * `disable` keeps somebody out. Its sessions are the issuer's: only `disable` and the end of the token end them.
   */
  readonly adopt: Adopt;
  /** The account as it may be shown, or `undefined` when there is none. */
  readonly byId: (id: string) => Promise<PublicAccount | undefined>;
  readonly subject: FindSubject;
  readonly remove: Remove;
  /** For `doorward/oauth`: the sessions of its clients. */
  readonly grants: Grants;
}

/**
 * Composes accounts from their stores, a hasher and the two sides of a token.
 *
 * @throws `CONFIG_INVALID` when an option cannot be meant.
 * @example
 * const accounts = createAccounts({ store, limits, sessions, hasher, issuer, verifier, roles: ['admin', 'viewer'] });
 * await accounts.register({ username: 'ada', password, email: 'ada@example.org' });
 * const { accessToken } = await accounts.login({ username: 'ada', password }, { ip: '192.0.2.1' });
 * const authentication = await accounts.authenticate(accessToken);
 */
export function createAccounts(options: AccountsOptions): Accounts {
  const settings = readSettings(options);
  const identify = createIdentify(settings);
  const startSession = createStartSession(settings);
  const factorStep = createFactorStep(settings);
  const logInByPassword = createLoginByPassword(settings, startSession, factorStep);
  const swap = createSwap(settings);
  return {
    register: createRegister(settings),
    login: createLogin(logInByPassword),
    ...createLoginSteps(settings, { logInByPassword, factorStep, startSession }),
    checkPassword: createPasswordStep(settings),
    loginVerified: createLoginVerified(settings, startSession),
    refresh: createRefresh(settings, identify),
    rotate: createRotate(settings, swap),
    authenticate: createAuthenticate(identify),
    adopt: createAdopt(settings),
    byId: async (id) => {
      const account = await settings.store.byId(id);
      return account && toPublicAccount(account);
    },
    subject: createFindSubject(settings),
    ...createSessionControl(settings, identify),
    ...createPasswordVerbs(settings),
    ...createUpdates(settings),
    remove: createRemove(settings),
    grants: createGrants(settings, swap),
  };
}
