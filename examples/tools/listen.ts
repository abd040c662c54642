import { DoorwardError } from 'doorward';
import { errorResponse, type Handler } from 'doorward/http';
import { serve } from 'doorward/use/node';
import type { Config } from '../server/config.ts';

/** Listens before there is anything to serve: what the addresses of the server go into is made afterwards. */
export async function listen({ PORT: port, HOST: host, BASE_URL, TRUSTED_PROXIES: trustedProxies }: Config) {
  let handler: Handler = () => errorResponse(new DoorwardError('SERVICE_UNAVAILABLE'));
  const running = await serve((request, info) => handler(request, info), { port, host, trustedProxies });
  const base = BASE_URL === undefined ? running.url : new URL(BASE_URL).origin;
  return {
    running,
    /** Where clients reach the server. */
    base,
    /** Where browsers do; they permit passkeys on a name and not on an address. */
    origin: BASE_URL === undefined ? `http://localhost:${new URL(running.url).port}` : base,
    serveWith: (ready: Handler) => {
      handler = ready;
    },
  };
}
