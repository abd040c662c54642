import { configInvalid, refuseUnknownOptions } from '../core/config-invalid.ts';
import {
  ask,
  DoorwardError,
  denialOf,
  environmentSource,
  type MaybePromise,
  type PolicyDecisionPoint,
  publishDecision,
  type Resource,
} from '../core/index.ts';
import { requireDecisionPoint } from '../core/policy-decision-point.ts';
import { meetsStepUp, publishStepUp } from '../core/step-up.ts';
import { isWebAddress } from '../core/web-address.ts';
import { answering401 } from './answering-401.ts';
import {
  type Access,
  type AuthenticatedOptions,
  type DecisionOptions,
  type GatedHandler,
  type GateOptions,
  type GuardedHandler,
  type OptionalAccess,
  type ResourceAccess,
  readDemands,
} from './gate-options.ts';
import type { RequestInfo } from './handler.ts';
import { type Asking, createIdentify, refusal, refusalForms } from './identify.ts';
import { type ErrorResponseOptions, errorResponse } from './responses.ts';
import type { Params, Route } from './route.ts';

/** Wraps handlers so that they run only for those who may: first 401, then 403, then the handler. */
export interface Gate {
  /**
   * Lets every authenticated caller through.
   *
   * @throws `CONFIG_INVALID` when an option is unknown or cannot be meant; so do the others that take options.
   */
  authenticated(handler: GuardedHandler, options?: AuthenticatedOptions): GatedHandler;
  /** Lets anonymous callers through too; a token that is present and not good is still 401. */
  optional(handler: GuardedHandler<OptionalAccess>): GatedHandler;
  /**
   * Lets those through to whom the decision point grants the permission.
   *
   * @throws `CONFIG_INVALID` when the permission is empty, or none that the decision point knows.
   */
  requirePermission(permission: string, handler: GuardedHandler, options?: AuthenticatedOptions): GatedHandler;
  /**
   * Lets those through who may do the action on the resource.
   *
   * @throws `CONFIG_INVALID` when the action is empty.
   */
  requireDecision(options: DecisionOptions, handler: GuardedHandler<ResourceAccess>): GatedHandler;
}

/** One request on its way through a gate. */
interface Passage {
  readonly access: OptionalAccess;
  readonly at: Place;
}

/** Where a decision is enforced, the form of its refusals, and what tells that the caller is gone. */
interface Place {
  readonly point: string;
  readonly form: ErrorResponseOptions;
  readonly signal: AbortSignal | undefined;
}

const OPTIONS: readonly string[] = [
  ...['authenticate', 'authenticateCaller', 'pdp', 'environment', 'decisionTimeoutMs', 'resourceMetadata'],
];
const NO_PARAMS: Params = Object.freeze(Object.create(null));
const ROUTE: Resource = Object.freeze({ type: 'route', attributes: Object.freeze({}) });

/**
 * Makes a gate: it reads the token of a request, of the scheme `Bearer` or `DPoP` (RFC 9449 section 7.1),
 * authenticates it, asks the decision point, and publishes every decision. An answer that is no decision, is
 * late or fails is 503 and never lets anybody through. What `authenticate`, a resource loader or a handler throws
 * is for the router, but for a 401 behind the gate, which has the form of the gate's own.
 *
 * @throws `CONFIG_INVALID` when an option is missing, unknown or cannot be meant.
 * @example
 * const gate = createGate({ authenticate: accounts.authenticate, pdp: contractRoles, environment: environmentSource() });
 * const handler = gate.requirePermission('read', (_request, _info, { principal }) => json(200, { id: principal.id }));
 */
