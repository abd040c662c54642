import { type Caller, DoorwardError, type LoginFailure, publishAudit } from '../../core/index.ts';
import { originOf } from '../../core/origin.ts';
import type { Account } from '../ports.ts';
import type { StartSession } from '../sessions/start-session.ts';
import type { Settings } from '../settings.ts';
import { type FactorStep, isMissing, refusedFactor } from './factor-step.ts';
import { admit } from './limiter.ts';
import { loginLimits } from './login-limits.ts';
import { checkLoginOptions } from './login-options.ts';
import type { LoginSteps } from './login-steps.ts';
import { createTicketSeal, isSamePassword, type LoginTicket, passwordDigestOf } from './login-ticket.ts';
import type { LogInByPassword } from './password-login.ts';

/** A login in two steps. What the first one proved is in the ticket, so that no store has to remember it. */
export function createLoginSteps(
  settings: Settings,
  { logInByPassword, factorStep, startSession }: LoginParts,
): LoginSteps {
  const { store, limits, clock } = settings;
  const tickets = createTicketSeal(settings.ticketSecret);

  /** The account of a ticket, if what the ticket says still holds. */
  async function accountOf(ticket: LoginTicket, caller: Caller): Promise<Account> {
    const account = await store.byId(ticket.accountId);
    if (account === undefined) throw refused('unknown_account', undefined, caller);
    if (account.disabled) throw refused('disabled', account.id, caller);
    if (!isSamePassword(account, ticket)) throw refused('credentials_changed', account.id, caller);
    return account;
  }

  return {
    async beginLogin(credentials, caller = {}, options = {}) {
      const result = await logInByPassword(credentials, caller, options);
      if (result.kind === 'complete') return result;
      const { account, startedAt, fields } = result;
      const passwordDigest = passwordDigestOf({ passwordHash: await result.rehash() });
      const ticket = tickets.seal({ accountId: account.id, passwordDigest, startedAt });
      return { kind: 'second_factor', fields, ticket };
    },
    async finishLogin(sealed, proofs, caller = {}, options = {}) {
      checkLoginOptions(options, caller);
      const ticket = tickets.open(sealed, clock());
      if (ticket === undefined) throw refused('ticket_invalid', undefined, caller);
      const account = await accountOf(ticket, caller);
      const { id: accountId, username } = account;
      const admission = await admit(limits, loginLimits(username, caller, settings), clock);
      const factor = await factorStep({ accountId, proofs, admission, caller });
      if (isMissing(factor)) throw refusedFactor('second_factor_missing', accountId, caller);
      // A ticket is for a second factor. Without one left to prove, the password has to be given again.
      if (factor.amr.length === 0) throw refused('credentials_changed', accountId, caller);
      const stillHolds = async (current: Account): Promise<boolean> =>
        isSamePassword(current, ticket) && (await factor.stillHolds());
      const { startedAt } = ticket;
      return startSession({ account, amr: ['pwd', ...factor.amr], startedAt, caller, options, stillHolds });
    },
  };
}

/** What a login in one step is made of, too. */
export interface LoginParts {
  readonly logInByPassword: LogInByPassword;
  readonly factorStep: FactorStep;
  readonly startSession: StartSession;
}

function refused(reason: LoginFailure, accountId: string | undefined, caller: Caller): DoorwardError {
  publishAudit({ type: 'login.failed', reason, ...(accountId !== undefined && { accountId }), ...originOf(caller) });
  return new DoorwardError('AUTH_INVALID_CREDENTIALS');
}
