/**
 * What runs in the browser. The token stays in a variable: neither storage nor a cookie holds it, so it is
 * gone with the page. Everything shown is set as text.
 */
export const pageScript: string = `
const find = (id) => document.getElementById(id);
const show = (id, visible) => { find(id).hidden = !visible; };
let token;

async function call(method, path, body) {
  const headers = { ...(token && { authorization: 'Bearer ' + token }), ...(body && { 'content-type': 'application/json' }) };
  const response = await fetch(path, { method, headers, body: body && JSON.stringify(body) });
  const answer = await response.json();
  if (!response.ok) throw Object.assign(new Error(answer.error), { status: response.status });
  return answer;
}

/** Runs what a person asked for, and says how it went. */
function on(id, event, action) {
  find(id).addEventListener(event, async (happened) => {
    happened.preventDefault();
    find('status').textContent = '';
    try {
      await action(happened);
    } catch (error) {
      find('status').textContent = error.message;
    }
  });
}

const field = (form, name) => find(form).elements[name].value;
const claims = () => JSON.parse(atob(token.split('.')[1].replaceAll('-', '+').replaceAll('_', '/')));
const requested = (options) => ({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options) });

async function signedIn(answer) {
  token = answer.access_token;
  find('sign-in').reset();
  show('otp-field', false);
  show('second-passkey', false);
  await refresh();
}

async function signIn(extra) {
  const credentials = { username: field('sign-in', 'username'), password: field('sign-in', 'password'), ...extra };
  try {
    await signedIn(await call('POST', '/login', credentials));
  } catch (error) {
    if (error.message === 'Second factor required') {
      show('otp-field', true);
      show('second-passkey', true);
    }
    throw error;
  }
}

function item(list, text, label, action) {
  const entry = document.createElement('li');
  entry.textContent = text + ' ';
  if (action) {
    const button = document.createElement('button');
    button.textContent = label;
    button.addEventListener('click', () => action().then(refresh).catch((error) => { find('status').textContent = error.message; }));
    entry.append(button);
  }
  find(list).append(entry);
}

async function refresh() {
  const paths = ['/me', '/account/totp', '/account/passkeys', '/account/sessions'];
  const [me, totp, { passkeys }, { sessions }] = await Promise.all(paths.map((path) => call('GET', path)));
  const { amr, acr } = claims();
  find('who').textContent = me.username;
  find('how').textContent = amr.join(' + ') + ' (' + acr + ')';
  find('totp-state').textContent = totp.confirmed ? 'In use; ' + totp.recoveryCodesLeft + ' recovery codes left.' : 'Not set up.';
  show('totp-start', !totp.confirmed);
  show('totp-remove', totp.confirmed);
  find('passkeys').replaceChildren();
  for (const { id, label, createdAt } of passkeys) {
    item('passkeys', label + ', since ' + new Date(createdAt).toLocaleString(), 'Remove', () => call('DELETE', '/account/passkeys/' + id));
  }
  find('sessions').replaceChildren();
  for (const { id, clientId, startedAt, current } of sessions) {
    item('sessions', new Date(startedAt).toLocaleString() + (clientId ? ', ' + clientId : '') + (current ? ', this one' : ''), 'End', current ? undefined : () => call('DELETE', '/account/sessions/' + id));
  }
  // Where another issuer has that role there are none.
  const { consents } = await call('GET', '/account/consents').catch(() => ({ consents: [] }));
  show('applications', consents.length > 0);
  find('consents').replaceChildren();
  for (const { clientId, clientName, scopes } of consents) {
    const may = scopes.map(({ description }) => description).join('; ');
    item('consents', clientName + ' may: ' + may, 'Take back', () => call('DELETE', '/account/consents/' + clientId));
  }
  show('sign-in', false);
  show('account', true);
}

on('sign-in', 'submit', () => {
  const otp = field('sign-in', 'otp');
  return signIn(otp === '' ? {} : { otp });
});
on('second-passkey', 'click', async () => {
  const credentials = { username: field('sign-in', 'username'), password: field('sign-in', 'password') };
  const options = await call('POST', '/login/passkey/options', credentials);
  await signIn({ passkey: (await navigator.credentials.get(requested(options))).toJSON() });
});
on('passkey-sign-in', 'click', async () => {
  const credential = await navigator.credentials.get(requested(await call('POST', '/login/passkey/options', {})));
  await signedIn(await call('POST', '/login/passkey', { passkey: credential.toJSON() }));
});
on('sign-out', 'click', async () => {
  await call('POST', '/logout');
  location.reload();
});
on('totp-start', 'click', async () => {
  const { secret, qr } = await call('POST', '/account/totp');
  find('totp-secret').textContent = secret;
  find('totp-qr').replaceChildren(document.importNode(new DOMParser().parseFromString(qr, 'image/svg+xml').documentElement, true));
  show('totp-confirm', true);
});
on('totp-confirm', 'submit', async () => {
  const { recoveryCodes } = await call('POST', '/account/totp/confirm', { otp: field('totp-confirm', 'otp') });
  find('totp-confirm').reset();
  for (const id of ['totp-secret', 'totp-qr']) find(id).replaceChildren();
  show('totp-confirm', false);
  show('recovery', true);
  find('recovery-codes').replaceChildren();
  for (const code of recoveryCodes) item('recovery-codes', code);
  await refresh();
});
on('totp-remove', 'click', async () => {
  await call('DELETE', '/account/totp');
  show('recovery', false);
  await refresh();
});
on('passkey-add', 'click', async () => {
  const options = PublicKeyCredential.parseCreationOptionsFromJSON(await call('POST', '/account/passkeys/options'));
  const credential = await navigator.credentials.create({ publicKey: options });
  await call('POST', '/account/passkeys', { passkey: credential.toJSON(), label: 'Passkey' });
  await refresh();
});
on('end-others', 'click', async () => {
  await call('DELETE', '/account/sessions');
  await refresh();
});
`;
