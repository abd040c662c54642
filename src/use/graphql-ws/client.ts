import type { Server } from 'graphql-ws';
import type { WebSocket } from 'ws';
import type { SocketCaller } from './options.ts';

/** The token that a socket was opened with, and whose it is. */
export interface Login {
  readonly token: string;
  readonly principalId: string;
  /** Absent for what has no login, such as an API key. */
  readonly sessionId: string | undefined;
}

/** One open socket. */
export interface Client {
  readonly caller: SocketCaller;
  /** Absent before `connection_init`, and for an anonymous client. */
  login: Login | undefined;
  /** The ids of the operations that run. */
  readonly live: ReadonlySet<string>;
  /** How many operations were refused since one was let in. */
  refused: number;
  /** Lets the operation of the message that is being received run. */
  admit(id: string): void;
  isEnded(): boolean;
  /** Ends the socket and everything that runs on it; the first call counts. */
  end(code: number, reason: string): void;
  /** Calls back after a time in milliseconds, unless the socket has ended before. */
  after(ms: number, callback: () => void): void;
  /** Sends a ping, or drops the socket when the last one was not answered. */
  ping(): void;
  /** Settles when what ran on the socket has been returned. */
  readonly done: Promise<unknown>;
}

export interface ClientOptions {
  readonly protocol: Server<Client>;
  readonly bufferedBytes: number;
  readonly onError: (error: unknown) => void;
}

const CLOSE_MS = 1_000;
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

/** Runs the protocol on a WebSocket. */
export function createClient(socket: WebSocket, caller: SocketCaller, options: ClientOptions): Client {
  const { protocol, bufferedBytes, onError } = options;
  let timer: NodeJS.Timeout | undefined;
  const live = new Set<string>();
  let admitted: string | undefined;
  let isEnded = false;
  let isAlive = true;
  let finish: (cleanedUp: Promise<void>) => void = () => {};
  const done = new Promise((resolve) => {
    finish = resolve;
  });

  const client: Client = {
    caller,
    login: undefined,
    live,
    refused: 0,
    admit(id) {
      live.add(id);
      admitted = id;
    },
    isEnded: () => isEnded,
    end(code, reason) {
      if (isEnded) return;
      socket.close(code, reason);
      // A client that does not answer the closing handshake is not waited for.
      const termination = setTimeout(() => socket.terminate(), CLOSE_MS);
      socket.once('close', () => clearTimeout(termination));
      cleanUp(code, reason);
    },
    after(ms, callback) {
      if (isEnded) return;
      clearTimeout(timer);
      timer = setTimeout(callback, Math.min(Math.max(ms, 0), MAX_TIMEOUT_MS)).unref();
    },
    ping() {
      if (!isAlive) return socket.terminate();
      isAlive = false;
      socket.ping();
    },
    done,
  };

  function cleanUp(code: number, reason: string): void {
    if (isEnded) return;
    isEnded = true;
    clearTimeout(timer);
    finish(closed(code, reason).catch(onError));
  }

  function send(data: string): void {
    if (socket.bufferedAmount + data.length > bufferedBytes) client.end(1013, 'Too slow');
    else socket.send(data, () => {});
  }

  function receive(handle: (data: string) => Promise<void>, data: string): void {
    admitted = undefined;
    const handled = handle(data);
    // The protocol asks for admission before it first waits, and `handled` settles when the operation has ended.
    const id = admitted;
    handled
      .catch((error: unknown) => {
        onError(error);
        client.end(4500, 'Internal server error');
      })
      .finally(() => {
        if (id !== undefined) live.delete(id);
      });
  }

  const closed = protocol.opened(
    {
      protocol: socket.protocol,
      send,
      close: (code = 1000, reason = '') => client.end(code, reason),
      onMessage(handle) {
        socket.on('message', (data, isBinary) => {
          if (isEnded) return;
          if (isBinary) client.end(4400, 'Invalid message received');
          else receive(handle, data.toString());
        });
      },
    },
    client,
  );
  socket.on('pong', () => {
    isAlive = true;
  });
  socket.on('close', (code, reason) => cleanUp(code, reason.toString()));
  // What ws finds wrong with a frame it answers itself; the socket closes after it.
  socket.on('error', () => {});
  return client;
}
