import { type Bearer, readBearer } from '../../http/index.ts';

/**
 * Reads the token of a `connection_init` payload: its one property `authorization`, in any case, which
 * holds what the HTTP header would hold. Everything else in the payload is ignored.
 */
export function bearerOf(payload: Readonly<Record<string, unknown>> | undefined): Bearer {
  const found = Object.entries(payload ?? {}).filter(([name]) => name.toLowerCase() === 'authorization');
  const [first, ...others] = found;
  if (first === undefined) return readBearer(undefined);
  const [, value] = first;
  return typeof value === 'string' && others.length === 0 ? readBearer(value) : { kind: 'invalid' };
}
