import type { AuditEvent } from 'doorward';
import type { AccountsOptions, SecondFactor } from 'doorward/accounts';
import type { Client, CodeRecord, CodeStore, ConsentRecord, ConsentStore, PageView } from 'doorward/oauth';
import { createMemoryCodeStore, createMemoryRateLimitStore } from 'doorward/stores/memory';
import { createAuthorizeEndpoint } from '../../../src/oauth/authorize/authorize-endpoint.ts';
import { endpointUrls } from '../../../src/oauth/endpoints.ts';
import { renderPage } from '../../../src/oauth/pages/render-page.ts';
import { type Settings, STANDARD_SCOPES } from '../../../src/oauth/settings.ts';
import { createWorld, PASSWORD, START, type World } from '../../accounts/fixture.ts';

export { PASSWORD, START };
export const ISSUER = 'https://login.example.org';
export const CALLBACK = 'https://app.example.org/callback';
/** Of RFC 7636 appendix B. */
export const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';
export const OTP = '123456';

export const ASKED: Readonly<Record<string, string>> = {
  response_type: 'code',
  client_id: 'spa',
  redirect_uri: CALLBACK,
  scope: 'openid profile',
  state: 'af0ifjsldkj',
  code_challenge: CHALLENGE,
  code_challenge_method: 'S256',
};

/** A factor of every account, with one good proof. */
export const alwaysEnrolled: SecondFactor = {
  field: 'otp',
  isEnrolled: async () => true,
  verify: async (_id, proof) => (proof === OTP ? ['otp'] : undefined),
};

export interface AuthorizeWorld {
  readonly accounts: World;
  readonly settings: Settings;
  readonly audit: AuditEvent[];
  readonly errors: unknown[];
  readonly codes: Map<string, { readonly record: CodeRecord; readonly keepUntil: number }>;
  readonly consents: Map<string, ConsentRecord>;
  /** A browser with cookies of its own. */
  visitor(): Visitor;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The page that was shown. */
  readonly view: PageView | undefined;
  /** The parameters of a redirect to the client. */
  readonly redirect: Readonly<Record<string, string>> | undefined;
}

export interface Visitor {
  readonly cookies: Map<string, string>;
  get(asked?: Readonly<Record<string, string | undefined>> | string): Promise<Answer>;
  /** Sends the form of a page as a browser does; `undefined` leaves a field out. */
  submit(page: Answer, fields: Readonly<Record<string, string | undefined>>, headers?: HeadersInit): Promise<Answer>;
  post(url: string, body: string, headers?: HeadersInit): Promise<Answer>;
}

export interface Changes {
  readonly clients?: readonly Partial<Client>[];
  readonly settings?: Partial<Settings>;
  readonly accounts?: Partial<AccountsOptions>;
}

