import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';

const der = (tag: number, ...parts: readonly Uint8Array[]): Buffer => {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
};
const sequence = (...parts: readonly Uint8Array[]): Buffer => der(0x30, ...parts);
const oid = (...bytes: readonly number[]): Buffer => der(0x06, Buffer.from(bytes));
const utf8 = (text: string): Buffer => der(0x0c, Buffer.from(text));
const time = (at: Date): Buffer =>
  der(0x17, Buffer.from(at.toISOString().replace(/^..(..)-(..)-(..)T(..):(..):(..).*$/, '$1$2$3$4$5$6Z')));

const ATTRIBUTES: Readonly<Record<string, number>> = { CN: 3, O: 10, OU: 11 };
const NAME_TAGS: Readonly<Record<string, number>> = { email: 0x81, DNS: 0x82, URI: 0x86, IP: 0x87 };
const ECDSA_WITH_SHA256 = sequence(oid(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02));

/** What a certificate says (RFC 5280), with the names as the bytes that they shall be. */
export interface CertificateWish {
  readonly subject: readonly (readonly [name: string, value: string])[];
  readonly names?: readonly (readonly [kind: string, value: string | Uint8Array])[];
  readonly isAuthority?: boolean;
  readonly notBefore?: Date;
  readonly notAfter?: Date;
}

/** A certificate and its key, in PEM, and what signs others with it. */
export interface Certified {
  readonly cert: string;
  readonly key: string;
  readonly privateKey: KeyObject;
  readonly name: Buffer;
}

let serial = 1;

/** Makes a certificate, signed by the issuer or by itself. */
export function certify(wish: CertificateWish, issuer?: Certified): Certified {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const name = sequence(
    ...wish.subject.map(([type, value]) => der(0x31, sequence(oid(0x55, 0x04, ATTRIBUTES[type] ?? 3), utf8(value)))),
  );
  const names = (wish.names ?? []).map(([kind, value]) => der(NAME_TAGS[kind] ?? 0x82, Buffer.from(value)));
  const extensions = [
    ...(wish.isAuthority === true
      ? [
          sequence(
            oid(0x55, 0x1d, 0x13),
            der(0x01, Buffer.from([0xff])),
            der(0x04, sequence(der(0x01, Buffer.from([0xff])))),
          ),
        ]
      : []),
    ...(names.length > 0 ? [sequence(oid(0x55, 0x1d, 0x11), der(0x04, sequence(...names)))] : []),
  ];
  const toBeSigned = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([serial++])),
    ECDSA_WITH_SHA256,
    issuer?.name ?? name,
    sequence(time(wish.notBefore ?? new Date('2020-01-01')), time(wish.notAfter ?? new Date('2049-12-31'))),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    ...(extensions.length > 0 ? [der(0xa3, sequence(...extensions))] : []),
  );
  const signature = sign('sha256', toBeSigned, issuer?.privateKey ?? privateKey);
  const certificate = sequence(toBeSigned, ECDSA_WITH_SHA256, der(0x03, Buffer.from([0]), signature));
  const lines = certificate
    .toString('base64')
    .match(/.{1,64}/g)
    ?.join('\n');
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    privateKey,
    name,
  };
}
