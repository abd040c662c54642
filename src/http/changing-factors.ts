import type { Accounts, SecondFactor } from '../accounts/index.ts';
import { DoorwardError, requireFactor } from '../core/index.ts';
import { byOwner, type OwnAccess, RECENTLY } from './by-owner.ts';
import type { Gate } from './gate.ts';
import type { GuardedHandler } from './gate-options.ts';
import type { RequestInfo } from './handler.ts';
import type { RouteHandler } from './route.ts';

/** What the routes of every second factor need. */
export interface ChangingFactorsOptions {
  readonly accounts: Pick<Accounts, 'byId' | 'revokeAllFor'>;
  readonly gate: Pick<Gate, 'authenticated'>;
  /** All second factors, as `createAccounts` has them: with any of them in use, a change asks for two. */
  readonly factors: readonly SecondFactor[];
}

/** What changing a second factor has in common, whichever it is. */
export interface ChangingFactors {
  /** A recent login of the owner, with two factors once there is one, and only then the change. */
  readonly changing: (change: GuardedHandler<OwnAccess>) => RouteHandler;
  /** Ends what a change may have been made against; the login that made it goes on. */
  readonly endOthers: (access: OwnAccess, caller: RequestInfo) => Promise<unknown>;
  /** @throws `AUTH_NOT_AUTHENTICATED` when the account has gone since its token was checked. */
  readonly usernameOf: (accountId: string) => Promise<string>;
}

/** The class of a login with two factors, as accounts write it into `acr`. */
const TWO_FACTORS = ['aal2'];

export function changingFactors({ accounts, gate, factors }: ChangingFactorsOptions): ChangingFactors {
  /** A stolen password must neither take a factor away nor put another one beside it. */
  async function requireOwnFactor({ principal }: OwnAccess, info: RequestInfo): Promise<void> {
    const enrolled = await Promise.all(factors.map((factor) => factor.isEnrolled(principal.id)));
    if (enrolled.some((isEnrolled) => isEnrolled !== false)) requireFactor(principal, TWO_FACTORS, info);
  }

  return {
    changing: (change) =>
      byOwner(
        gate,
        async (request, info, access) => {
          await requireOwnFactor(access, info);
          return change(request, info, access);
        },
        RECENTLY,
      ),
    endOthers: ({ principal, session }, caller) =>
      accounts.revokeAllFor(principal.id, { exceptSessionId: session.id, caller }),
    async usernameOf(accountId) {
      const account = await accounts.byId(accountId);
      if (account === undefined) throw new DoorwardError('AUTH_NOT_AUTHENTICATED');
      return account.username;
    },
  };
}
