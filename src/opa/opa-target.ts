import { configInvalid } from '../core/config-invalid.ts';

const BASE = /^(https?:\/\/(?:[a-z0-9.-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?)((?:\/[\w.~-]+)*)\/?$/i;
const DATA_PATH = /^[\w-]+(?:\/[\w-]+)*$/;

/** Where to send decision calls: worked out once, from configuration only. */
export interface OpaTarget {
  readonly origin: string;
  /** What stands before every path of the server, for example behind a proxy. */
  readonly prefix: string;
  readonly path: string;
}

/** Takes only addresses that say what they mean: what a parser would have to interpret is refused. */
export function opaTarget(url: string, dataPath: string): OpaTarget {
  const [, base = '', prefix = ''] = BASE.exec(url) ?? [];
  if (!URL.canParse(base))
    throw configInvalid('url', 'must be http(s)://host[:port][/path], without user, query or fragment');
  if (prefix.split('/').some((segment) => segment === '.' || segment === '..')) {
    throw configInvalid('url', 'must not have "." or ".." segments');
  }
  if (!DATA_PATH.test(dataPath))
    throw configInvalid('path', 'must be names of letters, digits, "_" and "-" joined by "/"');
  return { origin: new URL(base).origin, prefix, path: `${prefix}/v1/data/${dataPath}` };
}
