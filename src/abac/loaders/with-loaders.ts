import { configInvalid, refuseUnknownOptions, requireWholeNumber } from '../../core/config-invalid.ts';
import type { AccessRequest, Attributes, Decision, MaybePromise, PolicyDecisionPoint } from '../../core/index.ts';
import { ownProperty } from '../../core/own-property.ts';
import { isAttributePath, isField } from '../condition/attribute.ts';
import type { PolicyEngine } from '../engine/policy-engine.ts';
import { pathsLeft } from '../filter/paths-left.ts';
import type { AttributePath } from '../policy/policy.ts';
import type { AttributeLoader, LoadAttributes } from './attribute-loader.ts';
import { loadOnce } from './load-once.ts';

export interface LoaderOptions {
  /** Milliseconds for one call of a loader; what comes later is missing. @default 500 */
  readonly timeoutMs?: number;
}

type Side = 'subject' | 'resource';

/** A loader made ready: whose attributes it brings, under which paths, and how. */
interface Source {
  readonly side: Side;
  readonly names: ReadonlyMap<AttributePath, string>;
  readonly load: (entity: object) => Promise<Attributes | undefined>;
}

/**
 * Gives a policy attributes that requests do not bring: those that are missing and that the answer still hangs on
 * are loaded first, once for each subject or resource object. Where nothing has to be loaded the decision is there
 * at once. What is late or fails is missing, which never allows.
 *
 * @throws `CONFIG_INVALID` for a loader without names, for a name that no attribute can have, and for one that two
 * loaders bring.
 * @example
 * const pdp = withLoaders(engine, [
 *   { of: 'subject', names: ['department'], load: (subjects) => directory.departmentsOf(subjects) },
 * ]);
 */
export function withLoaders(
  engine: PolicyEngine,
  loaders: readonly AttributeLoader[],
  options: LoaderOptions = {},
): PolicyDecisionPoint {
  refuseUnknownOptions(options, ['timeoutMs']);
  const timeoutMs = requireWholeNumber('timeoutMs', options.timeoutMs ?? 500, 1, 600_000);
  if (!Array.isArray(loaders)) throw configInvalid('loaders', 'must be a list');
  const sources = loaders.map((loader, index) => sourceOf(loader, `loaders[${index}]`, timeoutMs));
  const sourceAt = new Map<AttributePath, Source>();
  for (const [index, source] of sources.entries()) {
    for (const path of source.names.keys()) {
      if (sourceAt.has(path)) throw configInvalid(`loaders[${index}].names`, `brings ${path}, as another loader does`);
      sourceAt.set(path, source);
    }
  }
  const left = pathsLeft(engine.policy);

  const decide = (request: AccessRequest): MaybePromise<Decision> => {
    const missing = new Set([...sourceAt.keys()].filter((path) => isMissing(request, path)));
    const needed = missing.size === 0 ? missing : left(request, missing);
    if (needed.size === 0) return engine.decide(request);
    return filled(request, needed, sourceAt).then(engine.decide);
  };
  return {
    decide,
    decideAll: (requests) => Promise.all(requests.map(decide)),
  };
}

function sourceOf(loader: AttributeLoader, at: string, timeoutMs: number): Source {
  const { of: side, names, load, ...others } = loader;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw configInvalid(`${at}.${unknown}`, 'is not a known option');
  if (side !== 'subject' && side !== 'resource') throw configInvalid(`${at}.of`, 'must be "subject" or "resource"');
  if (!Array.isArray(names) || names.length === 0) throw configInvalid(`${at}.names`, 'must be a list of names');
  if (typeof load !== 'function') throw configInvalid(`${at}.load`, 'must be a function');
  const paths = names.map((name): readonly [AttributePath, string] => {
    const path: AttributePath = `${side}.${name}`;
    if (typeof name !== 'string' || !isAttributePath(path) || isField(path))
      throw configInvalid(`${at}.names`, 'must hold names of attributes');
    return [path, name];
  });
  return { side, names: new Map(paths), load: loadOnce(load as LoadAttributes<object>, timeoutMs) };
}

/** What is there stays: `null` is an answer too. */
function isMissing(request: AccessRequest, path: AttributePath): boolean {
  const [side, name] = split(path);
  const entity = ownProperty(request, side);
  return isHolder(entity) && ownProperty(ownProperty(entity, 'attributes'), name) === undefined;
}

/** A list holds no values by name: no loader can tell whose they would be. */
function isHolder(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The request with what the loaders brought, in objects of its own. */
async function filled(
  request: AccessRequest,
  needed: ReadonlySet<AttributePath>,
  sourceAt: ReadonlyMap<AttributePath, Source>,
): Promise<AccessRequest> {
  const found = await Promise.all(
    [...needed].map(async (path) => {
      const [side, name] = split(path);
      const loaded = sourceAt.get(path)?.load(request[side]);
      const value = await loaded?.then((attributes) => ownProperty(attributes, name)).catch(() => undefined);
      return { side, name, value };
    }),
  );
  const extended = (side: Side): object => {
    const brought = found.filter((one) => one.side === side && one.value !== undefined);
    if (brought.length === 0) return {};
    const own = ownProperty(request[side], 'attributes');
    const attributes: Record<string, unknown> = isHolder(own) ? { ...own } : {};
    for (const { name, value } of brought) attributes[name] = value;
    return { [side]: { ...request[side], attributes } };
  };
  return { ...request, ...extended('subject'), ...extended('resource') };
}

function split(path: AttributePath): readonly [Side, string] {
  return path.startsWith('subject.') ? ['subject', path.slice(8)] : ['resource', path.slice(9)];
}
