import type { Environment, MaybePromise, Principal } from '../core/index.ts';

/** Who is asking, as every GraphQL operation carries it in `context.auth`. Make one for each operation. */
export interface AuthContext {
  /** Absent for an anonymous caller. Replaced before every subscription event. */
  principal: Principal | undefined;
  /** Tells the facts of the moment; asked once per principal object, and only when a rule needs them. */
  readonly environment: () => Environment;
  /** Identifies the request in events. */
  readonly requestId?: string;
  /** Asked before every subscription event; `undefined` ends the stream. */
  readonly reauthenticate?: () => MaybePromise<Principal | undefined>;
  /** Ends the guarded streams of the operation at once when it aborts, for example because the login was revoked. */
  readonly signal?: AbortSignal;
}
