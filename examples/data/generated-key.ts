import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TokenKey } from 'doorward/tokens';
import { namedSecret } from '../identity/keys.ts';

/** For development: a signing secret made at the first start and kept beside the data. */
export function generatedKey(dataDir: string): TokenKey {
  console.warn('No SIGNING_SECRET or SIGNING_KEY_FILE is set: signing with a generated secret.');
  if (dataDir === ':memory:') return namedSecret(randomBytes(48).toString('base64url'));
  const file = join(dataDir, 'signing-secret');
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  if (!existsSync(file)) writeFileSync(file, randomBytes(48).toString('base64url'), { mode: 0o600 });
  return namedSecret(readFileSync(file, 'utf8'));
}
