import { type Dispatcher, Pool } from 'undici';
import { requireWholeNumber } from '../core/config-invalid.ts';
import { type AccessRequest, anyOf, type Decision, deny, type PolicyDecisionPoint } from '../core/index.ts';
import { decisionOf } from './answer.ts';
import { type Deadline, within } from './deadline.ts';
import { exchange } from './exchange.ts';
import { opaTarget } from './opa-target.ts';
import { bearerToken } from './options.ts';
import { rolesToAsk, wireInput } from './wire-input.ts';

export interface OpaClientOptions {
  /** Where the policy server is, for example `http://127.0.0.1:8181`; a path prefix is kept. */
  readonly url: string;
  /** The rule to ask for, below `/v1/data/`. @default 'authz/allow' */
  readonly path?: string;
  /** Sent as `Authorization: Bearer`. */
  readonly token?: string;
  /** Milliseconds for a whole decision: waiting for a connection and every call included. @default 2000 */
  readonly timeoutMs?: number;
  /** @default 65536 */
  readonly maxResponseBytes?: number;
  /** Connections kept to the server at most. @default 64 */
  readonly connections?: number;
  /** Roles from the most to the least privileged; roles not listed are asked last. */
  readonly roleOrder?: readonly string[];
  /** An undici dispatcher to send through, for example one with a client certificate; `close` leaves it open. */
  readonly dispatcher?: Dispatcher;
}

/** A decision point that asks an OPA server. */
export interface OpaClient extends PolicyDecisionPoint {
  decide(request: AccessRequest): Promise<Decision>;
  /** Ends the connections. Whatever is asked afterwards is denied as `unavailable`. */
  close(): Promise<void>;
}

/**
 * Makes a client of OPA's data API (`POST /v1/data/<path>`). Only a `200` whose JSON has `"result": true`
 * allows. `false` denies with reason `no_rule`; whatever is no answer denies as `undefined_decision`,
 * `invalid_answer`, `unavailable` or `timeout`. It follows no redirect and repeats no call.
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
  const { origin, path } = opaTarget(options.url, options.path ?? 'authz/allow');
  const timeoutMs = requireWholeNumber('timeoutMs', options.timeoutMs ?? 2_000, 1, 600_000);
  const maxResponseBytes = requireWholeNumber(
    'maxResponseBytes',
    options.maxResponseBytes ?? 65_536,
    1,
    Number.MAX_SAFE_INTEGER,
  );
  const connections = requireWholeNumber('connections', options.connections ?? 64, 1, Number.MAX_SAFE_INTEGER);
  const token = bearerToken('token', options.token);
  const roleOrder = [...new Set(options.roleOrder)];
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json',
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  };
  const dispatcher = options.dispatcher ?? new Pool(origin, { connections, connect: { timeout: timeoutMs } });
  let closed: Promise<void> | undefined;

  const call = async (body: string, deadline: Deadline): Promise<Decision> => {
    try {
      const request = { origin, path, method: 'POST', headers, body } as const;
      return decisionOf(await exchange(dispatcher, request, maxResponseBytes, deadline));
    } catch {
      return deny('unavailable');
    }
  };

  return {
    decide: (request) =>
      within(timeoutMs, async (deadline) => {
        const points = rolesToAsk(request.subject.roles, roleOrder).map((role) => ({
          decide: () => call(wireInput(request, role), deadline),
        }));
        return anyOf(...points).decide(request);
      }),
    close: () => (closed ??= options.dispatcher === undefined ? dispatcher.close() : Promise.resolve()),
  };
}
