import { renderGraphiQL } from '@graphql-yoga/render-graphiql';
import { isDoorwardError } from 'doorward';
import type { Accounts } from 'doorward/accounts';
import { bodyLimits, errorResponse, type Routes, readForm } from 'doorward/http';

const LOGIN_BOX = `<form method="post" action="/graphiql" style="position:fixed;right:1rem;bottom:1rem;z-index:9;padding:.75rem;background:#fff;color:#111;border:1px solid #999">
  <input name="username" placeholder="username" required autocomplete="username">
  <input name="password" type="password" placeholder="password" required autocomplete="current-password">
  <input name="otp" placeholder="code, if you have one" autocomplete="one-time-code">
  <button>Log in</button> NOTE
</form>`;

/** GraphiQL without a network, with a login box: development only. */
export function graphiqlRoutes(accounts: Accounts): Routes {
  const page = (note: string, token?: string) => {
    const connectionParams = token === undefined ? {} : { authorization: `Bearer ${token}` };
    // Spread below, because the type of the options does not know `connectionParams`.
    const headers = { headers: JSON.stringify(connectionParams), connectionParams };
    const html = renderGraphiQL({
      title: 'Doorward example',
      endpoint: '/graphql',
      subscriptionsProtocol: 'WS',
      ...headers,
    });
    return new Response(
      html.replace('<div id="root">', () => `${LOGIN_BOX.replace('NOTE', note)}<div id="root">`),
      {
        headers: { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store', 'x-frame-options': 'DENY' },
      },
    );
  };
  return {
    'GET /graphiql': () => page('anonymous'),
    'POST /graphiql': async (request, info) => {
      const form = await readForm(request, bodyLimits.auth);
      const credentials = { username: form.get('username'), password: form.get('password'), otp: form.get('otp') };
      try {
        const login = await accounts.login(credentials, info);
        return page(`as ${login.account.username}`, login.accessToken);
      } catch (error) {
        return isDoorwardError(error) && error.status === 401
          ? page(error.code === 'AUTH_SECOND_FACTOR_REQUIRED' ? 'code needed' : 'wrong username or password')
          : errorResponse(error);
      }
    },
  };
}
