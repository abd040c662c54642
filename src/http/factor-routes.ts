import type { Accounts } from '../accounts/index.ts';
import { DoorwardError, type Principal, requireFactor } from '../core/index.ts';
import type { Totp } from '../totp/index.ts';
import type { Passkeys } from '../webauthn/index.ts';
import { bodyLimits, readJson } from './body.ts';
import type { Gate } from './gate.ts';
import { json } from './responses.ts';
import type { RouteHandler } from './route.ts';
import { RECENT_LOGIN_SECONDS } from './session-routes.ts';

/** What these routes are made of. */
export interface FactorRoutesOptions {
  readonly accounts: Pick<Accounts, 'byId' | 'checkPassword' | 'loginVerified' | 'revokeAllFor'>;
  readonly gate: Pick<Gate, 'authenticated'>;
  readonly totp: Totp;
  readonly passkeys: Passkeys;
}

/** The routes that {@link factorRoutes} makes. */
export type FactorRoutes = Readonly<
  Record<
    | 'GET /account/factors'
    | 'POST /account/totp'
    | 'POST /account/totp/confirm'
    | 'POST /account/totp/recovery-codes'
    | 'DELETE /account/totp'
    | 'POST /account/passkeys/options'
    | 'POST /account/passkeys'
    | 'DELETE /account/passkeys/{id}'
    | 'POST /login/passkey/options'
    | 'POST /login/passkey',
    RouteHandler
  >
>;

/** The class of a login with two factors, as accounts write it into `acr`. */
const TWO_FACTORS = ['aal2'];

/**
 * Makes the routes by which the owner of an account adds and removes second factors, and logs in with a
 * passkey. Every change asks for a login of the last 15 minutes, and once a factor is there for one with two
 * factors, so that a stolen password cannot remove it. A change ends the account's other sessions.
 *
 * @example
 * const handler = createRouter({ ...accountRoutes(accounts, gate), ...factorRoutes({ accounts, gate, totp, passkeys }) });
 */
export function factorRoutes({ accounts, gate, totp, passkeys }: FactorRoutesOptions): FactorRoutes {
  const recently = { maxAuthAgeSeconds: RECENT_LOGIN_SECONDS };

  /** @throws `AUTH_REAUTHENTICATION_REQUIRED` when the account has a factor that the login did not use. */
  async function requireOwnFactor(principal: Principal): Promise<void> {
    const enrolled = (await totp.isEnrolled(principal.id)) || (await passkeys.isEnrolled(principal.id));
    if (enrolled) requireFactor(principal, TWO_FACTORS);
  }

  /** What protected the account less ends; the login that made the change goes on. */
  const endOthers = ({ id, session }: Principal) =>
    accounts.revokeAllFor(id, session === undefined ? {} : { exceptSessionId: session.id });

  async function accountOf({ id }: Principal) {
    const account = await accounts.byId(id);
    if (account === undefined) throw new DoorwardError('AUTH_NOT_AUTHENTICATED');
    return account;
  }

  return {
    'GET /account/factors': gate.authenticated(async (_request, _info, { principal: { id } }) => {
      const [status, list] = await Promise.all([totp.status(id), passkeys.list(id)]);
      return json(200, { totp: status, passkeys: list });
    }),

    'POST /account/totp': gate.authenticated(async (_request, _info, { principal }) => {
      await requireOwnFactor(principal);
      return json(200, await totp.enrol(principal.id, (await accountOf(principal)).username));
    }, recently),

    'POST /account/totp/confirm': gate.authenticated(async (request, _info, { principal }) => {
      const { otp } = await readJson(request, bodyLimits.auth);
      await requireOwnFactor(principal);
      const recoveryCodes = await totp.confirm(principal.id, otp);
      if (recoveryCodes === undefined) return refuse('otp', 'is not the code of this enrolment');
      await endOthers(principal);
      return json(200, { recoveryCodes });
    }, recently),

    'POST /account/totp/recovery-codes': gate.authenticated(async (_request, _info, { principal }) => {
      await requireOwnFactor(principal);
      const recoveryCodes = await totp.replaceRecoveryCodes(principal.id);
      if (recoveryCodes === undefined) throw new DoorwardError('HTTP_NOT_FOUND');
      return json(200, { recoveryCodes });
    }, recently),

    'DELETE /account/totp': gate.authenticated(async (_request, _info, { principal }) => {
      await requireOwnFactor(principal);
      if (!(await totp.remove(principal.id))) throw new DoorwardError('HTTP_NOT_FOUND');
      await endOthers(principal);
      return json(200, { message: 'Authenticator app removed' });
    }, recently),

    'POST /account/passkeys/options': gate.authenticated(async (_request, _info, { principal }) => {
      await requireOwnFactor(principal);
      return json(200, await passkeys.registrationOptions(await accountOf(principal)));
    }, recently),

    'POST /account/passkeys': gate.authenticated(async (request, _info, { principal }) => {
      const { passkey, label } = await readJson(request, bodyLimits.other);
      if (label !== undefined && typeof label !== 'string') return refuse('label', 'must be a string');
      await requireOwnFactor(principal);
      const added = await passkeys.register(principal.id, passkey, label);
      if (added === undefined) return refuse('passkey', 'is not the credential that was asked for');
      await endOthers(principal);
      return json(201, added);
    }, recently),

    'DELETE /account/passkeys/{id}': gate.authenticated(async (_request, _info, { principal, params }) => {
      await requireOwnFactor(principal);
      if (!(await passkeys.remove(principal.id, params.id ?? ''))) throw new DoorwardError('HTTP_NOT_FOUND');
      await endOthers(principal);
      return json(200, { message: 'Passkey removed' });
    }, recently),

    // With username and password it asks for the account's own credentials, as the second factor of a login.
    'POST /login/passkey/options': async (request, info) => {
      const body = await readJson(request, bodyLimits.auth, { whenEmpty: {} });
      const account = body.username === undefined ? undefined : await accounts.checkPassword(body, info);
      return json(200, await passkeys.authenticationOptions(account?.id));
    },

    'POST /login/passkey': async (request, info) => {
      const { passkey } = await readJson(request, bodyLimits.other);
      const login = await passkeys.authenticate(passkey);
      if (login === undefined) throw new DoorwardError('AUTH_INVALID_CREDENTIALS');
      const { accessToken, expiresInSeconds } = await accounts.loginVerified(login.accountId, login, info);
      return json(200, { access_token: accessToken, token_type: 'Bearer', expires_in: expiresInSeconds });
    },
  };
}

function refuse(field: string, problem: string): never {
  throw new DoorwardError('INPUT_INVALID', { field, problem });
}
