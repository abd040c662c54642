import type { Bearer } from '../../http/index.ts';
import type { Entered } from '../graphql/operation-auth.ts';
import type { SocketCaller } from './options.ts';

/** Closes a socket. */
export type Close = (code: number, reason: string) => void;

/** Who is on a socket, and what runs for them. */
export interface Visitor {
  readonly caller: SocketCaller;
  /** What `connection_init` presented; every operation presents it again. */
  presented: Bearer;
  /** Whose the socket is; absent for an anonymous client. */
  principalId: string | undefined;
  /** The ids of the operations that run. */
  readonly live: ReadonlySet<string>;
  /** How many operations were refused since one was let in. */
  refused: number;
  /** Takes up a place for an operation. */
  admit(id: string): void;
  /** Keeps what was entered until its operation is released, or without an id for good. @returns false when that is over already. */
  hold(entered: Entered, id?: string): boolean;
  /** Gives the place of an operation back, once it has ended. */
  release(id: string): void;
  isEnded(): boolean;
  /** Ends the socket and everything that runs on it; the first call counts. */
  end: Close;
  /** Ends what runs on a socket that is closed; the first call counts. */
  leave(returnStreams?: () => void): void;
}

/** @param close - closes the socket and has the visitor leave. */
export function createVisitor(caller: SocketCaller, close: Close): Visitor {
  const live = new Set<string>();
  const held = new Map<string | undefined, Entered>();
  let isEnded = false;

  return {
    caller,
    presented: { kind: 'none' },
    principalId: undefined,
    live,
    refused: 0,
    admit: (id) => void live.add(id),
    hold(entered, id) {
      if (isEnded || (id !== undefined && !live.has(id))) {
        entered.leave();
        return false;
      }
      held.set(id, entered);
      return true;
    },
    release(id) {
      live.delete(id);
      held.get(id)?.leave();
      held.delete(id);
    },
    isEnded: () => isEnded,
    end(code, reason) {
      if (!isEnded) close(code, reason);
    },
    leave(returnStreams) {
      if (isEnded) return;
      isEnded = true;
      // Whoever waits for the streams to be returned has to hear of it before they end by themselves.
      returnStreams?.();
      for (const { leave } of held.values()) leave();
      held.clear();
    },
  };
}
