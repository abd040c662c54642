import type { Server } from 'graphql-ws';
import type { WebSocket } from 'ws';
import { closeSocket } from './close-socket.ts';
import type { SocketCaller } from './options.ts';
import { createVisitor, type Visitor } from './visitor.ts';

/** One open socket of our own server. */
export interface Client extends Visitor {
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

/** Runs the protocol on a WebSocket. */
export function createClient(socket: WebSocket, caller: SocketCaller, options: ClientOptions): Client {
  const { protocol, bufferedBytes, onError } = options;
  let admitted: string | undefined;
  let isAlive = true;
  let finish: (cleanedUp: Promise<void>) => void = () => {};
  const done = new Promise((resolve) => {
    finish = resolve;
  });

  const visitor = createVisitor(caller, (code, reason) => {
    closeSocket(socket, code, reason);
    cleanUp(code, reason);
  });
  const client: Client = Object.assign(visitor, {
    admit: admitting(visitor.admit),
    ping() {
      if (!isAlive) return socket.terminate();
      isAlive = false;
      socket.ping();
    },
    done,
  });

  function admitting(admit: Visitor['admit']): Visitor['admit'] {
    return (id) => {
      admit(id);
      admitted = id;
    };
  }

  function cleanUp(code: number, reason: string): void {
    client.leave(() => finish(closed(code, reason).catch(onError)));
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
        if (id !== undefined) client.release(id);
      });
  }

  const closed = protocol.opened(
    {
      protocol: socket.protocol,
      send,
      close: (code = 1000, reason = '') => client.end(code, reason),
      onMessage(handle) {
        socket.on('message', (data, isBinary) => {
          if (client.isEnded()) return;
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
