import { type AccessRequest, DoorwardError } from '../../core/index.ts';
import type { JsonObject } from '../../core/json-object.ts';
import { ownProperty } from '../../core/own-property.ts';
import type { ApiName } from '../information-model.ts';
import type { FindEndpoints } from './endpoints.ts';
import { withinTime } from './exchange.ts';
import type { ClientSettings } from './options.ts';
import { wireAction, wireContext, wireResource, wireSubject } from './wire-evaluation.ts';

/** Which results of a search are wanted. */
export interface PageRequest {
  /** Results at most. */
  readonly limit?: number;
  /** The `nextToken` of the page before; everything else must stay the same. */
  readonly token?: string;
}

/** One page of ids or names. */
export interface SearchPage {
  readonly results: readonly string[];
  /** Gets the next page; absent on the last. */
  readonly nextToken?: string;
}

export interface AuthzenSearches {
  /** The ids of the subjects of a type that may do this. */
  searchSubjects(
    query: Omit<AccessRequest, 'subject'> & { readonly subjectType?: string },
    page?: PageRequest,
  ): Promise<SearchPage>;
  /** The ids of the resources of a type that the subject may do this to. */
  searchResources(
    query: Omit<AccessRequest, 'resource'> & { readonly resourceType: string },
    page?: PageRequest,
  ): Promise<SearchPage>;
  /** The names of the actions that the subject may do to the resource. */
  searchActions(query: Omit<AccessRequest, 'action'>, page?: PageRequest): Promise<SearchPage>;
}

/**
 * Makes the searches of a client. A search that fails throws: an empty list would say that nobody may.
 *
 * @throws `INPUT_INVALID` for a query that cannot be said, `SERVICE_UNAVAILABLE` for what is no answer.
 */
export function createSearches(settings: ClientSettings, findEndpoints: FindEndpoints): AuthzenSearches {
  const { subjectType } = settings;
  const ask = (api: ApiName, entities: JsonObject, { limit, token }: PageRequest, idOf: (item: unknown) => unknown) =>
    withinTime(settings, async (operation): Promise<SearchPage> => {
      for (const [name, entity] of Object.entries(entities)) {
        if (entity === undefined) throw new DoorwardError('INPUT_INVALID', { field: name, problem: 'is incomplete' });
      }
      const endpoints = await findEndpoints(operation);
      const url = typeof endpoints === 'string' ? undefined : endpoints.get(api);
      const page = { ...(limit !== undefined && { limit }), ...(token !== undefined && { token }) };
      const body = { ...entities, ...(Object.keys(page).length > 0 && { page }) };
      const answer = url === undefined ? 'unavailable' : await operation.call(url, body);
      return typeof answer === 'string' ? unavailable() : pageOf(answer, idOf);
    });
  return {
    searchSubjects: ({ action, resource, environment, subjectType: type = subjectType }, page = {}) =>
      ask(
        'search_subject_endpoint',
        {
          subject: { type },
          action: wireAction(action),
          resource: wireResource(resource, settings),
          context: wireContext(environment, settings),
        },
        page,
        entityOf(type),
      ),
    searchResources: ({ subject, action, environment, resourceType: type }, page = {}) =>
      ask(
        'search_resource_endpoint',
        {
          subject: wireSubject(subject, settings),
          action: wireAction(action),
          resource: { type },
          context: wireContext(environment, settings),
        },
        page,
        entityOf(type),
      ),
    searchActions: ({ subject, resource, environment }, page = {}) =>
      ask(
        'search_action_endpoint',
        {
          subject: wireSubject(subject, settings),
          resource: wireResource(resource, settings),
          context: wireContext(environment, settings),
        },
        page,
        (item) => ownProperty(item, 'name'),
      ),
  };
}

/** The id of a result, which must be of the type that was searched for. */
function entityOf(type: string): (item: unknown) => unknown {
  return (item) => (ownProperty(item, 'type') === type ? ownProperty(item, 'id') : undefined);
}

function pageOf(answer: JsonObject, idOf: (item: unknown) => unknown): SearchPage {
  const items = ownProperty(answer, 'results');
  if (!Array.isArray(items)) return unavailable();
  const results = items.map(idOf).filter((id) => typeof id === 'string');
  const page = ownProperty(answer, 'page') ?? undefined;
  const next = page === undefined ? '' : ownProperty(page, 'next_token');
  if (results.length !== items.length || typeof next !== 'string') return unavailable();
  return { results, ...(next !== '' && { nextToken: next }) };
}

function unavailable(): never {
  throw new DoorwardError('SERVICE_UNAVAILABLE');
}
