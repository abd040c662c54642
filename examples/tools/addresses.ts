import { DoorwardError } from 'doorward';
import { errorResponse, type Handler } from 'doorward/http';
import { serve } from 'doorward/use/node';
import type { Config } from '../server/config.ts';
import { isForBrowsers } from './settings.ts';

/**
 * Finds the addresses of the server before there is anything to serve, since tokens and pages name them. A free port
 * is only known when somebody listens on it, so there the server listens at once and is not ready yet.
 */
export async function addressesOf({ PORT: port, HOST: host, BASE_URL, TRUSTED_PROXIES: trustedProxies }: Config) {
  let handler: Handler = () => errorResponse(new DoorwardError('SERVICE_UNAVAILABLE'));
  const listen = () => serve((request, info) => handler(request, info), { port, host, trustedProxies });
  const early = port === 0 ? await listen() : undefined;
  const address = new URL(early?.url ?? `http://${host.includes(':') ? `[${host}]` : host}:${port}`);
  const local = new URL(`http://localhost:${address.port}`).origin;
  // Nobody can be sent to `0.0.0.0`, and OAuth has no use for an address elsewhere without TLS.
  const own = isForBrowsers(address) ? address.origin : local;
  const base = BASE_URL === undefined ? own : new URL(BASE_URL).origin;
  return {
    /** Where clients reach the server. */
    base,
    /** Where browsers do; they permit passkeys on a name and not on an address. */
    origin: BASE_URL === undefined ? local : base,
    serveWith(ready: Handler) {
      handler = ready;
      return early ?? listen();
    },
  };
}
