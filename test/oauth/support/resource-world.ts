import { createHash, generateKeyPairSync, type KeyObject, randomUUID } from 'node:crypto';
import { type Account, clientSubject, createAccounts, type Grants, type NewGrant } from 'doorward/accounts';
import type { RequestInfo } from 'doorward/http';
import type { Client } from 'doorward/oauth';
import { createBcryptHasher } from 'doorward/passwords';
import {
  createMemoryAccountStore,
  createMemoryOnceStore,
  createMemoryRateLimitStore,
  createMemorySessionStore,
} from 'doorward/stores/memory';
import { createTokenIssuer, createTokenVerifier, privateKey, secretKey } from 'doorward/tokens';
import { calculateJwkThumbprint, exportJWK, SignJWT } from 'jose';
import { createAuthenticateClient } from '../../../src/oauth/clients/client-authentication.ts';
import type { RegisteredClient } from '../../../src/oauth/clients/client-registry.ts';
import { createDpopVerifier } from '../../../src/oauth/dpop/dpop.ts';
import { endpointUrls } from '../../../src/oauth/endpoints.ts';
import { createAuthenticate } from '../../../src/oauth/resource/authenticate.ts';
import { createFindAccessToken } from '../../../src/oauth/resource/find-access-token.ts';
import { createIntrospection } from '../../../src/oauth/resource/introspection.ts';
import { createRevocation } from '../../../src/oauth/resource/revocation.ts';
import { createUserinfo } from '../../../src/oauth/resource/userinfo.ts';
import type { Settings } from '../../../src/oauth/settings.ts';
import { heardEvents } from '../../audit/heard-events.ts';

export const SECRET = 'kE2v9pXr7QmZt4Ls8WnYb3Hd6Jc1Gf5A';
export const INFO: RequestInfo = { requestId: 'r1', ip: '192.0.2.1' };
export const START: number = Date.UTC(2026, 0, 1, 12);
export const ISSUER = 'https://login.example.org';
export const API = 'https://api.example.org';
export const REPORTS = 'https://reports.example.org';
export const signingKey: KeyObject = generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey;
const active = privateKey(signingKey, { kid: 'k1' });
const firstParty = secretKey(SECRET);
const hasher = createBcryptHasher({ cost: 4, workers: 1 });

/** The clients of these tests, by what they are. */
const CLIENTS: readonly Client[] = [
  clientOf({ scopes: ['openid', 'profile', 'email', 'create'] }),
  clientOf({ id: 'web', authMethod: 'client_secret_basic', scopes: ['openid', 'create'] }),
  clientOf({ id: 'api', authMethod: 'client_secret_basic', scopes: [], introspects: [API] }),
  clientOf({
    id: 'batch',
    authMethod: 'client_secret_basic',
    grantTypes: ['client_credentials'],
    scopes: ['create', 'delete'],
    roles: ['editor'],
  }),
];

/** What a test changes about a token; the claims replace those that it would have. */
export interface TokenChanges {
  readonly clientId?: string;
  readonly scope?: string;
  readonly aud?: string | readonly string[];
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly typ?: string;
  readonly issuer?: string;
  readonly key?: KeyObject;
  readonly ttlSeconds?: number;
  readonly grant?: Partial<NewGrant>;
}

export interface IssuedForTest {
  readonly token: string;
  readonly sid: string;
  readonly refreshToken: string;
}

export interface ResourceWorldChanges {
  readonly settings?: Partial<Settings>;
  readonly grants?: (grants: Grants) => Grants;
}

