import { configInvalid, refuseUnknownOptions } from '../core/config-invalid.ts';
import type {
  Authenticator,
  CallerAuthenticator,
  Environment,
  EnvironmentSource,
  MaybePromise,
  PolicyDecisionPoint,
  Principal,
  Resource,
  StepUp,
  Vocabulary,
} from '../core/index.ts';
import { checkedAcrValues, checkedMaxAge } from '../core/step-up.ts';
import type { RequestInfo } from './handler.ts';
import type { BodyKey } from './responses.ts';
import type { Params, Route } from './route.ts';

/** A decision point, and the permissions it knows where it can tell them, as a role table can. */
export type GatePolicy = PolicyDecisionPoint & Partial<Pick<Vocabulary, 'permissions'>>;

export interface GateOptions {
  readonly authenticate: Authenticator;
  /** Finds a principal where the request has no `Authorization` header at all, for example by client certificate. @default nobody */
  readonly authenticateCaller?: CallerAuthenticator;
  readonly pdp: GatePolicy;
  /** Tells the facts of the moment, with the hour in your time zone. @default environmentSource() */
  readonly environment?: EnvironmentSource;
  /** How long a decision may take, in milliseconds, before the answer is 503. @default 2000 */
  readonly decisionTimeoutMs?: number;
  /** The address of the resource's metadata, as `resourceMetadataUrl` tells it; named in every challenge that the gate itself writes (RFC 9728 section 5.1). @default none */
  readonly resourceMetadata?: string;
}

export interface AuthenticatedOptions {
  /** How recent the login has to be, in seconds; an older one is 401 with a challenge (RFC 9470 section 3). */
  readonly maxAuthAgeSeconds?: number;
  /**
   * The authentication context classes of which the login must have one, for example `'aal2'`; another one is 401
   * with a challenge (RFC 9470 section 3). The list has no order: nothing stands for what it does not name.
   */
  readonly acr?: string | readonly string[];
  /** The name of the message in the body of a 401. @default 'error' */
  readonly bodyKey?: BodyKey;
}

export interface DecisionOptions extends AuthenticatedOptions {
  readonly action: string;
  /** Loads what the decision is about, once the caller is known. */
  readonly resource: (request: Request, params: Params, principal: Principal) => MaybePromise<Resource>;
  /** Answers in place of the gate's own decision point. */
  readonly pdp?: PolicyDecisionPoint;
}

/** What an open gate lets through: perhaps nobody known. */
export interface OptionalAccess {
  readonly principal: Principal | undefined;
  readonly params: Params;
  /** The facts of the request, as decisions see them. */
  readonly environment: Environment;
}

/** What a gate lets through to its handler. */
export interface Access extends OptionalAccess {
  readonly principal: Principal;
}

/** What a decision was made about. */
export interface ResourceAccess extends Access {
  readonly resource: Resource;
}

/** A handler that knows who is asking. */
export type GuardedHandler<A = Access> = (request: Request, info: RequestInfo, access: A) => MaybePromise<Response>;

/** A handler behind a gate; it stands in a router's table, or alone as a `Handler`. */
export type GatedHandler = (request: Request, info: RequestInfo, route?: Route) => Promise<Response>;

/** What a gate asks of its callers beside a good token, and the form of its 401. */
export interface Demands {
  readonly stepUp: StepUp | undefined;
  readonly bodyKey: BodyKey;
}

const OPTIONS: readonly string[] = ['maxAuthAgeSeconds', 'acr', 'bodyKey'];

/**
 * Absent is absent, but a demand that is there must ask for something: `acr: undefined` would let everybody through.
 *
 * @throws `CONFIG_INVALID` for an option that is unknown or cannot be meant.
 */
export function readDemands(options: AuthenticatedOptions): Demands {
  refuseUnknownOptions(options, OPTIONS);
  const { maxAuthAgeSeconds, acr, bodyKey = 'error' } = options;
  if (bodyKey !== 'error' && bodyKey !== 'detail') throw configInvalid('bodyKey', "must be 'error' or 'detail'");
  const stepUp = {
    ...('maxAuthAgeSeconds' in options && { maxAgeSeconds: checkedMaxAge(maxAuthAgeSeconds, 'maxAuthAgeSeconds') }),
    ...('acr' in options && { acrValues: checkedAcrValues(typeof acr === 'string' ? [acr] : acr, 'acr') }),
  };
  return { stepUp: Object.keys(stepUp).length > 0 ? stepUp : undefined, bodyKey };
}
