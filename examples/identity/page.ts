import { randomBytes } from 'node:crypto';
import type { Routes } from 'doorward/http';
import { pageScript } from './page-script.ts';

const STYLE = `
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 36rem; margin: 2rem auto; padding: 0 1rem; color: #1b1b1b; background: #fff }
  label { display: block; margin: .75rem 0 } input { font: inherit; width: 100%; box-sizing: border-box; padding: .4rem }
  button { font: inherit; padding: .4rem .9rem; margin: .25rem .25rem .25rem 0 } section { margin-top: 2rem }
  [hidden] { display: none } #status { min-height: 1.5em; color: #8a1c00 } code { overflow-wrap: anywhere } svg { width: 12rem }`;

/** The page on which people sign in and keep their second factors. Its script talks to the JSON routes only. */
export function accountPage(): Routes {
  return {
    'GET /account': () => {
      const nonce = randomBytes(16).toString('base64');
      return new Response(html(nonce), {
        headers: {
          'content-type': 'text/html; charset=utf-8',
          'cache-control': 'no-store',
          'content-security-policy': `default-src 'none'; script-src 'nonce-${nonce}'; style-src 'nonce-${nonce}'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
          'referrer-policy': 'no-referrer',
          'x-content-type-options': 'nosniff',
        },
      });
    },
  };
}

function html(nonce: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Your account</title>
<style nonce="${nonce}">${STYLE}</style>
<h1>Your account</h1>
<p id="status" role="status"></p>

<form id="sign-in">
  <label>Username <input name="username" autocomplete="username webauthn" required></label>
  <label>Password <input name="password" type="password" autocomplete="current-password" required></label>
  <label id="otp-field" hidden>Code of your authenticator app, or a recovery code
    <input name="otp" autocomplete="one-time-code" inputmode="text"></label>
  <button>Sign in</button>
  <button type="button" id="second-passkey" hidden>Use a passkey as second factor</button>
  <button type="button" id="passkey-sign-in">Sign in with a passkey</button>
</form>

<main id="account" hidden>
  <p>Signed in as <b id="who"></b>, with <span id="how"></span>. <button id="sign-out">Sign out</button></p>
  <section>
    <h2>Authenticator app</h2>
    <p id="totp-state"></p>
    <button id="totp-start">Set up an authenticator app</button>
    <button id="totp-remove" hidden>Remove it</button>
    <form id="totp-confirm" hidden>
      <div id="totp-qr"></div>
      <p>Scan the code, or type in <code id="totp-secret"></code>.</p>
      <label>The code that the app shows <input name="otp" autocomplete="one-time-code" required></label>
      <button>Confirm</button>
    </form>
    <div id="recovery" hidden><p>Keep these recovery codes; each works once, and they are not shown again.</p>
      <ul id="recovery-codes"></ul></div>
  </section>
  <section>
    <h2>Passkeys</h2>
    <ul id="passkeys"></ul>
    <button id="passkey-add">Add a passkey</button>
  </section>
  <section>
    <h2>Sessions</h2>
    <ul id="sessions"></ul>
    <button id="end-others">End all others</button>
  </section>
  <section id="applications" hidden>
    <h2>Applications</h2>
    <ul id="consents"></ul>
  </section>
</main>
<script nonce="${nonce}">${pageScript}</script>
</html>`;
}
