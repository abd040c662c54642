import type { Accounts } from '../accounts/index.ts';
import { DoorwardError } from '../core/index.ts';
import { answering401 } from './answering-401.ts';
import { readBearer } from './bearer.ts';
import { bodyLimits, readJson } from './body.ts';
import { byOwner, RECENTLY } from './by-owner.ts';
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

/**
 * Makes the routes by which the owner of an account ends its sessions and changes its password; the
 * latter asks for a login of the last 15 minutes. Who only acts for the owner, as an API key does, gets 403.
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
    'GET /account/sessions': byOwner(gate, async (_request, _info, { principal, session: { id: current } }) => {
      const sessions = await accounts.sessionsOf(principal.id);
      return json(200, { sessions: sessions.map((session) => ({ ...session, current: session.id === current })) });
    }),
    'DELETE /account/sessions': byOwner(gate, async (_request, info, { principal, session }) => {
      await accounts.revokeAllFor(principal.id, { exceptSessionId: session.id, caller: info });
      return json(200, { message: 'All other sessions ended' });
    }),
    'DELETE /account/sessions/{id}': byOwner(gate, async (_request, info, { principal, params }) => {
      const ended = await accounts.revokeSession(principal.id, params.id ?? '', info);
      if (!ended) throw new DoorwardError('HTTP_NOT_FOUND');
      return json(200, { message: 'Session ended' });
    }),
    'POST /account/password': byOwner(
      gate,
      async (request, info, { principal, session }) => {
        const { current, next } = await readJson(request, bodyLimits.auth);
        await accounts.changePassword(principal.id, { current, next }, { sessionId: session.id, caller: info });
        return json(200, { message: 'Password changed' });
      },
      RECENTLY,
    ),
  };
}
