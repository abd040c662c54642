import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { type Credentials, readCredentials } from '../../http/credentials.ts';
import type { ClientAddress } from '../node/client-address.ts';
import { clientCertificate } from '../node/client-certificate.ts';
import { urlOf } from '../node/raw-request.ts';
import { mayBeForged } from './forgery.ts';
import type { OperationCaller } from './operation-auth.ts';

/** What a request of `node:http` presents, and where it comes from. */
export interface NodeRequest {
  readonly presented: Credentials;
  readonly caller: OperationCaller & { readonly requestId: string };
}

const READ = ['authorization', 'dpop', 'content-type', 'origin', 'sec-fetch-site'];

/**
 * Reads a request of `node:http` as a gate reads a Web request. A header that came twice is joined, so that it
 * presents nothing good: Node would silently take the first of two tokens.
 */
export function readNodeRequest(
  request: IncomingMessage,
  clientAddress: ClientAddress,
  requestId: () => string = randomUUID,
): NodeRequest {
  const { method = 'GET', socket } = request;
  const headers = new Headers();
  for (const name of READ) {
    for (const value of valuesOf(request, name)) headers.append(name, value);
  }
  const presented = readCredentials(headers);
  const ip = clientAddress(socket.remoteAddress, valuesOf(request, 'x-forwarded-for').join(',') || undefined);
  const userAgent = request.headers['user-agent'];
  const proof = presented.kind === 'token' ? presented.proof : undefined;
  return {
    presented,
    caller: {
      requestId: requestId(),
      isForgeable: mayBeForged(method, headers),
      certificate: clientCertificate(socket),
      ...(ip !== undefined && { ip }),
      ...(userAgent !== undefined && { userAgent }),
      ...(proof !== undefined && { dpop: { proof, method, url: addressOf(request) } }),
    },
  };
}

/** Every line of a header; those of HTTP/2 and of a request that only a test has made stand here too. */
function valuesOf({ rawHeaders }: IncomingMessage, name: string): string[] {
  return rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name);
}

/** The address as it was asked for: under Express a mounted handler sees only the rest of it. */
function addressOf(request: IncomingMessage & { readonly originalUrl?: string }): string {
  const { originalUrl: url = request.url ?? '', headers, socket } = request;
  return urlOf({ url, headers, socket })?.href ?? '';
}
