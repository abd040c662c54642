import { once } from 'node:events';
import { request, type Server } from 'node:http';
import { makeExecutableSchema } from '@graphql-tools/schema';
import type { IObjectTypeResolver, IResolvers } from '@graphql-tools/utils';
import { type Authenticator, type Caller, DoorwardError, type EnvironmentSource, environmentSource } from 'doorward';
import { type AuthContext, authDirectives, protectSchema } from 'doorward/graphql';
import { contractRoles } from 'doorward/rbac';
import { GraphQLError, type GraphQLSchema } from 'graphql';
import { eventually } from '../eventually.ts';

interface Context {
  readonly auth: AuthContext;
}

interface Account {
  readonly id: string;
  roles: readonly string[];
  isDisabled: boolean;
  /** When the token ends, in seconds since the epoch. */
  expiresAt: number;
}

/** What a host serves, and what the tests see of it. */
export interface World {
  readonly schema: GraphQLSchema;
  /** What the schema is made of, for hosts that make their own. */
  readonly parts: { readonly typeDefs: string; readonly resolvers: Resolvers };
  /** Protects a schema that a host has made. */
  protect(schema: GraphQLSchema): GraphQLSchema;
  readonly authenticate: Authenticator;
  readonly environment: EnvironmentSource;
  readonly onError: (error: unknown) => void;
  /** By token, which is the id with `-token` behind it. */
  readonly accounts: ReadonlyMap<string, Account>;
  /** What went wrong and no client was told. */
  readonly errors: unknown[];
  /** The context of every operation that asked for its `requestId`. */
  readonly contexts: AuthContext[];
  /** The resolvers that ran. */
  readonly ran: string[];
  /** Who presented a token, one for each time that one was authenticated. */
  readonly callers: readonly Caller[];
  /** Makes `authenticate` throw. */
  breakDown(isDown: boolean): void;
  /** Sends an event to all subscribers. */
  publish(event: number): void;
  subscribers(): number;
}

type Resolvers = IResolvers & { readonly Query: IObjectTypeResolver };

const typeDefs = `
  interface Node { id: ID!  note: String }
  type Account implements Node { id: ID!  note: String @auth(roles: ["admin"])  name: String }
  type Query {
    hello: String
    me: Account @auth
    node: Node
    posts: String @auth(permissions: ["read"])
    adminOnly: String @auth(roles: ["admin"])
    caller: String
    requestId: String
    fails: String
    failsLikeHost: String
    refuses: String
    wantsFreshLogin: String
    echo(text: String!): String
  }
  type Mutation {
    bump: Int
    publish: Int @auth(permissions: ["update"])
  }
  type Subscription {
    open: Int
    ticks: Int @auth(permissions: ["read"])
  }
`;

export const SECRET = 'postgres://app:hunter2@10.0.0.7/db';

/** Accounts, a protected schema over them, and everything that happens. */
export function createWorld(): World {
  const errors: unknown[] = [];
  const contexts: AuthContext[] = [];
  const ran: string[] = [];
  const listeners = new Set<(event: number) => void>();
  const callers: Caller[] = [];
  let isDown = false;
  const accounts = new Map<string, Account>();
  const expiresAt = 4_000_000_000;
  for (const [id, role] of [...Object.entries({ ada: 'admin', ed: 'editor', vi: 'viewer' }), ...people()]) {
    accounts.set(`${id}-token`, { id, roles: [role], isDisabled: false, expiresAt });
  }

  const authenticate: Authenticator = async (token, caller = {}) => {
    callers.push(caller);
    await new Promise((resolve) => setTimeout(resolve, 1));
    if (isDown) throw new DoorwardError('SERVICE_UNAVAILABLE', { cause: new Error(SECRET) });
    const account = accounts.get(token);
    if (account === undefined || account.isDisabled) return { ok: false, reason: 'unknown' };
    const { id, roles } = account;
    const session = { id: `session of ${id}`, tokenId: token, authTime: 0, expiresAt: account.expiresAt, amr: ['pwd'] };
    return { ok: true, principal: { id, roles, attributes: {}, session } };
  };

  function seen<R>(name: string, resolve: (parent: unknown, args: Record<string, unknown>, context: Context) => R) {
    return (parent: unknown, args: Record<string, unknown>, context: Context): R => {
      ran.push(name);
      return resolve(parent, args, context);
    };
  }
  const numbers = { subscribe: () => eventsOf(listeners), resolve: (event: number) => event };
  const account = (id: string) => ({ __typename: 'Account', id, name: `Name of ${id}`, note: `note of ${id}` });
  const resolvers = {
    Query: {
      hello: seen('hello', () => 'world'),
      me: seen('me', async (_parent, _args, { auth }) => {
        await new Promise((resolve) => setTimeout(resolve, 1));
        return account(auth.principal?.id ?? '');
      }),
      node: seen('node', () => account('n1')),
      posts: seen('posts', () => 'all of them'),
      adminOnly: seen('adminOnly', () => 'the books'),
      caller: seen('caller', (_parent, _args, { auth }) => {
        const { ip, userAgent } = auth.environment();
        return `${ip} ${userAgent}`;
      }),
      requestId: seen('requestId', (_parent, _args, { auth }) => {
        contexts.push(auth);
        return auth.requestId;
      }),
      fails: seen('fails', () => {
        throw new Error(SECRET);
      }),
      // What hosts tell of a request stands in such properties.
      failsLikeHost: seen('failsLikeHost', () => {
        const told = { code: 'FST_ERR_VALIDATION', statusCode: 418, status: 418, errors: [new Error(SECRET)] };
        throw Object.assign(new Error(SECRET), told);
      }),
      refuses: seen('refuses', () => {
        throw new GraphQLError('Not found', { extensions: { code: 'NOT_FOUND' } });
      }),
      wantsFreshLogin: seen('wantsFreshLogin', () => {
        throw new DoorwardError('AUTH_REAUTHENTICATION_REQUIRED', { stepUp: { maxAgeSeconds: 900 } });
      }),
      echo: seen('echo', (_parent, { text }) => text),
    },
    Mutation: { bump: seen('bump', () => 1), publish: seen('publish', () => 2) },
    Subscription: { open: numbers, ticks: numbers },
  };
  const protect = (schema: GraphQLSchema) => protectSchema<Context>(schema, { pdp: contractRoles });
  const parts = { typeDefs: `${authDirectives()} ${typeDefs}`, resolvers };
  return {
    schema: protect(makeExecutableSchema(parts)),
    parts,
    protect,
    authenticate,
    environment: environmentSource(),
    onError: (error) => void errors.push(error),
    accounts,
    errors,
    contexts,
    ran,
    callers,
    breakDown: (down) => {
      isDown = down;
    },
    publish(event) {
      for (const listener of listeners) listener(event);
    },
    subscribers: () => listeners.size,
  };
}

