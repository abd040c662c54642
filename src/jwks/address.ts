import { configInvalid } from '../core/config-invalid.ts';

const LOOPBACK = /^(?:127(?:\.\d{1,3}){3}|\[::1\]|localhost)$/;

/**
 * Reads an address to fetch keys from. Only `https`, since whoever changes the keys on their way signs what he
 * likes; `http` reaches no further than this machine, which only somebody on it may name.
 */
export function keyAddress(text: string, allowLoopback: boolean): URL | undefined {
  if (!/^https?:\/\/[\x21-\x7e]+$/i.test(text) || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  if (url.username !== '' || url.password !== '' || url.hash !== '' || text.includes('#')) return undefined;
  const isAllowed = isLoopback(url) ? allowLoopback : url.protocol === 'https:';
  return isAllowed ? url : undefined;
}

export function isLoopback({ hostname }: URL): boolean {
  return LOOPBACK.test(hostname);
}

/** The configured address of a key set. */
export function requireKeyAddress(name: string, text: string): URL {
  const url = keyAddress(text, true);
  if (url === undefined) {
    throw configInvalid(name, 'must be an https address without user and fragment, or an http one on this machine');
  }
  return url;
}

/** The configured issuer: an address that has no query either (RFC 8414 section 2). */
export function requireIssuerAddress(text: string): URL {
  const url = requireKeyAddress('issuer', text);
  if (text.includes('?')) throw configInvalid('issuer', 'must have no query');
  return url;
}
