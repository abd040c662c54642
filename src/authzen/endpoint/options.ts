import { bearerToken } from '../../core/bearer-token.ts';
import { configInvalid, refuseUndefined, refuseUnknownOptions, requireWholeNumber } from '../../core/config-invalid.ts';
import type { EnvironmentSource, MaybePromise, PolicyDecisionPoint, Resource, Subject } from '../../core/index.ts';
import { requireDecisionPoint } from '../../core/policy-decision-point.ts';
import { baseAddress, basePath } from '../base-address.ts';
import type { AuthzenResource, AuthzenSubject } from '../information-model.ts';
import { pageKey } from './page-token.ts';
import type { AuthzenSearch } from './search-source.ts';

export interface AuthzenEndpointOptions {
  /** Answers the requests. */
  readonly pdp: PolicyDecisionPoint;
  /** Tells the moment of a request. */
  readonly environment: EnvironmentSource;
  /**
   * Callers must send it as `Authorization: Bearer`; without it everyone may call. Whoever may call is believed
   * what he says of a subject, its roles included, unless {@link resolveSubject} looks it up.
   */
  readonly token?: string;
  /**
   * Looks a subject up, for example in a directory; its properties are what the caller said of it. `undefined`
   * means that there is none, and denies. @default believes the properties
   */
  readonly resolveSubject?: (subject: AuthzenSubject) => MaybePromise<Subject | undefined>;
  /** The same for a resource. @default believes the properties */
  readonly resolveResource?: (resource: AuthzenResource) => MaybePromise<Resource | undefined>;
  /** The types of subjects that may be allowed anything; ids of different types may be the same. @default ['user'] */
  readonly subjectTypes?: readonly string[];
  /** The property of a subject that holds its roles, a list of strings. @default 'roles' */
  readonly rolesProperty?: string;
  /** Whether `context.time` (RFC 3339) and `context.hour` count instead of this server's clock. @default false */
  readonly trustsTime?: boolean;
  /** Whether answers say why: `reason` and `rule_id` in their context. @default false */
  readonly reasons?: boolean;
  /** Where candidates come from, for the search APIs that are to be offered. */
  readonly search?: AuthzenSearch;
  /** The address that callers know, for example `https://pdp.example.com/tenant1`; without it there is no metadata. */
  readonly baseUrl?: string;
  /** The path that the APIs are mounted at, for example `/tenant1`. @default the path of `baseUrl`, or none */
  readonly path?: string;
  /** 32 bytes that seal the tokens of pages, the same for all processes that answer one caller. @default random */
  readonly pageKey?: Uint8Array;
  /** Milliseconds for all the decisions and look-ups of a request; what is not decided then is denied. @default 2000 */
  readonly decisionTimeoutMs?: number;
  /** Bytes. @default 262144 */
  readonly maxBodyBytes?: number;
  /** Evaluations in one request. @default 100 */
  readonly maxEvaluations?: number;
  /** Results on one page. @default 1000 */
  readonly maxResults?: number;
  /** Candidates that one search looks at before its page ends. @default 10000 */
  readonly maxCandidates?: number;
}

export type EndpointSettings = Required<Omit<AuthzenEndpointOptions, Optional | 'subjectTypes'>> &
  Pick<AuthzenEndpointOptions, Optional> & { readonly subjectTypes: ReadonlySet<string> };
type Optional = 'token' | 'resolveSubject' | 'resolveResource' | 'baseUrl';

const NAMES = [
  ...['pdp', 'environment', 'token', 'resolveSubject', 'resolveResource', 'subjectTypes', 'rolesProperty'],
  ...['trustsTime', 'reasons', 'search', 'baseUrl', 'path', 'pageKey', 'decisionTimeoutMs', 'maxBodyBytes'],
  ...['maxEvaluations', 'maxResults', 'maxCandidates'],
];
const PATH = /^(?:\/[\w~-][\w.~-]*)*$/;

/** The options with their defaults, checked. @throws `CONFIG_INVALID` */
export function endpointSettings(options: AuthzenEndpointOptions): EndpointSettings {
  refuseUnknownOptions(options, NAMES);
  refuseUndefined(options, ['token', 'resolveSubject', 'resolveResource']);
  const { pdp, environment, resolveSubject, resolveResource, search = {}, subjectTypes = ['user'] } = options;
  requireDecisionPoint('pdp', pdp);
  if (typeof environment !== 'function') throw configInvalid('environment', 'must be a function');
  refuseUnknownOptions(search, ['subjects', 'resources', 'actions']);
  const { subjects, resources, actions } = search;
  for (const [field, value] of Object.entries({
    resolveSubject,
    resolveResource,
    'search.subjects': subjects,
    'search.resources': resources,
    ...(!isNames(actions) && { 'search.actions': actions }),
  })) {
    if (value !== undefined && typeof value !== 'function') throw configInvalid(field, 'must be a function');
  }
  if (!isNames(subjectTypes)) throw configInvalid('subjectTypes', 'must be a list of names');
  const rolesProperty = options.rolesProperty ?? 'roles';
  if (!isName(rolesProperty)) throw configInvalid('rolesProperty', 'must be a name');
  const base = options.baseUrl === undefined ? undefined : baseAddress('baseUrl', options.baseUrl);
  const path = options.path ?? (base === undefined ? '' : basePath(base));
  if (!PATH.test(path)) throw configInvalid('path', 'must be empty, or segments that each begin with "/"');
  const token = bearerToken('token', options.token);
  return {
    pdp,
    environment,
    search,
    path,
    pageKey: pageKey(options.pageKey),
    subjectTypes: new Set(subjectTypes),
    rolesProperty,
    trustsTime: flag('trustsTime', options.trustsTime),
    reasons: flag('reasons', options.reasons),
    decisionTimeoutMs: requireWholeNumber('decisionTimeoutMs', options.decisionTimeoutMs ?? 2_000, 1, 60_000),
    maxBodyBytes: requireWholeNumber('maxBodyBytes', options.maxBodyBytes ?? 262_144, 1, 16_777_216),
    maxEvaluations: requireWholeNumber('maxEvaluations', options.maxEvaluations ?? 100, 1, 10_000),
    maxResults: requireWholeNumber('maxResults', options.maxResults ?? 1_000, 1, 100_000),
    maxCandidates: requireWholeNumber('maxCandidates', options.maxCandidates ?? 10_000, 1, 10_000_000),
    ...(token !== undefined && { token }),
    ...(resolveSubject !== undefined && { resolveSubject }),
    ...(resolveResource !== undefined && { resolveResource }),
    ...(options.baseUrl !== undefined && { baseUrl: options.baseUrl }),
  };
}

function flag(field: string, value: unknown): boolean {
  if (value === undefined || typeof value === 'boolean') return value === true;
  throw configInvalid(field, 'must be a boolean');
}

function isNames(value: unknown): boolean {
  return Array.isArray(value) && value.every(isName);
}

function isName(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}
