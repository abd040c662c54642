import { DoorwardError, type Environment, type Principal, type Session } from '../../core/index.ts';

/** Whose an operation is; the session is absent for what has no login, such as an API key. */
export interface Login {
  readonly principalId: string;
  readonly sessionId: string | undefined;
}

/** An operation, or a connection, for as long as it lasts. */
export interface LiveOperation {
  /** Absent for an anonymous caller. */
  readonly login: Login | undefined;
  /** Aborts when the operation ends; the clock of its token runs from the first time that it is asked for. */
  signal(): AbortSignal;
  isEnded(): boolean;
  /** Ends the operation; the first call counts. Without a reason it was over. */
  end(reason?: DoorwardError): void;
}

const MAX_TIMEOUT_MS = 2 ** 31 - 1;

export function loginOf({ id, session }: Principal): Login {
  return { principalId: id, sessionId: session?.id };
}

/** Follows an operation until its token ends, or until somebody ends it. */
export function createLiveOperation(
  principal: Principal | undefined,
  environment: () => Environment,
  onError: (error: unknown) => void,
): LiveOperation {
  // Most operations are over before anybody asks: they need neither a controller nor a timer.
  let controller: AbortController | undefined;
  let timer: NodeJS.Timeout | undefined;
  let ended: { readonly reason: DoorwardError | undefined } | undefined;

  function end(reason?: DoorwardError): void {
    if (ended !== undefined) return;
    ended = { reason };
    clearTimeout(timer);
    controller?.abort(reason);
  }

  /** The clock is asked again when the time is up: a timer may be early, and cannot wait for a month. */
  function watch(expiresAt: Session['expiresAt']): void {
    try {
      const remaining = expiresAt * 1_000 - environment().time;
      if (remaining > 0) timer = setTimeout(watch, Math.min(remaining, MAX_TIMEOUT_MS), expiresAt).unref();
      else end(new DoorwardError('AUTH_NOT_AUTHENTICATED'));
    } catch (cause) {
      onError(cause);
      end(new DoorwardError('SERVICE_UNAVAILABLE', { cause }));
    }
  }

  return {
    login: principal === undefined ? undefined : loginOf(principal),
    signal() {
      if (controller !== undefined) return controller.signal;
      controller = new AbortController();
      if (ended !== undefined) controller.abort(ended.reason);
      else if (principal?.session !== undefined) watch(principal.session.expiresAt);
      return controller.signal;
    },
    isEnded: () => ended !== undefined,
    end,
  };
}
