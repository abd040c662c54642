import { DoorwardError } from '../../core/index.ts';
import { byOwner } from '../../http/by-owner.ts';
import { type Gate, json, type RouteHandler } from '../../http/index.ts';
import type { ConsentControl } from './consent-control.ts';

/** The routes that {@link consentRoutes} makes. */
export type ConsentRoutes = Readonly<
  Record<'GET /account/consents' | 'DELETE /account/consents/{client_id}', RouteHandler>
>;

/**
 * Makes the routes by which the owner of an account sees which clients may act for it, and takes that back. Who
 * only acts for the owner, as those clients and API keys do, gets 403.
 *
 * @example
 * const handler = createRouter({ ...server.routes, ...consentRoutes(server.consents, gate) });
 */
export function consentRoutes(
  consents: Pick<ConsentControl, 'list' | 'revoke'>,
  gate: Pick<Gate, 'authenticated'>,
): ConsentRoutes {
  return {
    'GET /account/consents': byOwner(gate, async (_request, _info, { principal }) =>
      json(200, { consents: await consents.list(principal.id) }),
    ),
    'DELETE /account/consents/{client_id}': byOwner(gate, async (_request, info, { principal, params }) => {
      const isRevoked = await consents.revoke(principal.id, params.client_id ?? '', info);
      if (!isRevoked) throw new DoorwardError('HTTP_NOT_FOUND');
      return json(200, { message: 'Consent revoked' });
    }),
  };
}
