import { configInvalid } from '../../core/config-invalid.ts';
import {
  type Authenticator,
  type Caller,
  type CallerAuthenticator,
  DoorwardError,
  type EnvironmentSource,
  type MaybePromise,
  type Principal,
  principalFrom,
} from '../../core/index.ts';
import type { AuthContext } from '../../graphql/index.ts';
import type { Credentials } from '../../http/credentials.ts';
import { refusalForms } from '../../http/identify.ts';
import type { Bearer } from '../../http/index.ts';
import { createLiveOperation, type LiveOperation, type Login, loginOf } from './live-operation.ts';
import { notGood, notKnown, type Refusal } from './refusal.ts';

/** Where an operation comes from. */
export interface OperationCaller extends Caller {
  readonly userAgent?: string | undefined;
  /** Whether only a token tells whose it is: a browser may have been made to send it. */
  readonly isForgeable?: boolean;
}

/** An operation that may begin, perhaps of nobody known. */
export interface Entered {
  /**
   * New for each operation: what is decided is remembered by its principal. Its signal aborts with a `DoorwardError`
   * when the login ends (401) or nobody can tell (503), and with an `AbortError` on `leave`.
   */
  readonly auth: AuthContext & { readonly signal: AbortSignal };
  /** Ends the operation and forgets it: its streams end, its timer is cleared. Call it once it is over, however it ended. */
  leave(): void;
}

export interface OperationAuthOptions {
  readonly authenticate: Authenticator;
  /** Finds a principal where no token is presented at all, for example by client certificate. @default nobody */
  readonly authenticateCaller?: CallerAuthenticator | undefined;
  readonly environment: EnvironmentSource;
  /** Named in every challenge (RFC 9728 section 5.1). @default none */
  readonly resourceMetadata?: string | undefined;
  /** Gets what went wrong and is not told to a client. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** The one way from a token to the context of an operation, over HTTP, WebSocket and server-sent events. */
export interface OperationAuth {
  /** @returns a refusal for credentials that are not good, or of which nobody can tell; never rejects. */
  enter(presented: Bearer | Credentials, caller?: OperationCaller): MaybePromise<Entered | Refusal>;
  /** Ends what a principal has running, at once; with a session only what was begun with a token of it. */
  revoke(principalId: string, sessionId?: string): void;
  /** Ends everything and lets nothing in any more. */
  close(): void;
}

/** Tells whose operations were ended. */
type Revocation = (login: Login) => boolean;

export function isRefusal(answer: Entered | Refusal): answer is Refusal {
  return 'status' in answer;
}

/** Makes what all operations of one host enter through. */
export function createOperationAuth(options: OperationAuthOptions): OperationAuth {
  const { authenticate, authenticateCaller = () => undefined, environment } = options;
  if (typeof authenticate !== 'function') throw configInvalid('authenticate', 'must be a function');
  if (typeof authenticateCaller !== 'function') throw configInvalid('authenticateCaller', 'must be a function');
  if (typeof environment !== 'function') throw configInvalid('environment', 'must be a function');
  const forms = refusalForms('error', options.resourceMetadata);
  const onError = unfailing(options.onError);
  const live = new Set<LiveOperation>();
  /** For every caller that is being authenticated what was revoked meanwhile. */
  const outstanding = new Set<Revocation[]>();
  let isClosed = false;

  /** @returns `undefined` for who is refused. */
  async function identify(presented: Presented, caller: OperationCaller): Promise<Principal | Anonymous | undefined> {
    if (presented.kind === 'token') return principalFrom(await authenticate(presented.token, caller));
    const answer = caller.isForgeable === true ? undefined : await authenticateCaller(caller);
    return answer === undefined ? 'ANONYMOUS' : principalFrom(answer);
  }

  function begin(principal: Principal | undefined, presented: Presented, caller: OperationCaller): Entered {
    const { ip, requestId, userAgent } = caller;
    const facts = { ...(ip !== undefined && { ip }), ...(userAgent !== undefined && { userAgent }) };
    const moment = (): ReturnType<EnvironmentSource> => environment(facts);
    const operation = createLiveOperation(principal, moment, onError);
    live.add(operation);

    /** A refusal ends the operation; not knowing is an error, and what it means is for who asked. */
    async function reauthenticate(): Promise<Principal | undefined> {
      const found = await identify(presented, caller);
      if (operation.isEnded()) return undefined;
      if (found !== undefined && found !== 'ANONYMOUS' && found.id === principal?.id) return found;
      end(operation, new DoorwardError('AUTH_NOT_AUTHENTICATED'));
      return undefined;
    }

    const auth: Entered['auth'] = {
      principal,
      environment: moment,
      ...(requestId !== undefined && { requestId }),
      ...(principal !== undefined && { reauthenticate }),
      get signal() {
        return operation.signal();
      },
    };
    return { auth, leave: () => end(operation) };
  }

  function end(operation: LiveOperation, reason?: DoorwardError): void {
    live.delete(operation);
    operation.end(reason);
  }

  return {
    async enter(presented, caller = {}) {
      const form = forms['scheme' in presented ? presented.scheme : 'Bearer'];
      if (isClosed) return notKnown(undefined, form);
      if (presented.kind === 'invalid') {
        const lacksProof = 'error' in presented && presented.error === 'invalid_dpop_proof';
        return notGood({ ...form, presented: true, lacksProof });
      }
      const revoked: Revocation[] = [];
      outstanding.add(revoked);
      try {
        for (;;) {
          const found = await identify(presented, caller);
          if (isClosed) return notKnown(undefined, form);
          if (found === undefined) return notGood({ ...form, presented: presented.kind === 'token' });
          if (found === 'ANONYMOUS') return begin(undefined, presented, caller);
          const login = loginOf(found);
          // Whoever was revoked meanwhile was not found among the living: the answer may be an old one.
          if (!revoked.splice(0).some((concerns) => concerns(login))) return begin(found, presented, caller);
        }
      } catch (error) {
        onError(error);
        return notKnown(error, form);
      } finally {
        outstanding.delete(revoked);
      }
    },
    revoke(principalId, sessionId) {
      const concerns = (login: Login): boolean =>
        login.principalId === principalId && (sessionId === undefined || login.sessionId === sessionId);
      for (const revoked of outstanding) revoked.push(concerns);
      for (const operation of live) {
        if (operation.login === undefined || !concerns(operation.login)) continue;
        end(operation, new DoorwardError('AUTH_NOT_AUTHENTICATED'));
      }
    },
    close() {
      isClosed = true;
      for (const operation of live) end(operation, new DoorwardError('SERVICE_UNAVAILABLE'));
    },
  };
}

type Anonymous = 'ANONYMOUS';
type Presented = Exclude<Bearer | Credentials, { readonly kind: 'invalid' }>;

/** A listener that throws would turn a refusal into something else. */
function unfailing(listener: OperationAuthOptions['onError']): (error: unknown) => void {
  return (error) => {
    try {
      listener?.(error);
    } catch {
      // Nobody is left to tell.
    }
  };
}
