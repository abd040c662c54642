import { createHash, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ClientMetadata } from 'doorward/oauth';
import { type Answer, type Service, startService } from './harness.ts';
import { type Credentials, type Visitor, visitor } from './visitor.ts';

export const SECRET_OF_WEB = 'web-4Jd8sK2mPq7Rt9Vx3Zb6Nc1Lf5Hg0Wy';
export const SCOPE = 'openid profile email offline_access create update delete manage_users ml.predict';

const assertionKey = generateKeyPairSync('ec', { namedCurve: 'P-256' });
/** The key of the client `signed`. */
export const signedKey: { readonly publicKey: KeyObject; readonly privateKey: KeyObject } = assertionKey;

const redirect_uris = ['http://localhost:3000/callback'];
/** One client for every way to be one. */
export const clients: readonly ClientMetadata[] = [
  {
    client_id: 'spa',
    client_name: 'A single-page client',
    token_endpoint_auth_method: 'none',
    redirect_uris,
    scope: SCOPE,
  },
  {
    client_id: 'native',
    application_type: 'native',
    token_endpoint_auth_method: 'none',
    redirect_uris: ['http://127.0.0.1/cb', 'http://[::1]/cb', 'http://localhost/cb', 'org.example.app:/cb'],
    scope: 'openid profile',
  },
  {
    client_id: 'web',
    client_name: 'A web application',
    token_endpoint_auth_method: 'client_secret_basic',
    client_secret: SECRET_OF_WEB,
    redirect_uris: [...redirect_uris, 'http://localhost:3000/second?kept=yes'],
    grant_types: ['authorization_code', 'refresh_token', 'client_credentials'],
    scope: SCOPE,
    roles: ['editor'],
    introspects: 'resource',
  },
  {
    client_id: 'poster',
    token_endpoint_auth_method: 'client_secret_post',
    client_secret_hash: createHash('sha256').update(SECRET_OF_WEB).digest('base64url'),
    redirect_uris,
    grant_types: ['authorization_code'],
    scope: 'openid create',
  },
  {
    client_id: 'signed',
    token_endpoint_auth_method: 'private_key_jwt',
    jwks: { keys: [{ ...assertionKey.publicKey.export({ format: 'jwk' }), kid: 'k1', alg: 'ES256', use: 'sig' }] },
    redirect_uris,
    grant_types: ['authorization_code', 'refresh_token', 'client_credentials'],
    scope: SCOPE,
  },
  {
    client_id: 'bound',
    token_endpoint_auth_method: 'none',
    dpop_bound_access_tokens: true,
    redirect_uris,
    scope: 'openid create',
  },
  { client_id: 'ours', token_endpoint_auth_method: 'none', consent: 'implied', redirect_uris, scope: 'openid profile' },
];

/** The example server with these clients. */
export interface Desk extends Omit<Service, 'token'> {
  /** The first-party token of a demo account. */
  readonly loginTokenOf: Service['token'];
  /** The address of an authorization request; the defaults make a good one of the client `spa`. */
  authorizeUrl(changes?: Readonly<Record<string, string | undefined>>): URL;
  /** Runs the browser's part. @returns where the browser is sent. */
  authorize(
    changes?: Readonly<Record<string, string | undefined>>,
    as?: Partial<Credentials>,
    who?: Visitor,
  ): Promise<URL>;
  token(
    fields: Readonly<Record<string, string | undefined>>,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Answer>;
  /** A whole flow of the client `spa`. */
  grant(changes?: Readonly<Record<string, string | undefined>>, as?: Partial<Credentials>): Promise<Answer>;
  introspect(token: string, headers?: Readonly<Record<string, string>>): Promise<Answer>;
}

/** RFC 7636, appendix B. */
export const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
export const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';

export async function openDesk(env: Record<string, string> = {}, more: readonly ClientMetadata[] = []): Promise<Desk> {
  const folder = mkdtempSync(join(tmpdir(), 'doorward-'));
  const CLIENTS_FILE = join(folder, 'clients.json');
  writeFileSync(CLIENTS_FILE, JSON.stringify([...clients, ...more]));
  const service = await startService({ CLIENTS_FILE, ...env });
  rmSync(folder, { recursive: true });

  const post = (
    path: string,
    fields: Readonly<Record<string, string | undefined>>,
    headers: Readonly<Record<string, string>> = {},
  ) => service.fetch(path, { method: 'POST', body: new URLSearchParams(given(fields)), headers });
  const desk: Desk = {
    ...service,
    loginTokenOf: service.token,
    authorizeUrl(changes: Readonly<Record<string, string | undefined>> = {}) {
      const url = new URL('/authorize', service.url);
      const request = {
        response_type: 'code',
        client_id: 'spa',
        redirect_uri: 'http://localhost:3000/callback',
        scope: 'openid profile email',
        state: randomBytes(8).toString('hex'),
        code_challenge: CHALLENGE,
        code_challenge_method: 'S256',
        ...changes,
      };
      for (const [name, value] of Object.entries(given(request))) url.searchParams.append(name, value);
      return url;
    },
    authorize: (changes = {}, as = {}, who = visitor()) => who.authorize(desk.authorizeUrl(changes), as),
    token: (fields, headers) => post('/oauth/token', fields, headers),
    async grant(changes = {}, as = {}) {
      const code = (await desk.authorize(changes, as)).searchParams.get('code') ?? '';
      const { client_id = 'spa', redirect_uri = 'http://localhost:3000/callback' } = changes;
      return desk.token({ grant_type: 'authorization_code', code, client_id, redirect_uri, code_verifier: VERIFIER });
    },
    introspect: (token, headers = basic('web', SECRET_OF_WEB)) => post('/oauth/introspect', { token }, headers),
  };
  return desk;
}

export function basic(id: string, secret: string): Record<string, string> {
  return { authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}` };
}

function given(fields: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
