import { createBcryptHasher } from 'doorward/passwords';
import { readConfig } from '../../examples/server/config.ts';
import { startServer } from '../../examples/server/server.ts';
import { DEMO_PASSWORD } from './demo-password.ts';

export { DEMO_PASSWORD };
export const SECRET = 'kE2v9pXr7QmZt4Ls8WnYb3Hd6Jc1Gf5A';

/** The fixed ids of the demo data, as docs/example-server.md lists them. */
export const ids = {
  admin: '00000000-0000-4000-8000-000000000001',
  editor: '00000000-0000-4000-8000-000000000002',
  viewer: '00000000-0000-4000-8000-000000000003',
  moderator: '00000000-0000-4000-8000-000000000004',
  published: '10000000-0000-4000-8000-000000000001',
  draftOfEditor: '10000000-0000-4000-8000-000000000002',
  draftOfViewer: '10000000-0000-4000-8000-000000000003',
} as const;

export type DemoName = 'admin' | 'editor' | 'viewer' | 'moderator';

/** The example server on a free loopback port, with its data in memory and a clock that tests can move. */
export interface Service {
  readonly url: string;
  /** Ticks; set it to move the service in time, and back with `reset`. */
  readonly clock: { now: number; reset(): void };
  close(): Promise<void>;
  fetch(path: string, init?: RequestInit): Promise<Answer>;
  postJson(path: string, body: unknown, token?: string): Promise<Answer>;
  postForm(path: string, fields: Record<string, string>): Promise<Answer>;
  /** The access token of a demo account, or of anybody when a password is given; remembered. */
  token(username: DemoName): Promise<string>;
  /** Registers and logs in somebody new. */
  newcomer(): Promise<{ username: string; password: string; token: string; id: string }>;
  graphql(query: string, token?: string, variables?: Record<string, unknown>): Promise<Answer>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers of every shape
  readonly body: any;
}

let serial = 0;

/** @param hashCost - 12 is what the service uses; most tests are about something else. */
export async function startService(env: Record<string, string> = {}, hashCost = 4): Promise<Service> {
  let offset = 0;
  const clock = {
    get now() {
      return Date.now() + offset;
    },
    set now(time: number) {
      offset = time - Date.now();
    },
    reset() {
      offset = 0;
    },
  };
  const config = readConfig({
    PORT: '0',
    DATA_DIR: ':memory:',
    SIGNING_SECRET: SECRET,
    DEMO_PASSWORD,
    LOG_LEVEL: 'silent',
    ...env,
  });
  const server = await startServer(config, { clock: () => clock.now, hasher: createBcryptHasher({ cost: hashCost }) });
  const tokens = new Map<string, Promise<string>>();

  const fetchText = async (path: string, init?: RequestInit): Promise<Answer> => {
    const response = await fetch(server.url + path, { redirect: 'manual', ...init });
    const text = await response.text();
    const isJson = /json/.test(response.headers.get('content-type') ?? '');
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: isJson && text !== '' ? JSON.parse(text) : undefined,
    };
  };
  const service: Service = {
    url: server.url,
    clock,
    close: () => server.close(),
    fetch: fetchText,
    postJson: (path, body, token) =>
      fetchText(path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...bearer(token) },
        body: JSON.stringify(body),
      }),
    postForm: (path, fields) => fetchText(path, { method: 'POST', body: new URLSearchParams(fields) }),
    token(username) {
      const known = tokens.get(username);
      if (known !== undefined) return known;
      const token = service
        .postJson('/login', { username, password: DEMO_PASSWORD })
        .then(({ body }) => String(body.access_token));
      tokens.set(username, token);
      return token;
    },
    async newcomer() {
      serial += 1;
      const username = `newcomer-${serial}`;
      const password = `a long passphrase ${serial}`;
      await service.postJson('/register', { username, password, email: `${username}@example.org` });
      const token = String((await service.postJson('/login', { username, password })).body.access_token);
      const id = String((await fetchText('/me', { headers: bearer(token) })).body.id);
      return { username, password, token, id };
    },
    graphql: (query, token, variables) => service.postJson('/graphql', { query, variables }, token),
  };
  return service;
}

/** The challenge of an answer of the API, less the address of its metadata, which each has (RFC 9728 section 5.1). */
export function challengeOf({ headers }: { readonly headers: Headers }): string {
  const text = headers.get('www-authenticate') ?? '';
  if (!text.includes('resource_metadata="')) throw new Error(`no resource metadata in: ${text}`);
  return text.replace(/,? resource_metadata="[^"]*"/, '');
}

export function bearer(token?: string): Record<string, string> {
  return token === undefined ? {} : { authorization: `Bearer ${token}` };
}

/** The claims of a token, unverified: for looking at what was issued. */
// biome-ignore lint/suspicious/noExplicitAny: tests read claims of every shape
export function claimsOf(token: string): any {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
}
