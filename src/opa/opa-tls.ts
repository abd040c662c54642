import { createSecureContext } from 'node:tls';
import { configInvalid, refuseUnknownOptions } from '../core/config-invalid.ts';

/** PEM, as text or bytes. The server's certificate is always verified. */
export interface OpaTls {
  /** The authorities that may vouch for the server. @default those that Node trusts */
  readonly ca?: string | Buffer | readonly (string | Buffer)[];
  /** The client's own certificate, and its chain. */
  readonly cert?: string | Buffer;
  /** The private key of `cert`. */
  readonly key?: string | Buffer;
  /** The name that the server's certificate must be for. @default the host of `url` */
  readonly servername?: string;
}

/** @throws `CONFIG_INVALID`, without anything of the key in it */
export function checkedTls(tls: OpaTls, origin: string): OpaTls {
  refuseUnknownOptions(tls, ['ca', 'cert', 'key', 'servername']);
  if (!origin.startsWith('https:')) throw configInvalid('tls', 'needs a url that begins with https');
  const { ca, cert, key, servername } = tls;
  if ((cert === undefined) !== (key === undefined))
    throw configInvalid('tls', 'must have both cert and key, or neither');
  if (servername !== undefined && (typeof servername !== 'string' || servername === ''))
    throw configInvalid('tls', 'must have a text as servername');
  const copy = {
    ...(ca !== undefined && { ca: [ca].flat() }),
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key }),
  };
  try {
    createSecureContext(copy);
  } catch {
    throw configInvalid('tls', 'must hold certificates and the key of cert, in PEM');
  }
  return { ...copy, ...(servername !== undefined && { servername }) };
}
