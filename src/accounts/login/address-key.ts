import { isIPv4, isIPv6 } from 'node:net';

/**
 * Turns a caller's address into what limits are counted by: an IPv4 address as it is, an IPv6 address
 * by its /64 (one subscriber has all of it), and an IPv4 address mapped into IPv6 as the IPv4 address.
 * What is no address shares one key.
 *
 * @example
 * addressKey('2001:DB8::1'); // '2001:db8:0:0::/64'
 * addressKey('::ffff:192.0.2.1'); // '192.0.2.1'
 */
export function addressKey(ip: string): string {
  if (isIPv4(ip)) return ip;
  if (!isIPv6(ip)) return 'invalid';
  const groups = groupsOf(ip);
  return isMappedIPv4(groups) ? dotted(groups) : `${groups.slice(0, 4).join(':')}::/64`;
}

/** The eight groups of an IPv6 address, in lower case and without leading zeros. */
function groupsOf(ip: string): readonly string[] {
  const [address = ''] = ip.split('%', 1);
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [head = '', tail] = canonical.split('::');
  const left = head.split(':').filter(Boolean);
  if (tail === undefined) return left;
  const right = tail.split(':').filter(Boolean);
  return [...left, ...new Array<string>(8 - left.length - right.length).fill('0'), ...right];
}

function isMappedIPv4(groups: readonly string[]): boolean {
  return groups[5] === 'ffff' && groups.slice(0, 5).every((group) => group === '0');
}

function dotted(groups: readonly string[]): string {
  return groups
    .slice(6)
    .map((group) => Number.parseInt(group, 16))
    .flatMap((bits) => [bits >> 8, bits & 0xff])
    .join('.');
}