function people(): [string, string][] {
  return [1, 2, 3, 4, 5].map((number) => [`p${number}`, 'viewer']);
}

/** The events from now on, until the iterator is returned. */
function eventsOf(listeners: Set<(event: number) => void>): AsyncIterableIterator<number> {
  const queue: number[] = [];
  let wake = (): void => {};
  let isEnded = false;
  const listener = (event: number): void => {
    queue.push(event);
    wake();
  };
  listeners.add(listener);
  return {
    async next() {
      while (queue.length === 0 && !isEnded) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      const value = queue.shift();
      return value === undefined || isEnded ? { done: true, value: undefined } : { done: false, value };
    },
    async return() {
      isEnded = true;
      listeners.delete(listener);
      wake();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

/** An answer as a client reads it. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers of every shape
  readonly body: any;
}

export interface Asked {
  /** The name of an account; its token is sent. */
  readonly as?: string | undefined;
  readonly variables?: Record<string, unknown>;
  readonly headers?: Record<string, string>;
}

export async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text();
  const isJson = /json/.test(response.headers.get('content-type') ?? '') && text !== '';
  return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : undefined };
}

export async function post(url: string, body: unknown, { as, headers }: Asked = {}): Promise<Answer> {
  return answerOf(
    await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...bearer(as), ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    }),
  );
}

export function ask(url: string, query: string, asked: Asked = {}): Promise<Answer> {
  return post(url, { query, variables: asked.variables }, asked);
}

export async function get(url: string, query: string, { as, headers }: Asked = {}): Promise<Answer> {
  return answerOf(await fetch(`${url}?${new URLSearchParams({ query })}`, { headers: { ...bearer(as), ...headers } }));
}

export function bearer(as: string | undefined): Record<string, string> {
  return as === undefined ? {} : { authorization: `Bearer ${as}-token` };
}

/** Sends header lines as they are, repeated ones among them, which `fetch` would join. */
export function askRaw(url: string, query: string, headers: readonly string[]): Promise<Answer> {
  const { hostname, port, pathname } = new URL(url);
  const body = JSON.stringify({ query });
  const lines = [
    'Host',
    hostname,
    'Content-Type',
    'application/json',
    'Content-Length',
    String(body.length),
    ...headers,
  ];
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, path: pathname, method: 'POST', headers: lines }, async (received) => {
      const chunks: Buffer[] = [];
      for await (const chunk of received) chunks.push(chunk);
      const [status, text] = [received.statusCode ?? 0, Buffer.concat(chunks).toString()];
      resolve({ status, headers: new Headers(received.headers as HeadersInit), text, body: undefined });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

/** `path: CODE` of every error of an answer. */
export function codesOf({ body }: Answer): string[] {
  return (body?.errors ?? []).map(
    ({ path, extensions }: { path?: unknown[]; extensions?: { code?: string } }) =>
      `${path?.join('.')}: ${extensions?.code}`,
  );
}

/** Waits until something is so. */
export async function until(isSo: () => boolean): Promise<void> {
  await eventually(() => {
    if (!isSo()) throw new Error(`never: ${isSo}`);
  });
}

/** A listening server of `node:http` as a host that runs, with its endpoint at `/graphql`. */
export function closing(server: Server, before: () => unknown = () => {}) {
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  return {
    server,
    url: `http://127.0.0.1:${port}/graphql`,
    async close(): Promise<void> {
      await before();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
