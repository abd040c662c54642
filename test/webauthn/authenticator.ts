import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import type { CreationOptions, RequestOptions } from 'doorward/webauthn';

/** What a browser and an authenticator do, or what an attacker makes of it. */
export interface Tampering {
  readonly origin?: string;
  readonly rpId?: string;
  readonly type?: string;
  readonly challenge?: string;
  readonly clientData?: Readonly<Record<string, unknown>>;
  readonly userPresent?: boolean;
  readonly userVerified?: boolean;
  readonly backupEligible?: boolean;
  readonly counter?: number;
  readonly userHandle?: string | null;
  readonly id?: string;
  /** The attestation format and the entries of its statement; `self` adds what the credential signs about itself. */
  readonly attestation?: {
    readonly format: string;
    readonly statement: ReadonlyMap<string, Cbor>;
    readonly self?: boolean;
  };
}

export interface SoftwareAuthenticator {
  readonly id: string;
  create(options: CreationOptions, tampering?: Tampering): Record<string, unknown>;
  get(options: RequestOptions, tampering?: Tampering): Record<string, unknown>;
}

export type Cbor = number | string | Uint8Array | readonly Cbor[] | ReadonlyMap<Cbor, Cbor>;

/** RFC 8949 section 3: integers, byte strings, text strings, arrays and maps. */
export function cbor(value: Cbor): Buffer {
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value);
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (value instanceof Uint8Array) return Buffer.concat([head(2, value.length), value]);
  if (Array.isArray(value)) return Buffer.concat([head(4, value.length), ...value.map(cbor)]);
  const map = value as ReadonlyMap<Cbor, Cbor>;
  return Buffer.concat([head(5, map.size), ...[...map].flatMap(([key, entry]) => [cbor(key), cbor(entry)])]);
}

function head(major: number, count: number): Buffer {
  if (count < 24) return Buffer.from([(major << 5) | count]);
  if (count < 256) return Buffer.from([(major << 5) | 24, count]);
  return Buffer.from([(major << 5) | 25, count >> 8, count & 255]);
}

/** COSE_Key of RFC 9053 section 7 and RFC 8230 section 4. */
export function coseKey(key: KeyObject): Buffer {
  const { kty, crv, x = '', y, n = '', e = '' } = key.export({ format: 'jwk' });
  const bytes = (text: string) => Buffer.from(text, 'base64url');
  if (kty === 'RSA') {
    return cbor(
      new Map<Cbor, Cbor>([
        [1, 3],
        [3, -257],
        [-1, bytes(n)],
        [-2, bytes(e)],
      ]),
    );
  }
  if (crv === 'Ed25519') {
    return cbor(
      new Map<Cbor, Cbor>([
        [1, 1],
        [3, -8],
        [-1, 6],
        [-2, bytes(x)],
      ]),
    );
  }
  return cbor(
    new Map<Cbor, Cbor>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, bytes(x)],
      [-3, bytes(y ?? '')],
    ]),
  );
}

export function es256(): KeyPair {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' });
}

export interface KeyPair {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

/** An authenticator of software, with one credential, that counts its signatures unless it was told otherwise. */
export function createAuthenticator(
  origin: string,
  keys: KeyPair = es256(),
  rawId = randomBytes(16),
): SoftwareAuthenticator {
  const id = rawId.toString('base64url');
  let counter = 0;
  let handle: string | undefined;

  const clientDataOf = (type: string, challenge: string, tampering: Tampering): Buffer =>
    Buffer.from(
      JSON.stringify({
        type: tampering.type ?? type,
        challenge: tampering.challenge ?? challenge,
        origin: tampering.origin ?? origin,
        crossOrigin: false,
        ...tampering.clientData,
      }),
    );

  const authDataOf = (rpId: string, tampering: Tampering, attested?: Buffer): Buffer => {
    const { userPresent = true, userVerified = true, backupEligible = false } = tampering;
    const flags =
      (userPresent ? 1 : 0) | (userVerified ? 4 : 0) | (backupEligible ? 8 : 0) | (attested === undefined ? 0 : 64);
    const count = Buffer.alloc(4);
    count.writeUInt32BE(tampering.counter ?? counter);
    const hash = createHash('sha256')
      .update(tampering.rpId ?? rpId)
      .digest();
    return Buffer.concat([hash, Buffer.from([flags]), count, attested ?? Buffer.alloc(0)]);
  };

  return {
    id,
    create(options, tampering = {}) {
      handle = options.user.id;
      const clientDataJSON = clientDataOf('webauthn.create', options.challenge, tampering);
      const length = Buffer.from([rawId.length >> 8, rawId.length & 255]);
      const attested = Buffer.concat([Buffer.alloc(16), length, rawId, coseKey(keys.publicKey)]);
      const authData = authDataOf(options.rp.id, tampering, attested);
      const { format, statement, self } = tampering.attestation ?? { format: 'none', statement: new Map() };
      const signed = Buffer.concat([authData, createHash('sha256').update(clientDataJSON).digest()]);
      const own = (): [Cbor, Cbor][] => [
        ['alg', -7],
        ['sig', sign('sha256', signed, keys.privateKey)],
      ];
      const attestationObject = cbor(
        new Map<Cbor, Cbor>([
          ['fmt', format],
          ['attStmt', new Map<Cbor, Cbor>([...statement, ...(self === true ? own() : [])])],
          ['authData', authData],
        ]),
      );
      return {
        id: tampering.id ?? id,
        rawId: tampering.id ?? id,
        type: 'public-key',
        clientExtensionResults: {},
        response: {
          clientDataJSON: clientDataJSON.toString('base64url'),
          attestationObject: attestationObject.toString('base64url'),
          transports: ['internal'],
        },
      };
    },
    get(options, tampering = {}) {
      counter += 1;
      const clientDataJSON = clientDataOf('webauthn.get', options.challenge, tampering);
      const authData = authDataOf(options.rpId, tampering);
      const signed = Buffer.concat([authData, createHash('sha256').update(clientDataJSON).digest()]);
      const algorithm = keys.privateKey.asymmetricKeyType === 'ed25519' ? null : 'sha256';
      const userHandle = tampering.userHandle === undefined ? handle : tampering.userHandle;
      return {
        id: tampering.id ?? id,
        rawId: tampering.id ?? id,
        type: 'public-key',
        clientExtensionResults: {},
        response: {
          clientDataJSON: clientDataJSON.toString('base64url'),
          authenticatorData: authData.toString('base64url'),
          signature: sign(algorithm, signed, keys.privateKey).toString('base64url'),
          ...(userHandle !== null && { userHandle }),
        },
      };
    },
  };
}
