const UNRESERVED = /[A-Za-z0-9\-._~]/;

/**
 * The address that a proof is about, in the one spelling in which addresses are compared: without query and
 * fragment, normalised by syntax and scheme (RFC 9449 section 4.3, RFC 3986 sections 6.2.2 and 6.2.3).
 *
 * @returns `undefined` for what is no address of HTTP, and for one that names a user.
 */
export function comparableAddress(address: unknown): string | undefined {
  // The parser would drop line ends and tabs and take a backslash for a slash.
  if (typeof address !== 'string' || !/^[\x21-\x5b\x5d-\x7e]+$/.test(address)) return undefined;
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || (url.protocol !== 'https:' && url.protocol !== 'http:')) return undefined;
  if (url.username !== '' || url.password !== '') return undefined;
  // A `%` that escapes nothing would become part of another escape when the one after it is resolved.
  if (/%(?![0-9A-Fa-f]{2})/.test(url.pathname)) return undefined;
  return url.origin + url.pathname.replaceAll(/%[0-9A-Fa-f]{2}/g, normalEscape);
}

/** An escaped unreserved character means that character; all other escapes are written in upper case. */
function normalEscape(escaped: string): string {
  const character = String.fromCharCode(Number.parseInt(escaped.slice(1), 16));
  return UNRESERVED.test(character) ? character : escaped.toUpperCase();
}
