import { DoorwardError } from '../core/index.ts';
import type { Totp } from '../totp/index.ts';
import { bodyLimits, readJson } from './body.ts';
import { byOwner } from './by-owner.ts';
import { type ChangingFactorsOptions, changingFactors } from './changing-factors.ts';
import { json } from './responses.ts';
import type { RouteHandler } from './route.ts';

/** What {@link totpRoutes} are made of. */
export interface TotpRoutesOptions extends ChangingFactorsOptions {
  readonly totp: Totp;
}

/** The routes that {@link totpRoutes} makes. */
export type TotpRoutes = Readonly<
  Record<
    | 'GET /account/totp'
    | 'POST /account/totp'
    | 'POST /account/totp/confirm'
    | 'POST /account/totp/recovery-codes'
    | 'DELETE /account/totp',
    RouteHandler
  >
>;

/**
 * Makes the routes by which the owner of an account sets up an authenticator app and takes it away. Every
 * change asks for a login of the last 15 minutes, and once any factor is there for one with two factors. A
 * change ends the account's other sessions. Who only acts for the owner, as an API key does, gets 403.
 *
 * @example
 * const handler = createRouter({
 *   ...accountRoutes(accounts, gate),
 *   ...totpRoutes({ accounts, gate, totp, factors: [totp] }),
 * });
 */
export function totpRoutes({ totp, ...common }: TotpRoutesOptions): TotpRoutes {
  const { changing, endOthers, usernameOf } = changingFactors(common);
  return {
    'GET /account/totp': byOwner(common.gate, async (_request, _info, { principal }) =>
      json(200, await totp.status(principal.id)),
    ),

    'POST /account/totp': changing(async (_request, _info, { principal }) =>
      json(200, await totp.enrol(principal.id, await usernameOf(principal.id))),
    ),

    'POST /account/totp/confirm': changing(async (request, info, access) => {
      const { otp } = await readJson(request, bodyLimits.auth);
      const recoveryCodes = await totp.confirm(access.principal.id, otp, info);
      if (recoveryCodes === undefined) {
        throw new DoorwardError('INPUT_INVALID', { field: 'otp', problem: 'is not the code of this enrolment' });
      }
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
  };
}
