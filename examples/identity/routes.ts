import {
  accountRoutes,
  apiKeyRoutes,
  type Gate,
  json,
  passkeyRoutes,
  type RouteHandler,
  type Routes,
  sessionRoutes,
  totpRoutes,
} from 'doorward/http';
import { consentRoutes, protectedResourceRoutes } from 'doorward/oauth';
import { publicJwks } from 'doorward/tokens';
import { toString as qrCode } from 'qrcode';
import type { Identity } from './identity.ts';
import { SCOPES } from './oauth.ts';
import { accountPage } from './page.ts';

/** The routes by which people log in and look after their accounts, the page over them, and our public keys. */
export function identityRoutes(
  { accounts, totp, passkeys, apiKeys, oauth, keyring, base, issuer }: Identity,
  gate: Gate,
): Routes {
  const factors = [totp, passkeys];
  const totpTable = totpRoutes({ accounts, gate, totp, factors });
  return {
    ...accountRoutes(accounts, gate),
    ...sessionRoutes(accounts, gate),
    ...totpTable,
    'POST /account/totp': withQrCode(totpTable['POST /account/totp']),
    ...passkeyRoutes({ accounts, gate, passkeys, factors }),
    ...apiKeyRoutes(apiKeys, gate),
    ...accountPage(),
    ...(oauth
      ? { ...oauth.routes, ...consentRoutes(oauth.consents, gate) }
      : { 'GET /jwks': () => json(200, publicJwks(keyring), { 'cache-control': 'public, max-age=300' }) }),
    ...protectedResourceRoutes({ resource: base, authorizationServers: [issuer], scopes: Object.keys(SCOPES) }),
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
