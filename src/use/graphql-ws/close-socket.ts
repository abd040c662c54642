import type { WebSocket } from 'ws';

const CLOSE_MS = 1_000;

/** Closes a socket; a client that does not answer the closing handshake is not waited for. */
export function closeSocket(socket: WebSocket, code: number, reason: string): void {
  socket.close(code, reason);
  const termination = setTimeout(() => socket.terminate(), CLOSE_MS);
  socket.once('close', () => clearTimeout(termination));
}
