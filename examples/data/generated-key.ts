import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TokenKey } from 'doorward/tokens';
import { namedKey, namedSecret } from '../identity/keys.ts';

/** For development: a signing secret made at the first start and kept beside the data. */
export function generatedSecret(dataDir: string): TokenKey {
  console.warn('No SIGNING_SECRET or SIGNING_KEY_FILE is set: signing with a generated secret.');
  return namedSecret(keptBeside(dataDir, 'signing-secret', () => randomBytes(48).toString('base64url')));
}

/** For development: the RSA key of OAuth tokens, in the same way. */
export function generatedKey(dataDir: string): TokenKey {
  console.warn('SIGNING_KEY_FILE has no RSA key: signing OAuth tokens with a generated one.');
  const generate = () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
    return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  };
  return namedKey(keptBeside(dataDir, 'signing-key.pem', generate));
}

function keptBeside(dataDir: string, name: string, generate: () => string): string {
  if (dataDir === ':memory:') return generate();
  const file = join(dataDir, name);
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  if (!existsSync(file)) writeFileSync(file, generate(), { mode: 0o600 });
  return readFileSync(file, 'utf8');
}
