import { createHash } from 'node:crypto';
import { configInvalid } from '../../core/config-invalid.ts';
import { type ClientCertificate, isDoorwardError } from '../../core/index.ts';
import { publicKey, type TokenKey } from '../../tokens/index.ts';
import { createJwsVerifier, type JwsVerifier } from '../../tokens/jws.ts';
import { configuredSecretProblem } from '../../tokens/secret-problem.ts';
import { type Members, membersOf } from './members.ts';

/** RFC 6749 appendix A.2. */
const SECRET = /^[\x20-\x7e]{32,1024}$/;
const MAX_KEYS = 16;
const DNS_NAME = /^(?=.{1,253}$)[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*$/;

/**
 * Reads the secret of a client, given itself or by its hash.
 *
 * @returns its SHA-256
 * @throws `CONFIG_INVALID`
 */
export function readSecretHash(members: Members): Buffer {
  const { path } = members;
  if (members.has('client_secret') === members.has('client_secret_hash')) {
    throw configInvalid(path, 'must have exactly one of client_secret and client_secret_hash');
  }
  const secret = members.read('client_secret', isSecret, 'must be 32 to 1024 printable ASCII characters');
  if (secret !== undefined) {
    const bytes = Buffer.from(secret);
    const problem = configuredSecretProblem(bytes);
    if (problem !== undefined) throw configInvalid(`${path}.client_secret`, problem);
    return createHash('sha256').update(bytes).digest();
  }
  const hash = members.read('client_secret_hash', isHash, 'must be the SHA-256 of the secret in base64url') ?? '';
  return Buffer.from(hash, 'base64url');
}

/**
 * Reads the public keys of a client (RFC 7517).
 *
 * @throws `CONFIG_INVALID`
 */
export function readVerifier(members: Members): JwsVerifier {
  const path = `${members.path}.jwks`;
  const jwks = members.read('jwks', isObject, 'must be a JWK Set, { "keys": [...] }');
  if (jwks === undefined) throw configInvalid(path, 'must be given');
  const set = membersOf(jwks, path, ['keys']);
  const keys = set.read('keys', isList, `must be a list of 1 to ${MAX_KEYS} keys`);
  if (keys === undefined) throw configInvalid(`${path}.keys`, 'must be given');
  const read = Array.from(keys, (jwk, index) => readKey(jwk, `${path}.keys[${index}]`));
  return located(`${path}.keys`, 'keys', () => createJwsVerifier(read, ['JWT']));
}

function readKey(jwk: unknown, path: string): TokenKey {
  if (typeof jwk !== 'object' || jwk === null || Array.isArray(jwk)) throw configInvalid(path, 'must be a JWK');
  return located(path, 'key', () => publicKey({ ...jwk }));
}

/** Says of which client a problem is that was found in a key. */
function located<T>(path: string, whole: string, make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (!isDoorwardError(error) || error.field === undefined) throw configInvalid(path, 'cannot be read');
    const { field, message } = error;
    throw configInvalid(field === whole ? path : `${path}.${field}`, message.slice(field.length + 1));
  }
}

/**
 * Reads which certificates are a client's (RFC 8705 section 2.1.2). Names are compared letter by letter, a subject
 * by all of its attributes: one that says more is somebody else's.
 *
 * @throws `CONFIG_INVALID`
 */
export function readOwnCertificate(members: Members): (certificate: ClientCertificate) => boolean {
  const subject = members.read(
    'tls_client_auth_subject_dn',
    isSubject,
    'must be an object of attributes, each a text, such as { "CN": "billing" }',
  );
  const dns = members.read('tls_client_auth_san_dns', isDnsName, 'must be a DNS name without a wildcard');
  const uri = members.read('tls_client_auth_san_uri', isUri, 'must be an absolute URI');
  if ([subject, dns, uri].filter((given) => given !== undefined).length !== 1) {
    throw configInvalid(members.path, 'must have exactly one tls_client_auth_ member');
  }
  if (subject !== undefined) {
    const expected = subjectKey(subject);
    return (certificate) => subjectKey(certificate.subject) === expected;
  }
  const name = dns === undefined ? `URI:${uri}` : `DNS:${dns}`;
  return ({ names }) => names.includes(name);
}

/** A JSON text, so that no value can look like another attribute. */
function subjectKey(subject: Readonly<Record<string, string>>): string {
  return JSON.stringify(Object.entries(subject).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function isSecret(value: unknown): value is string {
  return typeof value === 'string' && SECRET.test(value);
}

/** Written in the one way that these 32 bytes have. */
function isHash(value: unknown): value is string {
  if (typeof value !== 'string') return false;
  const bytes = Buffer.from(value, 'base64url');
  return bytes.length === 32 && bytes.toString('base64url') === value;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && value.length > 0 && value.length <= MAX_KEYS;
}

function isSubject(value: unknown): value is Readonly<Record<string, string>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const attributes = Object.values(value);
  return attributes.length > 0 && attributes.every((text) => typeof text === 'string' && text !== '');
}

function isDnsName(value: unknown): value is string {
  return typeof value === 'string' && DNS_NAME.test(value);
}

function isUri(value: unknown): value is string {
  return typeof value === 'string' && /^[\x21-\x7e]+$/.test(value) && !value.includes('*') && URL.canParse(value);
}
