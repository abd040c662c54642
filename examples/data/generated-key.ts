import { generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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
  console.warn('No SIGNING_KEY_FILE with an RSA key is set: signing OAuth tokens with a generated one.');
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
  if (!existsSync(file)) {
    // Whoever links first decides, and nobody reads half of it.
    const own = `${file}.${randomUUID()}`;
    writeFileSync(own, generate(), { mode: 0o600, flag: 'wx' });
    try {
      linkSync(own, file);
    } catch (error) {
      if (!existsSync(file)) throw error;
    } finally {
      rmSync(own);
    }
  }
  return readFileSync(file, 'utf8');
}
