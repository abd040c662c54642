import { createHash, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';
import type { AuditEvent } from 'doorward';
import { type AccountStore, createAccounts, type Grants, type SessionRecord } from 'doorward/accounts';
import type { Client, CodeRecord, CodeStore } from 'doorward/oauth';
import { createBcryptHasher } from 'doorward/passwords';
import {
  createMemoryAccountStore,
  createMemoryCodeStore,
  createMemoryOnceStore,
  createMemoryRateLimitStore,
  createMemorySessionStore,
} from 'doorward/stores/memory';
import { createTokenIssuer, createTokenVerifier, privateKey, secretKey } from 'doorward/tokens';
import { endpointUrls } from '../../../src/oauth/endpoints.ts';
import { OAuthError } from '../../../src/oauth/oauth-error.ts';
import type { AuthenticateClient, DpopVerifier } from '../../../src/oauth/parts.ts';
import type { Settings } from '../../../src/oauth/settings.ts';
import { createTokenEndpoint } from '../../../src/oauth/token/token-endpoint.ts';
import { heardEvents } from '../../audit/heard-events.ts';

export const START: number = Date.UTC(2026, 0, 1, 12);
export const ISSUER = 'https://login.example.org';
export const API = 'https://api.example.org';
export const REPORTS = 'https://reports.example.org';
export const CALLBACK = 'https://app.example.org/callback';
/** The verifier and the challenge of RFC 7636 appendix B. */
export const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
export const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';

const keys: { readonly privateKey: KeyObject; readonly publicKey: KeyObject } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
});
export const signingKey: KeyObject = keys.privateKey;
export const publicSigningKey: KeyObject = keys.publicKey;
const active = privateKey(signingKey, { kid: 'k1' });
const secret = secretKey('kE2v9pXr7QmZt4Ls8WnYb3Hd6Jc1Gf5A');
const hasher = createBcryptHasher({ cost: 4, workers: 1 });

/** The login at the server that all codes come of. */
export const LOGIN: SessionRecord = {
  id: 'login',
  accountId: 'id-ada',
  authTime: START / 1_000 - 60,
  amr: ['pwd', 'otp'],
  acr: 'aal2',
  startedAt: START - 60_000,
  endsAt: START + 2_592_000_000,
};

export interface TokenAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface TokenWorld {
  readonly settings: Settings;
  readonly time: { now: number };
  readonly audit: AuditEvent[];
  readonly errors: unknown[];
  readonly accounts: AccountStore;
  /** Posts a form; a client is who `client_id` says. */
  post(form: Readonly<Record<string, string>> | string, options?: PostOptions): Promise<TokenAnswer>;
  /** Stores a code. */
  putCode(record?: Partial<CodeRecord>): Promise<string>;
  /** Redeems a code as its client does. */
  redeem(code: string, changes?: Readonly<Record<string, string>>, options?: PostOptions): Promise<TokenAnswer>;
  refresh(token: unknown, changes?: Readonly<Record<string, string>>, options?: PostOptions): Promise<TokenAnswer>;
  /** Whether an access token still has its grant. */
  isLive(accessToken: unknown): Promise<boolean>;
}

export interface PostOptions {
  readonly dpop?: string;
  readonly certificate?: string;
  readonly contentType?: string;
  readonly url?: string;
}

export interface WorldChanges {
  readonly clients?: readonly Partial<Client>[];
  readonly settings?: Partial<Settings>;
  readonly grants?: (grants: Grants) => Grants;
  readonly codes?: (codes: CodeStore) => CodeStore;
}

