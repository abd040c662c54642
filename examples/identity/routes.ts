import {
  accountRoutes,
  apiKeyRoutes,
  factorRoutes,
  type Gate,
  json,
  type RouteHandler,
  type Routes,
  sessionRoutes,
} from 'doorward/http';
import { publicJwks } from 'doorward/tokens';
import { toString as qrCode } from 'qrcode';
import type { Identity } from './identity.ts';
import { accountPage } from './page.ts';

/** The routes by which people log in and look after their accounts, the page over them, and our public keys. */
export function identityRoutes({ accounts, totp, passkeys, apiKeys, keyring }: Identity, gate: Gate): Routes {
  const factors = factorRoutes({ accounts, gate, totp, passkeys });
  return {
    ...accountRoutes(accounts, gate),
    ...sessionRoutes(accounts, gate),
    ...factors,
    'POST /account/totp': withQrCode(factors['POST /account/totp']),
    ...apiKeyRoutes(apiKeys, gate),
    ...accountPage(),
    'GET /jwks': () => json(200, publicJwks(keyring), { 'cache-control': 'public, max-age=300' }),
  };
}

/** Adds the QR code of the enrolment, so that the page needs no library of its own. */
function withQrCode(enrol: RouteHandler): RouteHandler {
  return async (request, info, route) => {
    const response = await enrol(request, info, route);
    if (response.status !== 200) return response;
    const enrolment = (await response.json()) as { secret: string; uri: string };
    return json(200, { ...enrolment, qr: await qrCode(enrolment.uri, { type: 'svg' }) });
  };
}
