// The authorization code flow with PKCE of a public client: RFC 6749, 7636, 8414, 9207 and OpenID Connect Core.
// `storage` is sessionStorage; it holds what one login needs until it comes back, and never a token.

const MOST_CLOCK_SKEW_SECONDS = 30;

const base64url = (bytes) =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
const random = () => base64url(crypto.getRandomValues(new Uint8Array(32)));
const sha256 = async (text) => new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)));
const pendingKey = (state) => `login:${state}`;

/** The endpoints of the issuer. */
export async function discover(issuer) {
  const metadata = await readJson(await ask(`${issuer}/.well-known/openid-configuration`));
  if (metadata.issuer !== issuer) throw new Error('The metadata is of another issuer.');
  if (!metadata.code_challenge_methods_supported?.includes('S256')) throw new Error('The issuer has no PKCE.');
  return metadata;
}

/** Remembers a new login and gives the address at which it begins. */
export async function beginLogin({ metadata, clientId, redirectUri, scope, storage }) {
  const state = random();
  const nonce = random();
  const verifier = random();
  storage.setItem(pendingKey(state), JSON.stringify({ issuer: metadata.issuer, nonce, verifier }));
  const url = new URL(metadata.authorization_endpoint);
  for (const [name, value] of Object.entries({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    scope,
    state,
    nonce,
    code_challenge: base64url(await sha256(verifier)),
    code_challenge_method: 'S256',
  })) {
    url.searchParams.set(name, value);
  }
  return url.href;
}

/**
 * Checks the answer in the address of the callback, and takes the login that it belongs to: the same address does
 * nothing a second time. The state and the issuer are checked before anything else is believed, an error included.
 */
export function finishLogin({ search, issuer, storage }) {
  const answer = new URLSearchParams(search);
  for (const name of new Set(answer.keys())) {
    if (answer.getAll(name).length > 1) throw new Error('The answer names something twice.');
  }
  const key = pendingKey(answer.get('state') ?? '');
  const pending = JSON.parse(storage.getItem(key) ?? 'null');
  storage.removeItem(key);
  if (pending === null) throw new Error('The answer belongs to no login of this tab.');
  if (pending.issuer !== issuer || answer.get('iss') !== issuer) throw new Error('The answer is of another issuer.');
  if (answer.has('error')) throw new Error(`The login was refused: ${answer.get('error')}.`);
  if (!answer.get('code')) throw new Error('The answer has no code.');
  return { code: answer.get('code'), verifier: pending.verifier, nonce: pending.nonce };
}

/** Exchanges the code and checks the id token. */
export async function redeem({ metadata, clientId, redirectUri, login }) {
  const tokens = await requestTokens(metadata, {
    grant_type: 'authorization_code',
    code: login.code,
    redirect_uri: redirectUri,
    client_id: clientId,
    code_verifier: login.verifier,
  });
  await checkIdToken(tokens, { issuer: metadata.issuer, clientId, nonce: login.nonce });
  return tokens;
}

/** Gets new tokens. The answer has the next refresh token; the one that was sent is used up. */
export async function refresh({ metadata, clientId, tokens }) {
  const next = await requestTokens(metadata, {
    grant_type: 'refresh_token',
    refresh_token: tokens.refresh_token,
    client_id: clientId,
  });
  const { sub } = decode(tokens.id_token);
  if (next.id_token && decode(next.id_token).sub !== sub) throw new Error('The tokens are of somebody else.');
  return { ...tokens, ...next };
}

export async function userinfo({ metadata, tokens }) {
  const headers = { authorization: `Bearer ${tokens.access_token}` };
  const claims = await readJson(await ask(metadata.userinfo_endpoint, { headers }));
  if (claims.sub !== decode(tokens.id_token).sub) throw new Error('The claims are of somebody else.');
  return claims;
}

/** Ends the grant: with its refresh token everything that came of it ends too. */
export async function revoke({ metadata, clientId, tokens }) {
  const body = new URLSearchParams({ token: tokens.refresh_token ?? tokens.access_token, client_id: clientId });
  const response = await ask(metadata.revocation_endpoint, { method: 'POST', body });
  if (!response.ok) throw new Error(`The issuer answered ${response.status}.`);
}

/** Reads the claims of a JWT without checking its signature: fit for showing them only. */
export function decode(token) {
  const bytes = atob(token.split('.')[1].replaceAll('-', '+').replaceAll('_', '/'));
  return JSON.parse(new TextDecoder().decode(Uint8Array.from(bytes, (char) => char.charCodeAt(0))));
}

async function requestTokens(metadata, parameters) {
  const body = new URLSearchParams(parameters);
  const tokens = await readJson(await ask(metadata.token_endpoint, { method: 'POST', body }));
  if (String(tokens.token_type).toLowerCase() !== 'bearer') throw new Error('The token type is not known.');
  return tokens;
}

/**
 * OpenID Connect Core section 3.1.3.7. It came from the issuer itself, so TLS stands for its signature (point 6 of
 * that section); a token from anywhere else would need the signature checked.
 */
async function checkIdToken({ id_token: token, access_token: accessToken }, { issuer, clientId, nonce }) {
  if (typeof token !== 'string') throw new Error('The answer has no id token.');
  const claims = decode(token);
  const now = Date.now() / 1_000;
  const hash = base64url((await sha256(accessToken)).slice(0, 16));
  const isGood =
    claims.iss === issuer &&
    claims.aud === clientId &&
    claims.nonce === nonce &&
    claims.exp > now - MOST_CLOCK_SKEW_SECONDS &&
    claims.iat < now + MOST_CLOCK_SKEW_SECONDS &&
    (claims.at_hash === undefined || claims.at_hash === hash);
  if (!isGood) throw new Error('The id token is not for this login.');
}

/** No redirect is followed: it would take a code or a token to an address that the metadata do not name. */
function ask(address, request) {
  return fetch(address, { ...request, redirect: 'error' });
}

async function readJson(response) {
  const body = await response.json().catch(() => ({}));
  if (!response.ok) throw new Error(`The issuer answered ${response.status} ${body.error ?? ''}`.trim());
  return body;
}
