import { Pool } from 'undici';
import { type AccessRequest, type Decision, deny, type PolicyDecisionPoint, publishAudit } from '../core/index.ts';
import { type Asking, nothingToLeave } from './asking.ts';
import { type CircuitState, circuitBreaker } from './circuit-breaker.ts';
import { after, deadlines, type Later } from './deadlines.ts';
import { decisionCache } from './decision-cache.ts';
import { askHealth, type OpaHealth } from './health.ts';
import { inParallel } from './in-parallel.ts';
import { askInTurn } from './in-turn.ts';
import { type OpaClientOptions, type OpaClientSettings, settingsOf } from './opa-client-options.ts';
import { singleFlight } from './single-flight.ts';
import { upstream } from './upstream.ts';
import { bodyOf, rolesOf, rolesToAsk, wireBody } from './wire-input.ts';
import { within } from './within.ts';

export interface OpaCallOptions {
  /** Ends the call when nobody else waits for it; the decision is then a denial as `unavailable`. */
  readonly signal?: AbortSignal;
}

/** A decision point that asks an OPA server. */
export interface OpaClient extends PolicyDecisionPoint {
  decide(request: AccessRequest, options?: OpaCallOptions): Promise<Decision>;
  /** Decides many, as many at a time as there are connections, within the time of one decision. */
  decideAll(requests: readonly AccessRequest[], options?: OpaCallOptions): Promise<readonly Decision[]>;
  /** Asks the server whether it is up, its bundles are activated and its plugins are well. */
  health(): Promise<OpaHealth>;
  /** Whether the server is asked (`closed`), or left alone after many failures (`open`). */
  state(): CircuitState;
  /** Forgets every answer, and lets nobody join a call that is under way. */
  clear(): void;
  /** Ends the connections. Whatever is asked afterwards is denied as `unavailable`. */
  close(): Promise<void>;
}

/** A call that began so many milliseconds ago, or a quarter of the time limit, is not joined any more. */
const JOIN_MS = 500;

/**
 * Makes a client of OPA's data API (`POST /v1/data/<path>`). Only a `200` whose JSON has `"result": true`
 * allows. `false` denies with reason `no_rule`; whatever is no answer denies as `undefined_decision`,
 * `invalid_answer`, `unavailable` or `timeout`. It follows no redirect, and repeats a call only when no byte of it
 * was sent.
 *
 * A subject with several roles is allowed if any of them is: the policy is asked role by role, in `roleOrder`,
 * until it allows.
 *
 * @throws `CONFIG_INVALID` when an option is not valid.
 * @example
 * const opa = createOpaClient({ url: 'http://127.0.0.1:8181', roleOrder: ['admin', 'editor', 'viewer'] });
 * const decision = await opa.decide(request);
 */
export function createOpaClient(options: OpaClientOptions): OpaClient {
  const settings = settingsOf(options);
  const { target, timeoutMs, connections, clock } = settings;
  const dispatcher = settings.dispatcher ?? poolOf(settings);
  const source = `${target.origin}${target.path}`;
  const breaker = circuitBreaker({
    ...settings.circuit,
    clock,
    onChange: (state) => {
      publishAudit(
        state === 'open' ? { type: 'pdp.failed', source, reason: 'circuit_open' } : { type: 'pdp.recovered', source },
      );
    },
  });
  const send = upstream({ ...settings, dispatcher, breaker });
  const cache =
    settings.cache === undefined
      ? undefined
      : decisionCache({ revision: undefined, ...settings.cache, clock, onForget: () => flights?.forget() });
  const fetch: Asking = cache === undefined ? send : (body, tell) => send(body, cache.keeping(body, tell));
  const flights = settings.isShared ? singleFlight(fetch, Math.min(JOIN_MS, timeoutMs / 4)) : undefined;
  const join = flights?.ask ?? fetch;
  const deadline = deadlines(timeoutMs);
  let closed: Promise<void> | undefined;

  const ask: Asking = (body, tell) => {
    const known = cache?.find(body);
    if (known !== undefined) tell(known);
    else if (breaker.admits()) return join(body, tell);
    else tell(deny('unavailable'));
    return nothingToLeave;
  };

  const decide = (request: AccessRequest, later: Later, signal: AbortSignal | undefined): Promise<Decision> =>
    within(later, signal, (tell) => {
      if (closed !== undefined) {
        tell(deny('unavailable'));
        return nothingToLeave;
      }
      if (settings.input !== undefined) return ask(bodyOf(settings.input(request)), tell);
      const held = rolesOf(request.subject.roles);
      const roles = rolesToAsk(held, settings.roleOrder);
      return askInTurn(roles.length, (index) => wireBody(request, roles[index] ?? '', held), ask, tell);
    });

  return {
    decide: (request, options) => decide(request, deadline, options?.signal),
    decideAll: (requests, options) => {
      const end = performance.now() + timeoutMs;
      return inParallel(requests, connections, async (request) => {
        const left = end - performance.now();
        return left > 0 ? decide(request, after(left), options?.signal) : deny('timeout');
      });
    },
    health: () => askHealth({ ...settings, ...target, dispatcher }),
    state: breaker.state,
    clear: () => {
      cache?.clear();
      flights?.forget();
    },
    close: () => (closed ??= settings.dispatcher === undefined ? dispatcher.close() : Promise.resolve()),
  };
}

/** undici's own timers are off: every call ends by the deadline of those who wait for it. */
function poolOf({ target, connections, timeoutMs, tls }: OpaClientSettings): Pool {
  return new Pool(target.origin, {
    connections,
    headersTimeout: 0,
    bodyTimeout: 0,
    // Written out, since an environment variable could switch the verification off.
    connect: { timeout: timeoutMs, rejectUnauthorized: true, ...(tls as object | undefined) },
  });
}
