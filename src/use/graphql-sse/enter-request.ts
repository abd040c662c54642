import { IncomingMessage } from 'node:http';
import type { Request } from 'graphql-sse';
import type { MaybePromise } from '../../core/index.ts';
import { readCredentials } from '../../http/credentials.ts';
import { mayBeForged } from '../graphql/forgery.ts';
import type { HostEntrance } from '../graphql/host-auth.ts';
import type { Entered } from '../graphql/operation-auth.ts';
import type { Refusal } from '../graphql/refusal.ts';

/** A request as graphql-sse hands it over, of any host. */
export type SseRequest = Request<unknown, unknown>;

/** Lets a request in, or not. On Node the raw request tells more: its address, its certificate, and headers that came twice. */
export function enterRequest(entrance: HostEntrance, request: SseRequest): MaybePromise<Entered | Refusal> {
  const node = nodeRequestOf(request);
  if (node !== undefined) return entrance.enterNode(node);
  const { headers, method, url } = request;
  // An absent header is `undefined` on some hosts.
  const known = { get: (name: string) => headers.get(name) ?? null };
  const presented = readCredentials(known);
  const proof = presented.kind === 'token' ? presented.proof : undefined;
  const userAgent = headers.get('user-agent') ?? undefined;
  return entrance.enter(presented, {
    requestId: entrance.requestId(),
    isForgeable: mayBeForged(method, known),
    ...(userAgent !== undefined && { userAgent }),
    ...(proof !== undefined && { dpop: { proof, method, url } }),
  });
}

/** Fastify and others hand over a request of their own, with that of Node inside. */
function nodeRequestOf({ raw }: SseRequest): IncomingMessage | undefined {
  const { raw: inner = raw } = Object(raw) as { readonly raw?: unknown };
  return inner instanceof IncomingMessage ? inner : undefined;
}
