import {
  createKeyring,
  deriveSecret,
  jwkThumbprint,
  type Keyring,
  readKey,
  secretKey,
  type TokenKey,
} from 'doorward/tokens';

/** A secret under a name that tells nothing of it, so that a token says which secret signed it. */
export function namedSecret(secret: string): TokenKey {
  return secretKey(secret, { kid: deriveSecret(secretKey(secret), 'kid').toString('base64url').slice(0, 12) });
}

/** A key under its RFC 7638 thumbprint unless the text names it. */
export function namedKey(text: string): TokenKey {
  const key = readKey(text);
  return key.kid === undefined ? readKey(text, { kid: jwkThumbprint(key) }) : key;
}

/** The keys of a key file: one JWK, or PEM blocks one after the other. */
export function namedKeys(text: string): readonly TokenKey[] {
  const blocks = text.match(/-----BEGIN [^-]+-----[^-]+-----END [^-]+-----/g);
  return (blocks ?? [text]).map(namedKey);
}

interface Keys {
  readonly active: TokenKey;
  readonly next?: readonly TokenKey[];
  readonly retired?: TokenKey | undefined;
}

/** One ring: `active` signs, `next` are announced, and `retired` verifies until the last of its tokens has ended. */
export function keyringOf({ active, next = [], retired }: Keys): Keyring {
  return createKeyring({
    keys: [
      { key: active, state: 'active' },
      ...next.map((key) => ({ key, state: 'next' as const })),
      ...(retired === undefined ? [] : [{ key: retired, state: 'retired' as const }]),
    ],
  });
}
