import { BlockList, isIPv4, isIPv6 } from 'node:net';
import { configInvalid } from '../../core/config-invalid.ts';

/** Tells a caller's address from its peer's and an `X-Forwarded-For` header. */
export type ClientAddress = (peer: string | undefined, forwardedFor: string | undefined) => string | undefined;

const MAPPED_IPV4 = /^::ffff:([\d.]+)$/i;

/**
 * Makes the function that finds the caller: the peer, or behind trusted proxies the last address of
 * `X-Forwarded-For` that is not one of them. What stands further left was written by the caller and
 * counts for nothing; without trusted proxies the header does not either.
 *
 * @throws `CONFIG_INVALID` when an entry is neither an address nor a CIDR block.
 */
export function createClientAddress(trustedProxies: readonly string[] = []): ClientAddress {
  const trusted = new BlockList();
  for (const entry of trustedProxies) add(trusted, entry);
  const isTrusted = (ip: string): boolean => trusted.check(ip, isIPv4(ip) ? 'ipv4' : 'ipv6');

  return (peer, forwardedFor) => {
    let address = addressOf(peer ?? '');
    if (address === undefined || trustedProxies.length === 0 || forwardedFor === undefined) return address;
    for (const hop of forwardedFor.split(',').reverse()) {
      if (!isTrusted(address)) return address;
      const next = addressOf(hop.trim());
      if (next === undefined) return address;
      address = next;
    }
    return address;
  };
}

/** An address in one spelling and without its zone, which means something to this machine only; `undefined` for what is none. */
function addressOf(text: string): string | undefined {
  const [address = ''] = text.split('%', 1);
  const ip = MAPPED_IPV4.exec(address)?.[1] ?? address;
  return isIPv4(ip) || isIPv6(ip) ? ip.toLowerCase() : undefined;
}

function add(list: BlockList, entry: unknown): void {
  const [text = '', bits, ...rest] = typeof entry === 'string' ? entry.split('/') : [];
  const ip = addressOf(text);
  const family = ip !== undefined && isIPv4(ip) ? 'ipv4' : 'ipv6';
  const size = family === 'ipv4' ? 32 : 128;
  const prefix = bits === undefined ? size : Number(bits);
  if (ip === undefined || rest.length > 0 || bits === '' || !Number.isInteger(prefix) || prefix < 0 || prefix > size) {
    throw configInvalid('trustedProxies', 'must hold addresses and CIDR blocks');
  }
  list.addSubnet(ip, prefix, family);
}