/** The token endpoint alone, over accounts and stores in memory. Clients are believed; a proof is named after its key. */
export function createTokenWorld(changes: WorldChanges = {}): TokenWorld {
  const time = { now: START };
  const clock = (): number => time.now;
  const accounts = createMemoryAccountStore();
  const sessions = createMemorySessionStore();
  const added = Promise.all([addAccount(accounts, 'id-ada', 'Ada'), sessions.start(LOGIN)]);
  const errors: unknown[] = [];
  const { grants } = createAccounts({
    ...{ store: accounts, sessions, limits: createMemoryRateLimitStore(), hasher, clock },
    issuer: createTokenIssuer({ key: secret, clock }),
    verifier: createTokenVerifier({ keys: [secret], clock }),
    roles: ['viewer'],
    refreshIdleSeconds: 2_592_000,
    storeTimeoutMs: 60_000,
  });
  const codes = createMemoryCodeStore();
  const clients = new Map([{}, ...(changes.clients ?? [])].map((fields) => [fields.id ?? 'spa', clientOf(fields)]));
  const settings = {
    issuer: ISSUER,
    resource: API,
    resources: [API, REPORTS],
    subject: 'id',
    accessTokenSeconds: 3_600,
    idTokenSeconds: 3_600,
    maxVerifierFailures: 5,
    clientTokensPerMinute: 600,
    keys: { keys: [active], active },
    accounts: { grants: changes.grants?.(grants) ?? grants },
    codes: changes.codes?.(codes) ?? codes,
    consents: { find: async () => ({ clientId: 'spa', scopes: ['openid', 'profile', 'create'], grantedAt: START }) },
    once: createMemoryOnceStore(),
    limits: createMemoryRateLimitStore(),
    urls: endpointUrls(ISSUER),
    onError: (error: unknown) => errors.push(error),
    clock,
    ...changes.settings,
  } as unknown as Settings;
  const endpoint = createTokenEndpoint(settings, { authenticateClient: believing(clients), dpop: namedProofs });
  const audit = heardEvents();

  const world: TokenWorld = {
    ...{ settings, time, audit, errors, accounts },
    async post(form, { dpop, certificate, contentType = 'application/x-www-form-urlencoded', url } = {}) {
      const request = new Request(url ?? settings.urls.token, {
        method: 'POST',
        body: typeof form === 'string' ? form : new URLSearchParams(form).toString(),
        headers: { 'content-type': contentType, ...(dpop !== undefined && { dpop }) },
      });
      const proved = certificate === undefined ? {} : { certificate: certificateOf(certificate) };
      const info = { requestId: 'r1', ip: '192.0.2.1', ...proved };
      const response = await endpoint(request, info, { name: 'POST /oauth/token', params: {} });
      return { status: response.status, headers: response.headers, body: await response.json() };
    },
    async putCode(record = {}) {
      await added;
      const code = randomBytes(32).toString('base64url');
      await codes.put(sha256(code), codeRecord(record), START + 86_400_000, START);
      return code;
    },
    redeem: (code, form = {}, options) =>
      world.post(
        {
          ...{ grant_type: 'authorization_code', client_id: 'spa', code },
          ...{ redirect_uri: CALLBACK, code_verifier: VERIFIER, ...form },
        },
        options,
      ),
    refresh: (token, form = {}, options) =>
      world.post({ grant_type: 'refresh_token', client_id: 'spa', refresh_token: String(token), ...form }, options),
    async isLive(accessToken) {
      const { sid, jti } = claimsOf(accessToken);
      return (await grants.find(String(sid), String(jti))) !== undefined;
    },
  };
  return world;
}

/** The claims of a token, unverified. */
export function claimsOf(token: unknown): Record<string, unknown> {
  return JSON.parse(Buffer.from(String(token).split('.')[1] ?? '', 'base64url').toString());
}

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

export function codeRecord(fields: Partial<CodeRecord> = {}): CodeRecord {
  return {
    clientId: 'spa',
    accountId: 'id-ada',
    redirectUri: CALLBACK,
    codeChallenge: CHALLENGE,
    scopes: ['openid', 'profile', 'create'],
    audience: [API, REPORTS],
    authTime: LOGIN.authTime,
    amr: LOGIN.amr,
    acr: LOGIN.acr,
    loginSessionId: LOGIN.id,
    issuedAt: START,
    expiresAt: START + 60_000,
    ...fields,
  };
}

export function clientOf(fields: Partial<Client> = {}): Client {
  return {
    id: 'spa',
    name: 'App',
    isNative: false,
    redirectUris: [CALLBACK],
    grantTypes: ['authorization_code', 'refresh_token'],
    authMethod: 'none',
    scopes: ['openid', 'profile', 'create'],
    consent: 'ask',
    roles: [],
    resources: [API, REPORTS],
    introspects: [],
    bindsToCertificate: false,
    requiresDpop: false,
    ...fields,
  };
}

/** Puts an account into a store that no password opens. */
export async function addAccount(store: AccountStore, id: string, username: string): Promise<void> {
  const rest = { passwordHash: '', roles: ['viewer'], disabled: false, createdAt: START };
  await store.create({ id, username, usernameKey: username.toLowerCase(), ...rest });
}

function believing(clients: ReadonlyMap<string, Client>): AuthenticateClient {
  return async (_request, form) => {
    const client = clients.get(form.get('client_id') ?? '');
    if (client === undefined) throw new OAuthError('invalid_client', { status: 401 });
    return client;
  };
}

const namedProofs: DpopVerifier = {
  verify: async (proof, { method, url }) =>
    typeof proof === 'string' && proof.startsWith('key-') && method === 'POST' && url === `${ISSUER}/oauth/token`
      ? { ok: true, thumbprint: proof }
      : { ok: false, reason: 'malformed' },
};

function certificateOf(thumbprint: string): {
  thumbprint: string;
  subject: Record<string, string>;
  names: string[];
  notAfter: number;
} {
  return { thumbprint, subject: {}, names: [], notAfter: START + 1e9 };
}
