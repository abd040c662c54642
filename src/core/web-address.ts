const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * Tells whether a text is an address that others may be sent to: `https`, or `http` on this machine, in printable
 * ASCII, without a user and a fragment.
 */
export function isWebAddress(text: unknown): text is string {
  if (typeof text !== 'string' || !/^https?:\/\/[\x21-\x7e]+$/.test(text) || !URL.canParse(text)) return false;
  const { protocol, hostname, username, password } = new URL(text);
  if (username !== '' || password !== '' || text.includes('#')) return false;
  return protocol === 'https:' || LOOPBACK.has(hostname);
}
