import type { Accounts } from '../accounts/index.ts';
import { DoorwardError, type Principal, requireFactor } from '../core/index.ts';
import type { Totp } from '../totp/index.ts';
import type { Passkeys } from '../webauthn/index.ts';
import { bodyLimits, readJson } from './body.ts';
import { byOwner, type OwnAccess, RECENTLY } from './by-owner.ts';
import { durationText } from './duration-text.ts';
import type { Gate } from './gate.ts';
import type { GuardedHandler } from './gate-options.ts';
import type { RequestInfo } from './handler.ts';
import { json } from './responses.ts';
import type { RouteHandler } from './route.ts';

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
 * factors, so that a stolen password cannot remove it. A change ends the account's other sessions. Who
 * only acts for the owner, as an API key does, gets 403.
 *
 * @example
 * const handler = createRouter({ ...accountRoutes(accounts, gate), ...factorRoutes({ accounts, gate, totp, passkeys }) });
 */
export function factorRoutes({ accounts, gate, totp, passkeys }: FactorRoutesOptions): FactorRoutes {
  /** @throws `AUTH_REAUTHENTICATION_REQUIRED` when the account has a factor that the login did not use. */
  async function requireOwnFactor(principal: Principal, info: RequestInfo): Promise<void> {
    const enrolled = (await totp.isEnrolled(principal.id)) || (await passkeys.isEnrolled(principal.id));
    if (enrolled) requireFactor(principal, TWO_FACTORS, info);
  }

  /** What protected the account less ends; the login that made the change goes on. */
  const endOthers = ({ principal, session }: OwnAccess, caller: RequestInfo) =>
    accounts.revokeAllFor(principal.id, { exceptSessionId: session.id, caller });

  async function accountOf({ id }: Principal) {
    const account = await accounts.byId(id);
    if (account === undefined) throw new DoorwardError('AUTH_NOT_AUTHENTICATED');
    return account;
  }

  /** A recent login of the owner, with two factors once there is one, and only then the change. */
  const changing = (change: GuardedHandler<OwnAccess>): RouteHandler =>
    byOwner(
      gate,
      async (request, info, access) => {
        await requireOwnFactor(access.principal, info);
        return change(request, info, access);
      },
      RECENTLY,
    );

  return {
    'GET /account/factors': byOwner(gate, async (_request, _info, { principal: { id } }) => {
      const [status, list] = await Promise.all([totp.status(id), passkeys.list(id)]);
      return json(200, { totp: status, passkeys: list });
    }),

    'POST /account/totp': changing(async (_request, _info, { principal }) =>
      json(200, await totp.enrol(principal.id, (await accountOf(principal)).username)),
    ),

    'POST /account/totp/confirm': changing(async (request, info, access) => {
      const { otp } = await readJson(request, bodyLimits.auth);
      const recoveryCodes = await totp.confirm(access.principal.id, otp, info);
      if (recoveryCodes === undefined) return refuse('otp', 'is not the code of this enrolment');
      await endOthers(access, info);
      return json(200, { recoveryCodes });
    }),

    'POST /account/totp/recovery-codes': changing(async (_request, info, { principal }) => {
      const recoveryCodes = await totp.replaceRecoveryCodes(principal.id, info);
      if (recoveryCodes === undefined) throw new DoorwardError('HTTP_NOT_FOUND');
      return json(200, { recoveryCodes });
    }),

    'DELETE /account/totp': changing(async (_request, info, access) => {
      if (!(await totp.remove(access.principal.id, info))) throw new DoorwardError('HTTP_NOT_FOUND');
      await endOthers(access, info);
      return json(200, { message: 'Authenticator app removed' });
    }),

    'POST /account/passkeys/options': changing(async (_request, _info, { principal }) =>
      json(200, await passkeys.registrationOptions(await accountOf(principal))),
    ),

    'POST /account/passkeys': changing(async (request, info, access) => {
      const { passkey, label } = await readJson(request, bodyLimits.other);
      if (label !== undefined && typeof label !== 'string') return refuse('label', 'must be a string');
      const added = await passkeys.register(access.principal.id, passkey, label, info);
      if (added === undefined) return refuse('passkey', 'is not the credential that was asked for');
      await endOthers(access, info);
      return json(201, added);
    }),

    'DELETE /account/passkeys/{id}': changing(async (_request, info, access) => {
      const { principal, params } = access;
      if (!(await passkeys.remove(principal.id, params.id ?? '', info))) throw new DoorwardError('HTTP_NOT_FOUND');
      await endOthers(access, info);
      return json(200, { message: 'Passkey removed' });
    }),

    // With username and password it asks for the account's own credentials, as the second factor of a login.
    'POST /login/passkey/options': async (request, info) => {
      const body = await readJson(request, bodyLimits.auth, { whenEmpty: {} });
      const account = body.username === undefined ? undefined : await accounts.checkPassword(body, info);
      return json(200, await passkeys.authenticationOptions(account?.id));
    },

    'POST /login/passkey': async (request, info) => {
      const { passkey } = await readJson(request, bodyLimits.other);
      const login = await passkeys.authenticate(passkey, info);
      if (login === undefined) throw new DoorwardError('AUTH_INVALID_CREDENTIALS');
      const { accountId, amr, passkeyId } = login;
      const stillHolds = async () => (await passkeys.list(accountId)).some(({ id }) => id === passkeyId);
      const { accessToken, expiresInSeconds } = await accounts.loginVerified(accountId, { amr, stillHolds }, info);
      const expires_in = durationText(expiresInSeconds);
      return json(200, { access_token: accessToken, token_type: 'Bearer', expires_in });
    },
  };
}

function refuse(field: string, problem: string): never {
  throw new DoorwardError('INPUT_INVALID', { field, problem });
}
