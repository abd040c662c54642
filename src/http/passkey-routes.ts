import type { Accounts } from '../accounts/index.ts';
import { DoorwardError } from '../core/index.ts';
import type { Passkeys } from '../webauthn/index.ts';
import { bodyLimits, readJson } from './body.ts';
import { byOwner } from './by-owner.ts';
import { type ChangingFactorsOptions, changingFactors } from './changing-factors.ts';
import { durationText } from './duration-text.ts';
import { json } from './responses.ts';
import type { RouteHandler } from './route.ts';

/** What {@link passkeyRoutes} are made of. */
export interface PasskeyRoutesOptions extends ChangingFactorsOptions {
  readonly accounts: Pick<Accounts, 'byId' | 'checkPassword' | 'loginVerified' | 'revokeAllFor'>;
  readonly passkeys: Passkeys;
}

/** The routes that {@link passkeyRoutes} makes. */
export type PasskeyRoutes = Readonly<
  Record<
    | 'GET /account/passkeys'
    | 'POST /account/passkeys/options'
    | 'POST /account/passkeys'
    | 'DELETE /account/passkeys/{id}'
    | 'POST /login/passkey/options'
    | 'POST /login/passkey',
    RouteHandler
  >
>;

/**
 * Makes the routes by which the owner of an account adds and removes passkeys, and logs in with one. Every
 * change asks for a login of the last 15 minutes, and once any factor is there for one with two factors. A
 * change ends the account's other sessions. Who only acts for the owner, as an API key does, gets 403.
 *
 * @example
 * const handler = createRouter({
 *   ...accountRoutes(accounts, gate),
 *   ...passkeyRoutes({ accounts, gate, passkeys, factors: [passkeys] }),
 * });
 */
export function passkeyRoutes({ passkeys, ...common }: PasskeyRoutesOptions): PasskeyRoutes {
  const { accounts, gate } = common;
  const { changing, endOthers, usernameOf } = changingFactors(common);
  return {
    'GET /account/passkeys': byOwner(gate, async (_request, _info, { principal }) =>
      json(200, { passkeys: await passkeys.list(principal.id) }),
    ),

    'POST /account/passkeys/options': changing(async (_request, _info, { principal: { id } }) =>
      json(200, await passkeys.registrationOptions({ id, username: await usernameOf(id) })),
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