/** The parts that look at tokens, over stores in memory, real client authentication and real DPoP proofs. */
export function createResourceWorld(changes: ResourceWorldChanges = {}) {
  const time = { now: START };
  const clock = (): number => time.now;
  const audit = heardEvents();
  const accounts = new Map<string, Account>([['id-ada', ada()]]);
  const clients = new Map(CLIENTS.map((client) => [client.id, registered(client)]));
  const errors: unknown[] = [];
  const { grants: real } = createAccounts({
    store: { ...createMemoryAccountStore(), byId: async (id) => accounts.get(id) },
    sessions: createMemorySessionStore(),
    limits: createMemoryRateLimitStore(),
    issuer: createTokenIssuer({ key: firstParty, clock }),
    verifier: createTokenVerifier({ keys: [firstParty], clock }),
    ...{ hasher, clock, roles: ['viewer', 'editor'], refreshGraceSeconds: 0, refreshIdleSeconds: 2_592_000 },
  });
  const grants = changes.grants?.(real) ?? real;
  const once = createMemoryOnceStore();
  const settings = {
    issuer: ISSUER,
    resource: API,
    resources: [API, REPORTS],
    subject: 'id',
    accessTokenSeconds: 3_600,
    introspectionsPerMinute: 6_000,
    clientTokensPerMinute: 600,
    keys: { keys: [active], active },
    accounts: { grants },
    clients: { find: (id: unknown) => clients.get(String(id)), clients: CLIENTS },
    once,
    limits: createMemoryRateLimitStore(),
    urls: endpointUrls(ISSUER),
    onError: (error: unknown) => errors.push(error),
    clock,
    ...changes.settings,
  } as unknown as Settings;
  const dpop = createDpopVerifier({ once, clock });
  const findAccessToken = createFindAccessToken(settings);
  const authenticateClient = createAuthenticateClient(settings);
  const introspection = createIntrospection(settings, { authenticateClient, findAccessToken });
  const revocation = createRevocation(settings, { authenticateClient });

  /** Starts a grant and signs an access token of it. */
  async function issue(token: TokenChanges = {}): Promise<IssuedForTest> {
    const { clientId = 'spa', scope = 'openid create', aud = API, claims = {} } = token;
    const isOwn = clientId === 'batch';
    const sid = randomUUID();
    const heard = audit.length;
    const started = await grants.start({
      sessionId: sid,
      accountId: isOwn ? clientSubject(clientId) : 'id-ada',
      clientId,
      scopes: scope.split(' '),
      audience: [API, REPORTS],
      authTime: isOwn ? 0 : START / 1_000,
      amr: isOwn ? [] : ['pwd'],
      acr: isOwn ? '0' : 'aal1',
      startedAt: START,
      refreshToken: !isOwn,
      ...token.grant,
    });
    // What the set-up publishes is not what is looked at.
    audit.length = heard;
    const issuer = createTokenIssuer({
      key: token.key === undefined ? active : privateKey(token.key, { kid: 'k1' }),
      issuer: token.issuer ?? ISSUER,
      audience: aud,
      typ: token.typ ?? 'at+jwt',
      ttlSeconds: token.ttlSeconds ?? 3_600,
      clock,
    });
    const about = isOwn ? {} : { uid: 'id-ada' };
    const sub = isOwn ? clientSubject(clientId) : 'id-ada';
    const text = issuer.issue({ sub, sid, client_id: clientId, scope, ...about, ...claims });
    return { token: text, sid, refreshToken: started?.refreshToken ?? '' };
  }

  return {
    settings,
    time,
    accounts,
    clients,
    errors,
    grants,
    audit,
    issue,
    findAccessToken,
    ...createAuthenticate(settings, { findAccessToken, dpop }),
    ...{ introspect: introspection.introspect, introspectionEndpoint: introspection.endpoint },
    ...{ revoke: revocation.revoke, revocationEndpoint: revocation.endpoint },
    userinfo: createUserinfo(settings, { findAccessToken, dpop }),
  };
}

export type ResourceWorld = ReturnType<typeof createResourceWorld>;

/** A request that carries a form, and a client's name and secret. */
export function formRequest(
  url: string,
  form: Readonly<Record<string, string>> | string,
  { client, contentType = 'application/x-www-form-urlencoded' }: { client?: string; contentType?: string } = {},
): Request {
  const basic = `Basic ${Buffer.from(`${client}:${SECRET}`).toString('base64')}`;
  return new Request(url, {
    method: 'POST',
    body: typeof form === 'string' ? form : new URLSearchParams(form).toString(),
    headers: { 'content-type': contentType, ...(client !== undefined && { authorization: basic }) },
  });
}

export interface ProofChanges {
  readonly accessToken?: string;
  readonly url?: string;
  readonly method?: string;
  readonly claims?: Readonly<Record<string, unknown>>;
}

export interface Prover {
  readonly thumbprint: string;
  prove(changes?: ProofChanges): Promise<string>;
}

/** A client's key, with the proofs that it signs (RFC 9449 section 4.2). */
export async function createProver(): Promise<Prover> {
  const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const jwk = await exportJWK(pair.publicKey);
  return {
    thumbprint: await calculateJwkThumbprint(jwk),
    prove: ({ accessToken, url = `${API}/posts`, method = 'GET', claims = {} } = {}) => {
      const ath = accessToken && createHash('sha256').update(accessToken).digest('base64url');
      const about = { jti: randomUUID(), htm: method, htu: url, iat: START / 1_000, ...(ath && { ath }), ...claims };
      return new SignJWT(about).setProtectedHeader({ typ: 'dpop+jwt', alg: 'ES256', jwk }).sign(pair.privateKey);
    },
  };
}

/** A client as the registry has it: a public one that people log in at. */
export function clientOf(fields: Partial<Client> = {}): Client {
  return {
    ...{ id: 'spa', name: 'App', isNative: false, redirectUris: [], authMethod: 'none', scopes: ['openid', 'profile'] },
    ...{ grantTypes: ['authorization_code', 'refresh_token'], consent: 'ask', roles: [] },
    ...{ introspects: [], bindsToCertificate: false, requiresDpop: false },
    ...fields,
  };
}

function registered(client: Client): RegisteredClient {
  if (client.authMethod !== 'client_secret_basic') return { client };
  return { client, secretHash: createHash('sha256').update(SECRET).digest() };
}

function ada(): Account {
  return {
    ...{ id: 'id-ada', username: 'Ada', usernameKey: 'ada', email: 'ada@example.org' },
    ...{ passwordHash: 'none', roles: ['viewer'], createdAt: START, disabled: false },
  };
}
