import { configInvalid } from '../core/config-invalid.ts';
import { isWebAddress } from '../core/web-address.ts';

/**
 * Reads the address of a decision point: `https`, or `http` on this machine, without user, query, fragment and
 * final slash. It must be written as a parser would write it, so that nothing in it is left to interpretation.
 *
 * @throws `CONFIG_INVALID`
 */
export function baseAddress(field: string, text: unknown): URL {
  if (isWebAddress(text) && !/[?#]|\/$/.test(text)) {
    const url = new URL(text);
    if (url.href === text || url.href === `${text}/`) return url;
  }
  throw configInvalid(field, 'must be a plain https address (or http on this machine) without query and final slash');
}

/** The path of a base address, `''` where it has none. */
export function basePath({ pathname }: URL): string {
  return pathname === '/' ? '' : pathname;
}
