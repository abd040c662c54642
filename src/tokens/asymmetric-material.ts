import { createPrivateKey, createPublicKey, X509Certificate } from 'node:crypto';

/**
 * Tells whether a would-be secret is really an asymmetric key or a certificate in any of its written forms (PEM,
 * DER, JWK, JWKS, OpenSSH), or one of them in Base64 or hexadecimal. A public key used as a secret lets everyone sign:
 * CVE-2015-9235.
 */
export function isAsymmetricMaterial(bytes: Buffer): boolean {
  const text = bytes.toString('utf8').trim();
  return [bytes, Buffer.from(text, 'base64'), Buffer.from(text, 'hex')].some(isKey);
}

function isKey(bytes: Buffer): boolean {
  const text = bytes.toString('utf8');
  return text.includes('-----BEGIN') || /(?:ssh-|ecdsa-sha2-)\S+ AAAA/.test(text) || isJwk(text) || isDer(bytes);
}

function isJwk(text: string): boolean {
  const start = text.indexOf('{');
  const end = text.lastIndexOf('}');
  if (start === -1 || end < start) return false;
  try {
    const value: unknown = JSON.parse(text.slice(start, end + 1));
    return typeof value === 'object' && value !== null && (Object.hasOwn(value, 'kty') || Object.hasOwn(value, 'keys'));
  } catch {
    return false;
  }
}

/** Every one of these is a SEQUENCE, so that most texts need not be tried. */
const SEQUENCE = 0x30;

function isDer(key: Buffer): boolean {
  if (key[0] !== SEQUENCE) return false;
  return [
    () => createPublicKey({ key, format: 'der', type: 'spki' }),
    () => createPublicKey({ key, format: 'der', type: 'pkcs1' }),
    () => createPrivateKey({ key, format: 'der', type: 'pkcs8' }),
    () => createPrivateKey({ key, format: 'der', type: 'pkcs1' }),
    () => createPrivateKey({ key, format: 'der', type: 'sec1' }),
    () => new X509Certificate(key),
  ].some(succeeds);
}

function succeeds(parse: () => unknown): boolean {
  try {
    parse();
    return true;
  } catch {
    return false;
  }
}
