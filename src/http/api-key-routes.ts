import type { ApiKeys } from '../api-keys/index.ts';
import { DoorwardError } from '../core/index.ts';
import { bodyLimits, readJson } from './body.ts';
import { byOwner, RECENTLY } from './by-owner.ts';
import type { Gate } from './gate.ts';
import { json } from './responses.ts';
import type { RouteHandler } from './route.ts';

/** The routes that {@link apiKeyRoutes} makes. */
export type ApiKeyRoutes = Readonly<
  Record<
    | 'GET /account/api-keys'
    | 'POST /account/api-keys'
    | 'POST /account/api-keys/{id}/replace'
    | 'DELETE /account/api-keys/{id}',
    RouteHandler
  >
>;

const DAY_SECONDS = 86_400;

/**
 * Makes the routes by which the owner of an account keeps its API keys. Every change asks for a login of the
 * last 15 minutes. Who only acts for the owner, as an API key does, gets 403.
 *
 * @example
 * const handler = createRouter({ ...accountRoutes(accounts, gate), ...apiKeyRoutes(apiKeys, gate) });
 */
export function apiKeyRoutes(
  apiKeys: Pick<ApiKeys, 'create' | 'list' | 'replace' | 'remove'>,
  gate: Pick<Gate, 'authenticated'>,
): ApiKeyRoutes {
  return {
    'GET /account/api-keys': byOwner(gate, async (_request, _info, { principal }) =>
      json(200, { apiKeys: await apiKeys.list(principal.id) }),
    ),
    'POST /account/api-keys': byOwner(
      gate,
      async (request, info, { principal }) => {
        const { name, scopes, expiresAt } = await readJson(request, bodyLimits.auth);
        return json(201, await apiKeys.create({ accountId: principal.id, name, scopes, expiresAt }, info));
      },
      RECENTLY,
    ),
    'POST /account/api-keys/{id}/replace': byOwner(
      gate,
      async (request, info, { principal, params }) => {
        const { overlapSeconds = DAY_SECONDS } = await readJson(request, bodyLimits.auth, { whenEmpty: {} });
        const issued = await apiKeys.replace(principal.id, params.id ?? '', { overlapSeconds }, info);
        if (issued === undefined) throw new DoorwardError('HTTP_NOT_FOUND');
        return json(201, issued);
      },
      RECENTLY,
    ),
    'DELETE /account/api-keys/{id}': byOwner(
      gate,
      async (_request, info, { principal, params }) => {
        if (!(await apiKeys.remove(principal.id, params.id ?? '', info))) throw new DoorwardError('HTTP_NOT_FOUND');
        return json(200, { message: 'API key removed' });
      },
      RECENTLY,
    ),
  };
}
