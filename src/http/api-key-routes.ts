import type { ApiKeys } from '../api-keys/index.ts';
import { DoorwardError } from '../core/index.ts';
import { bodyLimits, readJson } from './body.ts';
import type { Gate } from './gate.ts';
import { json } from './responses.ts';
import type { RouteHandler } from './route.ts';
import { RECENT_LOGIN_SECONDS } from './session-routes.ts';

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
 * last 15 minutes, which an API key is never taken for.
 *
 * @example
 * const handler = createRouter({ ...accountRoutes(accounts, gate), ...apiKeyRoutes(apiKeys, gate) });
 */
export function apiKeyRoutes(
  apiKeys: Pick<ApiKeys, 'create' | 'list' | 'replace' | 'remove'>,
  gate: Pick<Gate, 'authenticated'>,
): ApiKeyRoutes {
  const recently = { maxAuthAgeSeconds: RECENT_LOGIN_SECONDS };
  return {
    'GET /account/api-keys': gate.authenticated(async (_request, _info, { principal }) =>
      json(200, { apiKeys: await apiKeys.list(principal.id) }),
    ),
    'POST /account/api-keys': gate.authenticated(async (request, _info, { principal }) => {
      const { name, scopes, expiresAt } = await readJson(request, bodyLimits.auth);
      return json(201, await apiKeys.create({ accountId: principal.id, name, scopes, expiresAt }));
    }, recently),
    'POST /account/api-keys/{id}/replace': gate.authenticated(async (request, _info, { principal, params }) => {
      const { overlapSeconds = DAY_SECONDS } = await readJson(request, bodyLimits.auth, { whenEmpty: {} });
      const issued = await apiKeys.replace(principal.id, params.id ?? '', { overlapSeconds });
      if (issued === undefined) throw new DoorwardError('HTTP_NOT_FOUND');
      return json(201, issued);
    }, recently),
    'DELETE /account/api-keys/{id}': gate.authenticated(async (_request, _info, { principal, params }) => {
      if (!(await apiKeys.remove(principal.id, params.id ?? ''))) throw new DoorwardError('HTTP_NOT_FOUND');
      return json(200, { message: 'API key removed' });
    }, recently),
  };
}
