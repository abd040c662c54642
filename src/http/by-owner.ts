import { DoorwardError, type Session } from '../core/index.ts';
import type { Gate } from './gate.ts';
import type { Access, AuthenticatedOptions, GatedHandler, GuardedHandler } from './gate-options.ts';

/** What an account's owner gets through with. */
export interface OwnAccess extends Access {
  /** The login at which the owner sits. */
  readonly session: Session;
}

/** How recent a login has to be for what changes how an account is protected, in seconds. */
export const RECENT_LOGIN_SECONDS = 900;

/** For {@link byOwner}. */
export const RECENTLY: AuthenticatedOptions = Object.freeze({ maxAuthAgeSeconds: RECENT_LOGIN_SECONDS });

/**
 * Lets the owner of an account through to what protects it, and nobody who only acts for the owner: an API
 * key, a client certificate, an OAuth client or a token of narrowed scopes could make itself a passkey or
 * another key that is narrowed by nothing. They get 403.
 */
export function byOwner(
  gate: Pick<Gate, 'authenticated'>,
  handler: GuardedHandler<OwnAccess>,
  options: AuthenticatedOptions = {},
): GatedHandler {
  return gate.authenticated((request, info, access) => {
    const { session, scopes } = access.principal;
    if (session === undefined || session.clientId !== undefined || scopes !== undefined) {
      throw new DoorwardError('AUTHZ_FORBIDDEN', { problem: 'Requires a login' });
    }
    return handler(request, info, { ...access, session });
  }, options);
}
