import type { Accounts } from '../accounts/index.ts';
import { DoorwardError, type Principal } from '../core/index.ts';
import { answering401 } from './answering-401.ts';
import { readBearer } from './bearer.ts';
import { bodyLimits, readJson } from './body.ts';
import type { Gate } from './gate.ts';
import { json } from './responses.ts';
import type { RouteHandler } from './route.ts';

/** What these routes need of `doorward/accounts`. */
export type SessionAccounts = Pick<
  Accounts,
  'logout' | 'sessionsOf' | 'revokeSession' | 'revokeAllFor' | 'changePassword'
>;

/** The routes that {@link sessionRoutes} makes. */
export type SessionRoutes = Readonly<
  Record<
    | 'POST /logout'
    | 'GET /account/sessions'
    | 'DELETE /account/sessions'
    | 'DELETE /account/sessions/{id}'
    | 'POST /account/password',
    RouteHandler
  >
>;

/** How recent a login has to be for what changes how an account is protected, in seconds. */
export const RECENT_LOGIN_SECONDS = 900;

/**
 * Makes the routes by which the owner of an account ends its sessions and changes its password; the
 * latter asks for a login of the last 15 minutes.
 *
 * @example
 * const handler = createRouter({ ...accountRoutes(accounts, gate), ...sessionRoutes(accounts, gate) });
 */
export function sessionRoutes(accounts: SessionAccounts, gate: Pick<Gate, 'authenticated'>): SessionRoutes {
  return {
    'POST /logout': (request, info) => {
      const bearer = readBearer(request.headers.get('authorization'));
      return answering401({ presented: bearer.kind !== 'none' }, async () => {
        if (bearer.kind !== 'token') throw new DoorwardError('AUTH_NOT_AUTHENTICATED');
        await accounts.logout(bearer.token, info);
        return json(200, { message: 'Logged out' });
      });
    },
    'GET /account/sessions': gate.authenticated(async (_request, _info, { principal }) => {
      const current = principal.session?.id;
      const sessions = await accounts.sessionsOf(principal.id);
      return json(200, { sessions: sessions.map((session) => ({ ...session, current: session.id === current })) });
    }),
    'DELETE /account/sessions': gate.authenticated(async (_request, info, { principal }) => {
      await accounts.revokeAllFor(principal.id, { exceptSessionId: loginOf(principal).id, caller: info });
      return json(200, { message: 'All other sessions ended' });
    }),
    'DELETE /account/sessions/{id}': gate.authenticated(async (_request, info, { principal, params }) => {
      loginOf(principal);
      const ended = await accounts.revokeSession(principal.id, params.id ?? '', info);
      if (!ended) throw new DoorwardError('HTTP_NOT_FOUND');
      return json(200, { message: 'Session ended' });
    }),
    'POST /account/password': gate.authenticated(
      async (request, info, { principal }) => {
        const { current, next } = await readJson(request, bodyLimits.auth);
        const { id: sessionId } = loginOf(principal);
        await accounts.changePassword(principal.id, { current, next }, { sessionId, caller: info });
        return json(200, { message: 'Password changed' });
      },
      { maxAuthAgeSeconds: RECENT_LOGIN_SECONDS },
    ),
  };
}

/**
 * The login behind a request. An API key or a client certificate acts for an account, and is not its owner
 * at the keyboard: it ends no session.
 *
 * @throws `AUTHZ_FORBIDDEN`
 */
function loginOf({ session }: Principal): NonNullable<Principal['session']> {
  if (session === undefined) throw new DoorwardError('AUTHZ_FORBIDDEN', { problem: 'Requires a login' });
  return session;
}
