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

/** The key of a key file, under its RFC 7638 thumbprint unless the file names it. */
export function namedKey(text: string): TokenKey {
  const key = readKey(text);
  return key.kid === undefined ? readKey(text, { kid: jwkThumbprint(key) }) : key;
}

interface Keys {
  readonly active: TokenKey;
  readonly next: TokenKey | undefined;
  readonly retired: TokenKey | undefined;
}

/** One ring: `active` signs, `next` is announced, and `retired` verifies until the last of its tokens has ended. */
export function keyringOf({ active, next, retired }: Keys): Keyring {
  const entry = (key: TokenKey | undefined, state: 'active' | 'next' | 'retired') =>
    key === undefined ? [] : [{ key, state }];
  return createKeyring({ keys: [...entry(active, 'active'), ...entry(next, 'next'), ...entry(retired, 'retired')] });
}
