import type { JsonObject } from '../../core/json-object.ts';
import { ownProperty } from '../../core/own-property.ts';
import { basePath } from '../base-address.ts';
import { API_PATHS, type ApiName, metadataPath } from '../information-model.ts';
import type { Operation, Outcome } from './exchange.ts';
import type { ClientSettings } from './options.ts';

/** Where the APIs are. With discovery, an API that the metadata do not name is not offered. */
export type Endpoints = ReadonlyMap<ApiName, string>;

/** Finds the APIs, each time it is asked until it has found them. */
export type FindEndpoints = (operation: Operation) => Promise<Endpoints | Exclude<Outcome, JsonObject>>;

const NAMES = Object.keys(API_PATHS) as readonly ApiName[];

/** Makes the finder of the APIs: by their default paths, or by the metadata, which are kept once they are there. */
export function endpointFinder(settings: ClientSettings): FindEndpoints {
  const { base, origin, discovery } = settings;
  let found: Endpoints | undefined;
  if (!discovery) found = new Map(NAMES.map((name) => [name, `${base}${API_PATHS[name]}`]));
  const address = `${origin}${metadataPath(basePath(new URL(base)))}`;
  return async ({ call }) => {
    if (found !== undefined) return found;
    const metadata = await call(address);
    if (typeof metadata === 'string') return metadata;
    const endpoints = endpointsOf(metadata, base, origin);
    if (endpoints === undefined) return 'invalid_answer';
    found = endpoints;
    return endpoints;
  };
}

/**
 * The metadata must be those of the decision point that was asked, or one could pass another's off as its own
 * (section "Policy Decision Point Metadata Validation"). Its APIs must be at the same origin: the token goes there.
 */
function endpointsOf(metadata: JsonObject, base: string, origin: string): Endpoints | undefined {
  if (ownProperty(metadata, 'policy_decision_point') !== base) return undefined;
  const endpoints = new Map<ApiName, string>();
  for (const name of NAMES) {
    const url = ownProperty(metadata, name) ?? undefined;
    if (url === undefined) continue;
    if (typeof url !== 'string' || !url.startsWith(`${origin}/`) || new URL(url).href !== url) return undefined;
    endpoints.set(name, url);
  }
  return endpoints.has('access_evaluation_endpoint') ? endpoints : undefined;
}