/** The authorization endpoint alone, over real accounts; `ada` has one. */
export async function createAuthorizeWorld(changes: Changes = {}): Promise<AuthorizeWorld> {
  const accounts = createWorld(changes.accounts);
  await accounts.register();
  const [errors, views]: [unknown[], PageView[]] = [[], []];
  const codes: AuthorizeWorld['codes'] = new Map();
  const consents: AuthorizeWorld['consents'] = new Map();
  const clients = [{}, ...(changes.clients ?? [])].map(clientOf);
  const settings = {
    issuer: ISSUER,
    resource: 'https://api.example.org',
    scopes: { ...STANDARD_SCOPES, create: 'Create posts in your name' },
    accounts: accounts.accounts,
    clients: { clients, find: (id: unknown) => wrap(clients.findLast((client) => client.id === id)) },
    codes: { ...createMemoryCodeStore(), put: putInto(codes) },
    consents: consentStore(consents),
    limits: createMemoryRateLimitStore(),
    secret: Buffer.from('Wm4Yq8Tz1Kc6Vx9Rb3Nf7Hs2Jd5Lg0Pa'),
    codeSeconds: 60,
    codesPerMinute: 30,
    storeTimeoutMs: 1_000,
    urls: endpointUrls(ISSUER),
    isSecure: true,
    onError: (error: unknown) => errors.push(error),
    clock: () => accounts.time.now,
    page: renderPage,
    ...changes.settings,
  } as unknown as Settings;
  const { page } = settings;
  const endpoint = createAuthorizeEndpoint({
    ...settings,
    page(view) {
      views.push(view);
      return page(view);
    },
  });

  async function send(cookies: Map<string, string>, request: Request): Promise<Answer> {
    if (cookies.size > 0) request.headers.set('cookie', [...cookies].map((pair) => pair.join('=')).join('; '));
    const shown = views.length;
    const route = { name: `${request.method} /authorize`, params: {} };
    const run = request.method === 'GET' ? endpoint.get : endpoint.post;
    const { status, headers, ...response } = await read(
      await run(request, { requestId: 'r1', ip: '192.0.2.1' }, route),
    );
    for (const line of headers.getSetCookie()) {
      const [name = '', value = ''] = (line.split(';')[0] ?? '').split('=');
      cookies.set(name, value);
    }
    const location = headers.get('location');
    const redirect = location === null ? undefined : Object.fromEntries(new URL(location).searchParams);
    return { status, headers, text: response.text, redirect, view: views.slice(shown).at(-1) };
  }

  function visitor(): Visitor {
    const cookies = new Map<string, string>();
    const post: Visitor['post'] = (url, body, headers) =>
      send(
        cookies,
        new Request(url, {
          method: 'POST',
          body,
          headers: { 'content-type': 'application/x-www-form-urlencoded', ...Object.fromEntries(new Headers(headers)) },
        }),
      );
    return {
      cookies,
      get: (asked = {}) => send(cookies, new Request(`${settings.urls.authorize}?${queryOf(asked)}`)),
      submit({ text, view }, fields, headers = { origin: 'null', 'sec-fetch-site': 'same-origin' }) {
        if (view === undefined || view.kind === 'error') throw new Error(`no form: ${text}`);
        const all = Object.entries({ ...view.form.hidden, ...fields });
        const body = all.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
        return post(view.form.action, new URLSearchParams(body).toString(), headers);
      },
      post,
    };
  }
  return { accounts, settings, audit: accounts.audit, errors, codes, consents, visitor };
}

/** Logs in as ada by the page; the answer is what comes after. */
export async function logIn(visitor: Visitor, asked: Readonly<Record<string, string>> = {}): Promise<Answer> {
  const page = await visitor.get(asked);
  return visitor.submit(page, { username: 'ada', password: PASSWORD, action: 'login' });
}

export function queryOf(asked: Readonly<Record<string, string | undefined>> | string): string {
  if (typeof asked === 'string') return asked;
  const pairs = Object.entries({ ...ASKED, ...asked });
  return new URLSearchParams(pairs.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))).toString();
}

async function read(response: Response): Promise<{ status: number; headers: Headers; text: string }> {
  return { status: response.status, headers: response.headers, text: await response.text() };
}

function wrap(client: Client | undefined): { readonly client: Client } | undefined {
  return client && { client };
}

function clientOf(fields: Partial<Client>): Client {
  return {
    id: 'spa',
    name: 'Example <App>',
    isNative: false,
    redirectUris: [CALLBACK],
    grantTypes: ['authorization_code', 'refresh_token'],
    authMethod: 'none',
    scopes: ['openid', 'profile', 'create'],
    consent: 'ask',
    roles: [],
    introspects: [],
    bindsToCertificate: false,
    requiresDpop: false,
    ...fields,
  };
}

function putInto(codes: AuthorizeWorld['codes']): CodeStore['put'] {
  return async (hash, record, keepUntil) => {
    codes.set(hash, { record, keepUntil });
  };
}

function consentStore(consents: Map<string, ConsentRecord>): ConsentStore {
  const keyOf = (accountId: string, clientId: string): string => `${clientId} ${accountId}`;
  return {
    find: async (accountId, clientId) => consents.get(keyOf(accountId, clientId)),
    async grant(accountId, clientId, scopes, grantedAt) {
      const before = consents.get(keyOf(accountId, clientId))?.scopes ?? [];
      consents.set(keyOf(accountId, clientId), { clientId, scopes: [...new Set([...before, ...scopes])], grantedAt });
    },
    list: async () => [...consents.values()],
    revoke: async (accountId, clientId) => consents.delete(keyOf(accountId, clientId)),
    revokeAll: async () => consents.clear(),
  };
}
