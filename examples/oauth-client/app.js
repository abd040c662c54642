import { beginLogin, decode, discover, finishLogin, redeem, refresh, revoke, userinfo } from './oauth.js';

const redirectUri = `${location.origin}/callback`;
const byId = (id) => document.getElementById(id);

/** Tokens live in this variable alone: a reload forgets them, and no other script finds them in a storage. */
let tokens;
const { issuer, clientId, scope } = await (await fetch('/config.json')).json();

/** Runs one thing at a time, and tells how it went. */
async function run(words, work) {
  const buttons = [...document.querySelectorAll('button')];
  for (const button of buttons) button.disabled = true;
  byId('status').textContent = words;
  try {
    byId('status').textContent = await work();
  } catch (error) {
    byId('status').textContent = error instanceof Error ? error.message : 'Something went wrong.';
  } finally {
    for (const button of buttons) button.disabled = false;
    show();
  }
}

function show() {
  byId('signed-out').hidden = tokens !== undefined;
  byId('signed-in').hidden = tokens === undefined;
  byId('refresh').hidden = tokens?.refresh_token === undefined;
  if (tokens === undefined) {
    for (const id of ['who', 'access-token', 'id-token', 'userinfo', 'expiry']) byId(id).textContent = '';
    return;
  }
  const claims = decode(tokens.id_token);
  byId('who').textContent = claims.preferred_username ?? claims.sub;
  showJson('access-token', decode(tokens.access_token));
  showJson('id-token', claims);
  showExpiry();
}

function showJson(id, value) {
  byId(id).textContent = JSON.stringify(value, undefined, 2);
}

function showExpiry() {
  if (tokens === undefined) return;
  const seconds = Math.round(decode(tokens.access_token).exp - Date.now() / 1_000);
  byId('expiry').textContent = seconds > 0 ? `It expires in ${seconds} seconds.` : 'It has expired.';
}

const on = (id, words, work) => byId(id).addEventListener('click', () => run(words, work));

on('sign-in', 'Going to the issuer…', async () => {
  location.assign(
    await beginLogin({ metadata: await discover(issuer), clientId, redirectUri, scope, storage: sessionStorage }),
  );
  return 'Going to the issuer…';
});
on('fetch-userinfo', 'Asking…', async () => {
  showJson('userinfo', await userinfo({ metadata: await discover(issuer), tokens }));
  return 'These are your claims.';
});
on('refresh', 'Refreshing…', async () => {
  tokens = await refresh({ metadata: await discover(issuer), clientId, tokens });
  return 'There are new tokens.';
});
on('sign-out', 'Signing out…', async () => {
  const ending = tokens;
  tokens = undefined;
  await revoke({ metadata: await discover(issuer), clientId, tokens: ending });
  return 'Signed out. The tokens are revoked; the issuer still knows you until you sign out there.';
});

setInterval(showExpiry, 1_000);
byId('issuer').textContent = issuer;
show();

if (location.pathname === '/callback') {
  const { search } = location;
  // The code leaves the address, and so the history, before anything is done with it.
  history.replaceState(null, '', '/');
  await run('Signing in…', async () => {
    const login = finishLogin({ search, issuer, storage: sessionStorage });
    tokens = await redeem({ metadata: await discover(issuer), clientId, redirectUri, login });
    return 'Signed in.';
  });
}
byId('app').dataset.ready = 'true';
