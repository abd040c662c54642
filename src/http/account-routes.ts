import type { Accounts, PublicAccount } from '../accounts/index.ts';
import { DoorwardError, type Principal } from '../core/index.ts';
import { answering401 } from './answering-401.ts';
import { readBearer } from './bearer.ts';
import { bodyLimits, readForm, readJson } from './body.ts';
import { durationText } from './duration-text.ts';
import type { Gate } from './gate.ts';
import type { GuardedHandler } from './gate-options.ts';
import type { RequestInfo } from './handler.ts';
import { type BodyKey, json } from './responses.ts';
import type { RouteHandler } from './route.ts';

/** What the routes need of `doorward/accounts`. */
export type RoutedAccounts = Pick<Accounts, 'register' | 'login' | 'refresh' | 'byId'>;

/** The routes that {@link accountRoutes} makes. */
export type AccountRoutes = Readonly<
  Record<'POST /token' | 'GET /users/me' | 'POST /register' | 'POST /login' | 'GET /me' | 'POST /refresh', RouteHandler>
>;

/**
 * Makes the routes of accounts, for a router's table: `POST /token` and `GET /users/me` (form login, 401
 * bodies with `detail`); `POST /register`, `POST /login`, `GET /me` and `POST /refresh` (JSON). A token is
 * read from the `Authorization` header and from nowhere else.
 *
 * @example
 * const handler = createRouter({ ...accountRoutes(accounts, gate), 'GET /health': () => json(200, { status: 'ok' }) });
 */
export function accountRoutes(accounts: RoutedAccounts, gate: Pick<Gate, 'authenticated'>): AccountRoutes {
  async function formLogin(request: Request, info: RequestInfo): Promise<Response> {
    const form = await readForm(request, bodyLimits.auth);
    const credentials = { username: form.get('username'), password: form.get('password'), otp: form.get('otp') };
    return answering401({ bodyKey: 'detail' }, async () => {
      const { accessToken } = await accounts.login(credentials, info);
      return json(200, { access_token: accessToken, token_type: 'bearer' });
    });
  }

  async function jsonLogin(request: Request, info: RequestInfo): Promise<Response> {
    const { username, password, otp, passkey } = await readJson(request, bodyLimits.auth);
    const credentials = { username, password, otp, passkey };
    const { accessToken, expiresInSeconds } = await accounts.login(credentials, info, { includeEmail: true });
    const expires_in = durationText(expiresInSeconds);
    return json(200, { access_token: accessToken, token_type: 'Bearer', expires_in });
  }

  async function register(request: Request, info: RequestInfo): Promise<Response> {
    const { username, password, email } = await readJson(request, bodyLimits.auth);
    if (email === undefined) throw new DoorwardError('INPUT_INVALID', { field: 'email', problem: 'must be a string' });
    const account = await accounts.register({ username, password, email }, info);
    return json(201, { message: 'User registered', username: account.username });
  }

  async function refresh(request: Request, info: RequestInfo): Promise<Response> {
    const bearer = readBearer(request.headers.get('authorization'));
    return answering401({ presented: bearer.kind !== 'none' }, async () => {
      if (bearer.kind !== 'token') throw new DoorwardError('AUTH_NOT_AUTHENTICATED');
      const { accessToken } = await accounts.refresh(bearer.token, info);
      return json(200, { access_token: accessToken, token_type: 'Bearer' });
    });
  }

  /** The account may have gone since its token was checked; who acts without a login, as a service does, may have none. */
  const showing =
    (bodyKey: BodyKey, show: (account: PublicAccount) => object): GuardedHandler =>
    (_request, _info, { principal }) =>
      answering401({ bodyKey, presented: true }, async () => {
        const account = await accounts.byId(principal.id);
        if (account === undefined) throw withoutAccount(principal);
        return json(200, show(account));
      });

  return {
    'POST /token': formLogin,
    'GET /users/me': gate.authenticated(showing('detail', shortRecord), { bodyKey: 'detail' }),
    'POST /register': register,
    'POST /login': jsonLogin,
    'GET /me': gate.authenticated(showing('error', (account) => account)),
    'POST /refresh': refresh,
  };
}

/** No other token would help a client that acts for itself, or a service: it is known, and it is no account. */
function withoutAccount({ session }: Principal): DoorwardError {
  const hasLogin = session !== undefined && session.authTime !== 0;
  return hasLogin
    ? new DoorwardError('AUTH_NOT_AUTHENTICATED')
    : new DoorwardError('AUTHZ_FORBIDDEN', { problem: 'Requires an account' });
}

function shortRecord({ username, email, disabled }: PublicAccount): object {
  return { username, ...(email !== undefined && { email }), disabled };
}
