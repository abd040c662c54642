import { bearerCheck, bearerToken } from '../core/bearer-token.ts';
import { configInvalid, refuseUndefined, refuseUnknownOptions, requireWholeNumber } from '../core/config-invalid.ts';
import {
  type AccessRequest,
  ask,
  type Decision,
  deny,
  type EnvironmentSource,
  isIndeterminate,
  type PolicyDecisionPoint,
} from '../core/index.ts';
import { type JsonLimits, parseJsonObject } from '../core/json-object.ts';
import { requireDecisionPoint } from '../core/policy-decision-point.ts';
import { readBytes } from '../core/read-bytes.ts';
import { membersOf } from './members.ts';
import { readDecisionCallInput } from './wire-request.ts';

export interface DecisionEndpointOptions {
  /** Answers the calls. */
  readonly pdp: PolicyDecisionPoint;
  /** Tells the hour when a call does not. */
  readonly environment: EnvironmentSource;
  /** Callers must send it as `Authorization: Bearer`; without it everyone may call. */
  readonly token?: string;
  /** @default '/v1/data/authz/allow' */
  readonly path?: string;
  /** How long a decision may take, in milliseconds, before the answer is 500. @default 2000 */
  readonly decisionTimeoutMs?: number;
  /** Reads the `input` of a call. @default readDecisionCallInput */
  readonly readInput?: (input: unknown, environment: EnvironmentSource) => AccessRequest;
}

const MAX_BODY_BYTES = 65_536;
const NO_INPUT = { code: 'api_usage_warning', message: "'input' key missing from the request" };

/**
 * Serves one decision as OPA's data API does (`POST /v1/data/authz/allow`), so that whatever can ask an OPA
 * server can ask this decision point. Of a user's roles only `user.role` counts, as for a policy that reads it.
 *
 * @throws `CONFIG_INVALID` when an option is not valid.
 * @example
 * const endpoint = createDecisionEndpoint({ pdp: engine, environment: environmentSource() });
 * const response = await endpoint(request);
 */
export function createDecisionEndpoint(options: DecisionEndpointOptions): (request: Request) => Promise<Response> {
  const { pdp, environment, isTrusted, path, decisionTimeoutMs, readInput } = settingsOf(options);

  // A decision call holds texts and an hour; what else stands in it, nobody reads.
  const limits = { iJson: readInput !== readDecisionCallInput };

  const decisionOn = async (input: unknown): Promise<Decision> => {
    try {
      return await ask(pdp, readInput(input, environment), decisionTimeoutMs);
    } catch {
      return deny('error');
    }
  };

  return async (request) => {
    if (new URL(request.url).pathname !== path) return failure(404, 'resource_not_found', 'no such document');
    if (!isTrusted(request.headers.get('authorization'))) {
      return failure(401, 'unauthorized', 'request rejected by administrative policy', {
        'www-authenticate': 'Bearer',
      });
    }
    if (request.method !== 'POST') return failure(405, 'invalid_parameter', 'method not allowed', { allow: 'POST' });

    const call = await documentOf(request, limits);
    if (call === 'too large') return failure(413, 'invalid_parameter', 'request body too large');
    if (call === 'malformed') return failure(400, 'invalid_parameter', 'body contains malformed input document');

    const input = call.get('input') ?? undefined;
    const decision = await decisionOn(input);
    if (isIndeterminate(decision)) return failure(500, 'internal_error', 'the decision point did not answer');
    return answer(200, { result: decision.allowed, ...(input === undefined && { warning: NO_INPUT }) });
  };
}

const OPTIONS = ['pdp', 'environment', 'token', 'path', 'decisionTimeoutMs', 'readInput'];
const PATH = /^(?:\/[\w.~-]+)+$/;

function settingsOf(options: DecisionEndpointOptions) {
  refuseUnknownOptions(options, OPTIONS);
  refuseUndefined(options, ['token']);
  const { pdp, environment, path = '/v1/data/authz/allow', readInput = readDecisionCallInput } = options;
  requireDecisionPoint('pdp', pdp);
  if (typeof environment !== 'function') throw configInvalid('environment', 'must be a function');
  if (typeof readInput !== 'function') throw configInvalid('readInput', 'must be a function');
  if (typeof path !== 'string' || !PATH.test(path))
    throw configInvalid('path', 'must be segments that each begin with "/"');
  return {
    pdp,
    environment,
    path,
    readInput,
    isTrusted: bearerCheck(bearerToken('token', options.token)),
    decisionTimeoutMs: requireWholeNumber('decisionTimeoutMs', options.decisionTimeoutMs ?? 2_000, 1, 60_000),
  };
}

/** As in OPA, an empty body and `null` are documents without an input. */
async function documentOf(
  request: Request,
  limits: JsonLimits,
): Promise<ReadonlyMap<string, unknown> | 'malformed' | 'too large'> {
  try {
    if (request.body === null) return new Map();
    const bytes = await readBytes(request.body, MAX_BODY_BYTES);
    if (bytes === undefined) return 'too large';
    if (/^\s*(?:null\s*)?$/.test(bytes.toString('utf8'))) return new Map();
    const document = parseJsonObject(bytes, limits);
    return document === undefined ? 'malformed' : membersOf(document);
  } catch {
    return 'malformed';
  }
}

function failure(status: number, code: string, message: string, headers: Record<string, string> = {}): Response {
  return answer(status, { code, message }, headers);
}

function answer(status: number, body: unknown, headers: Record<string, string> = {}): Response {
  return Response.json(body, { status, headers: { 'cache-control': 'no-store', ...headers } });
}
