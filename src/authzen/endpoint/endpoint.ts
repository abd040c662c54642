import { bearerCheck } from '../../core/bearer-token.ts';
import { isDoorwardError } from '../../core/index.ts';
import type { JsonObject } from '../../core/json-object.ts';
import { API_PATHS, type ApiName, metadataPath } from '../information-model.ts';
import { answered, failure, identified } from './answers.ts';
import { evaluate, evaluateAll } from './evaluations.ts';
import { type AuthzenEndpointOptions, type EndpointSettings, endpointSettings } from './options.ts';
import { readBody } from './read-body.ts';
import { type EntityReader, entityReader } from './read-evaluation.ts';
import { search } from './search.ts';

type Api = (body: JsonObject, read: EntityReader, settings: EndpointSettings) => Promise<Response>;

/**
 * Answers as a Policy Decision Point of the AuthZEN Authorization API 1.0: one evaluation, several, searches over
 * candidates, and metadata. Allowing and denying are both 200 with a `decision`; 400 means that the request cannot
 * be understood, 401 that the caller is not trusted, 500 that there is no decision.
 *
 * @throws `CONFIG_INVALID` when an option is not valid.
 * @example
 * const authzen = createAuthzenEndpoint({ pdp: engine, environment: environmentSource(), token });
 * const response = await authzen(request);
 */
export function createAuthzenEndpoint(options: AuthzenEndpointOptions): (request: Request) => Promise<Response> {
  const settings = endpointSettings(options);
  const { path, token, maxBodyBytes } = settings;
  const isTrusted = bearerCheck(token);
  const read = entityReader(settings.rolesProperty, settings.trustsTime);
  const offered = apisOf(settings);
  const apis = new Map([...offered].map(([name, api]) => [`${path}${API_PATHS[name]}`, api]));
  const metadata = metadataOf(settings, [...offered.keys()]);

  const answer = async (request: Request): Promise<Response> => {
    const { pathname } = new URL(request.url);
    if (metadata !== undefined && pathname === metadataPath(path)) {
      return request.method === 'GET' ? answered(metadata) : failure(405, 'method not allowed', { allow: 'GET' });
    }
    const api = apis.get(pathname);
    if (api === undefined) return failure(404, 'there is no such API');
    if (!isTrusted(request.headers.get('authorization'))) {
      return failure(401, 'the caller is not trusted', { 'www-authenticate': 'Bearer' });
    }
    if (request.method !== 'POST') return failure(405, 'method not allowed', { allow: 'POST' });
    const body = await readBody(request, maxBodyBytes);
    return body instanceof Response ? body : api(body, read, settings);
  };
  return async (request) => identified(request, await answer(request).catch(refusal));
}

/** A field that cannot be understood is named. Whatever else goes wrong is this server's fault, and nobody's business. */
function refusal(error: unknown): Response {
  const isInput = isDoorwardError(error) && error.code === 'INPUT_INVALID';
  return isInput ? failure(400, error.message) : failure(500, 'internal error');
}

function apisOf({ search: { subjects, resources, actions } }: EndpointSettings): ReadonlyMap<ApiName, Api> {
  const apis = new Map<ApiName, Api>([
    ['access_evaluation_endpoint', evaluate],
    ['access_evaluations_endpoint', evaluateAll],
  ]);
  if (subjects !== undefined) apis.set('search_subject_endpoint', (...args) => search('subject', ...args));
  if (resources !== undefined) apis.set('search_resource_endpoint', (...args) => search('resource', ...args));
  if (actions !== undefined) apis.set('search_action_endpoint', (...args) => search('action', ...args));
  return apis;
}

/** What is not offered is not in the metadata. */
function metadataOf(
  { baseUrl }: EndpointSettings,
  names: readonly ApiName[],
): Readonly<Record<string, string>> | undefined {
  if (baseUrl === undefined) return undefined;
  return {
    policy_decision_point: baseUrl,
    ...Object.fromEntries(names.map((name) => [name, `${baseUrl}${API_PATHS[name]}`])),
  };
}
