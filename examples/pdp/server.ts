import { type AccessRequest, environmentSource } from 'doorward';
import type { PolicyEngine } from 'doorward/abac';
import { createAuthzenEndpoint } from 'doorward/authzen';
import { createDecisionEndpoint, readAccessRequestInput, readDecisionCallInput } from 'doorward/opa';
import { type RunningServer, serve } from 'doorward/use/node';
import { type Arguments, isLoopback } from './arguments.ts';
import { openPolicy } from './policy-file.ts';

export interface PolicyServer extends RunningServer {
  readonly revision: () => string;
  /** Reads the file again; a bad one is thrown and changes nothing. */
  reload(): void;
}

/** Serves a policy: AuthZEN below `/access/v1`, OPA's data API at `/v1/data/authz/allow`, and `/health`. */
export async function startPolicyServer(options: Arguments): Promise<PolicyServer> {
  const { policy, host, port, token, reasons } = options;
  let engine = openPolicy(policy);
  const shared = {
    // The policy may be another one tomorrow, though not in the middle of a batch.
    pdp: {
      decide: (request: AccessRequest) => engine.decide(request),
      decideAll: (requests: readonly AccessRequest[]) => engine.decideAll(requests),
    },
    environment: environmentSource({ timeZone: options.timeZone }),
    ...(token !== undefined && { token }),
  };
  const opa = createDecisionEndpoint({
    ...shared,
    readInput: (input, environment) =>
      (isCall(input) ? readDecisionCallInput : readAccessRequestInput)(input, environment),
  });
  const authzenAt = (baseUrl: string | undefined) =>
    createAuthzenEndpoint({
      ...shared,
      reasons,
      search: { actions: () => actionsOf(engine) },
      ...(baseUrl !== undefined && { baseUrl }),
    });

  // The address is known once the server listens; a base address of one's own is checked before.
  let authzen = authzenAt(options.baseUrl);
  const server = await serve(
    (request) => {
      const { pathname } = new URL(request.url);
      if (pathname === '/health') return Response.json({});
      return pathname.startsWith('/v1/data/') ? opa(request) : authzen(request);
    },
    { host, port },
  );
  if (options.baseUrl === undefined && isLoopback(host)) authzen = authzenAt(server.url);
  return {
    ...server,
    revision: () => engine.revision,
    reload: () => {
      engine = openPolicy(policy);
    },
  };
}

/** A decision call has a `user`; an access request, as `toRego` reads it, has a `subject`. */
function isCall(input: unknown): boolean {
  return typeof input === 'object' && input !== null && Object.hasOwn(input, 'user');
}

/** The actions that a search tries: those that rules name. */
function actionsOf({ policy }: PolicyEngine): readonly string[] {
  return [...new Set(policy.rules.flatMap(({ actions = [] }) => actions))];
}
