import { once } from 'node:events';
import { makeExecutableSchema } from '@graphql-tools/schema';
import { environmentSource } from 'doorward';
import { type AuthContext, authDirectives, protectSchema } from 'doorward/graphql';
import { json } from 'doorward/http';
import { contractRoles } from 'doorward/rbac';
import { createGraphQLSockets, type GraphQLSockets, type GraphQLSocketsOptions } from 'doorward/use/graphql-ws';
import { type RunningServer, serve } from 'doorward/use/node';
import WebSocket, { type ClientOptions } from 'ws';
import { eventually } from '../eventually.ts';
import { type Desk, openDesk, PASSWORD, testHasher } from '../http/support.ts';
import { portOf } from './support.ts';

export interface Context {
  readonly auth: AuthContext;
}

/** Events for any number of subscribers; tells how many are listening. */
function createHub() {
  const listeners = new Set<(event: number) => void>();
  function events(): AsyncIterableIterator<number> {
    const queue: number[] = [];
    let wake = (): void => {};
    let ended = false;
    const listen = (event: number): void => {
      queue.push(event);
      wake();
    };
    listeners.add(listen);
    return {
      async next() {
        while (queue.length === 0 && !ended) {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
        const value = queue.shift();
        return value === undefined || ended ? { done: true, value: undefined } : { done: false, value };
      },
      async return() {
        ended = true;
        listeners.delete(listen);
        wake();
        return { done: true, value: undefined };
      },
      [Symbol.asyncIterator]() {
        return this;
      },
    };
  }
  return {
    events,
    size: () => listeners.size,
    publish(event: number) {
      for (const listen of listeners) listen(event);
    },
  };
}

/** One for all halls: a thread takes longer to start than a hash of a test takes. */
const hasher = testHasher();

const typeDefs = `
  type Query { hello: String @public, who: String, secret: String @auth(permissions: ["read"]), fails: String @public }
  type Post { id: Int secret: String @auth(permissions: ["read"]) }
  type Mutation { bump: Int @public }
  type Subscription {
    ticks: Int @public
    guarded: Int @auth(permissions: ["read"])
    breaks: Int @public
    slow: Int @public
    news: Post @public
  }
`;

/** What serves a hall. */
export type Doors = Pick<GraphQLSockets, 'revoke' | 'close'>;

export interface Hall {
  readonly desk: Desk;
  readonly running: RunningServer;
  readonly sockets: Doors;
  readonly hub: ReturnType<typeof createHub>;
  readonly contexts: Context[];
  readonly errors: unknown[];
  /** Lets the resolvers that wait go on. */
  release(): void;
  token(): Promise<string>;
  /** Opens a socket; with `payload` it sends `connection_init` too. */
  connect(options?: ConnectOptions): Promise<Wire>;
  close(): Promise<void>;
}

export interface ConnectOptions {
  readonly payload?: unknown;
  readonly path?: string;
  readonly protocol?: string | readonly string[];
  readonly ws?: ClientOptions;
}

/** One client's end of a socket, speaking the protocol by hand. */
export interface Wire {
  readonly socket: WebSocket;
  readonly received: { readonly type: string; readonly id?: string; readonly payload?: unknown }[];
  readonly closed: Promise<number>;
  send(message: unknown): void;
  subscribe(id: string, query: string): void;
  /** Waits for a message. */
  until(type: string, id?: string): Promise<unknown>;
}

export async function openHall(
  options: Partial<GraphQLSocketsOptions> = {},
  open: (options: GraphQLSocketsOptions & { readonly server: RunningServer['server'] }) => Doors = createGraphQLSockets,
): Promise<Hall> {
  const desk = await openDesk({ hasher });
  const hub = createHub();
  const contexts: Context[] = [];
  const errors: unknown[] = [];
  const waiting: (() => void)[] = [];
  const numbers = { subscribe: () => hub.events(), resolve: (event: number) => event };
  const resolvers = {
    Query: {
      hello: () => 'world',
      who: (_parent: unknown, _args: unknown, { auth }: Context) => auth.principal?.id,
      secret: () => 'told',
      fails: () => {
        throw new Error('db pass=hunter2');
      },
    },
    Mutation: { bump: () => 1 },
    Subscription: {
      ticks: numbers,
      guarded: numbers,
      breaks: {
        async *subscribe() {
          yield { breaks: 1 };
          throw new Error('db pass=hunter2');
        },
      },
      slow: {
        subscribe: async () => {
          await new Promise<void>((resolve) => waiting.push(resolve));
          return hub.events();
        },
        resolve: (event: number) => event,
      },
      news: { subscribe: () => hub.events(), resolve: (id: number) => ({ id, secret: 'told' }) },
    },
  };
  const schema = protectSchema<Context>(makeExecutableSchema({ typeDefs: [authDirectives(), typeDefs], resolvers }), {
    pdp: contractRoles,
  });
  const running = await serve(() => json(200, {}));
  const sockets = open({
    schema,
    server: running.server,
    authenticate: desk.accounts.authenticate,
    environment: environmentSource({ clock: () => desk.clock.now }),
    context: (auth) => {
      contexts.push({ auth });
      return {};
    },
    onError: (error) => errors.push(error),
    ...options,
  });

  return {
    desk,
    running,
    sockets,
    hub,
    contexts,
    errors,
    release() {
      for (const resume of waiting.splice(0)) resume();
    },
    token: async () => (await desk.accounts.login({ username: 'ada', password: PASSWORD })).accessToken,
    connect: (connectOptions) => connect(portOf(running.server), connectOptions),
    async close() {
      await sockets.close();
      await running.close(0);
    },
  };
}

async function connect(port: number, options: ConnectOptions = {}): Promise<Wire> {
  const { path = '/graphql', protocol = 'graphql-transport-ws', ws } = options;
  const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`, [protocol].flat(), ws);
  const received: Wire['received'] = [];
  socket.on('message', (data) => received.push(JSON.parse(data.toString())));
  socket.on('error', () => {});
  const closed = new Promise<number>((resolve) => socket.once('close', resolve));
  const missing = (type: string) => `no ${type} among ${JSON.stringify(received).slice(0, 500)}`;
  const wire: Wire = {
    socket,
    received,
    closed,
    send: (message) => socket.send(typeof message === 'string' ? message : JSON.stringify(message)),
    subscribe: (id, query) => wire.send({ type: 'subscribe', id, payload: { query } }),
    async until(type, id) {
      const found = await eventually(() => {
        const message = received.find((each) => each.type === type && each.id === id);
        if (message === undefined && socket.readyState !== WebSocket.CLOSED) throw new Error(missing(type));
        return message;
      });
      if (found === undefined) throw new Error(missing(type));
      return found.payload;
    },
  };
  await once(socket, 'open');
  if (Object.hasOwn(options, 'payload')) {
    wire.send({ type: 'connection_init', payload: options.payload });
    await Promise.race([wire.until('connection_ack').catch(() => {}), closed]);
  }
  return wire;
}

export function bearerPayload(token: string): { authorization: string } {
  return { authorization: `Bearer ${token}` };
}