export function createGate(options: GateOptions): Gate {
  const { authenticate, authenticateCaller, pdp, environment, decisionTimeoutMs, resourceMetadata } =
    validated(options);
  const identify = createIdentify(authenticate, authenticateCaller);

  function passageOf({ principal, form }: Asking, request: Request, info: RequestInfo, route?: Route): Passage {
    const userAgent = request.headers.get('user-agent');
    const { ip } = info;
    return {
      access: {
        principal,
        params: route?.params ?? NO_PARAMS,
        environment: environment({ ...(ip !== undefined && { ip }), ...(userAgent !== null && { userAgent }) }),
      },
      at: {
        point: route?.name ?? `${request.method} ${new URL(request.url).pathname}`,
        form,
        signal: request.signal,
      },
    };
  }

  function guarded(
    options: AuthenticatedOptions,
    proceed: (request: Request, info: RequestInfo, access: Access, at: Place) => MaybePromise<Response>,
  ): GatedHandler {
    const { bodyKey, stepUp } = readDemands(options);
    const forms = refusalForms(bodyKey, resourceMetadata);
    return async (request, info, route) => {
      const asking = await identify(request, info, forms);
      if (asking instanceof Response) return asking;
      const { access, at } = passageOf(asking, request, info, route);
      const { principal, params, environment } = access;
      if (principal === undefined) return refusal(at.form);
      if (stepUp !== undefined && !meetsStepUp(principal, stepUp, environment.time)) {
        publishStepUp(principal, { point: at.point, ip: info.ip, requestId: info.requestId });
        return errorResponse(new DoorwardError('AUTH_REAUTHENTICATION_REQUIRED', { stepUp }), at.form);
      }
      return answering401(at.form, async () => proceed(request, info, { principal, params, environment }, at));
    };
  }

  /** @returns the answer to give in place of the handler's, if the decision is not to allow. */
  async function refused(
    { requestId }: RequestInfo,
    { principal, environment }: Access,
    { point, form, signal }: Place,
    { pdp, action, resource, message }: Question,
  ): Promise<Response | undefined> {
    const request = { subject: principal, action, resource, environment };
    const decision = await ask(pdp, request, decisionTimeoutMs, signal);
    publishDecision({ point, request, decision, requestId });
    const denial = denialOf(principal, decision);
    if (denial === undefined) return undefined;
    if (denial === 'forbidden') {
      const { scope } = decision;
      const error = new DoorwardError('AUTHZ_FORBIDDEN', { problem: message });
      return errorResponse(error, scope === undefined ? form : { ...form, scope });
    }
    return errorResponse(new DoorwardError('SERVICE_UNAVAILABLE'));
  }

  return {
    authenticated: (handler, options = {}) => guarded(options, handler),

    optional: (handler) => {
      const forms = refusalForms('error', resourceMetadata);
      return async (request, info, route) => {
        const asking = await identify(request, info, forms);
        if (asking instanceof Response) return asking;
        return handler(request, info, passageOf(asking, request, info, route).access);
      };
    },

    requirePermission(permission, handler, options = {}) {
      const known = typeof permission === 'string' && (pdp.permissions?.includes(permission) ?? permission !== '');
      if (!known) throw configInvalid('permission', 'is not one that the decision point knows');
      const question = { pdp, action: permission, resource: ROUTE, message: `Requires permission: ${permission}` };
      return guarded(options, async (request, info, access, at) => {
        return (await refused(info, access, at, question)) ?? handler(request, info, access);
      });
    },

    requireDecision(options, handler) {
      const { action, resource: load, pdp: own = pdp, ...demands } = options;
      if (typeof action !== 'string' || action === '') throw configInvalid('action', 'must be a non-empty string');
      if (typeof load !== 'function') throw configInvalid('resource', 'must be a function');
      return guarded(demands, async (request, info, access, at) => {
        const resource = await load(request, access.params, access.principal);
        const question = { pdp: own, action, resource, message: `Not allowed: ${action}` };
        return (await refused(info, access, at, question)) ?? handler(request, info, { ...access, resource });
      });
    },
  };
}

interface Question {
  readonly pdp: PolicyDecisionPoint;
  readonly action: string;
  readonly resource: Resource;
  /** What a denied caller is told. */
  readonly message: string;
}

function validated(
  options: GateOptions,
): Required<Omit<GateOptions, 'resourceMetadata'>> & Pick<GateOptions, 'resourceMetadata'> {
  refuseUnknownOptions(options, OPTIONS);
  const { authenticate, pdp, environment = environmentSource() } = options;
  const { authenticateCaller = () => undefined, decisionTimeoutMs = 2_000, resourceMetadata } = options;
  if (typeof authenticate !== 'function') throw configInvalid('authenticate', 'must be a function');
  if (typeof authenticateCaller !== 'function') throw configInvalid('authenticateCaller', 'must be a function');
  requireDecisionPoint('pdp', pdp);
  if (typeof environment !== 'function') throw configInvalid('environment', 'must be a function');
  if (!(decisionTimeoutMs > 0 && decisionTimeoutMs <= 60_000)) {
    throw configInvalid('decisionTimeoutMs', 'must be more than 0 and at most 60000');
  }
  if (resourceMetadata !== undefined && !isWebAddress(resourceMetadata)) {
    throw configInvalid('resourceMetadata', 'must be an https address, or an http one on this machine');
  }
  return {
    ...{ authenticate, authenticateCaller, pdp, environment, decisionTimeoutMs },
    ...(resourceMetadata !== undefined && { resourceMetadata }),
  };
}
