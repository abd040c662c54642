import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { ClientCertificate } from '../../core/index.ts';
import { readAltNames } from './alt-names.ts';

/**
 * Reads the certificate of a client from its connection, and from nowhere else: a header that a proxy would set
 * can be set by anybody. Nothing is remembered, since a renegotiation (TLS 1.2) may bring another certificate.
 *
 * @returns `undefined` unless this server asked for a certificate and found it to be of an authority it trusts.
 */
export function clientCertificate(socket: Socket): ClientCertificate | undefined {
  if (!(socket instanceof TLSSocket) || !isAuthorized(socket)) return undefined;
  const certificate = socket.getPeerX509Certificate();
  if (certificate === undefined) return undefined;
  const notAfter = Date.parse(certificate.validTo);
  if (Number.isNaN(notAfter)) return undefined;
  return {
    thumbprint: Buffer.from(certificate.fingerprint256.replaceAll(':', ''), 'hex').toString('base64url'),
    subject: readSubject(certificate.toLegacyObject().subject),
    names: readAltNames(certificate.subjectAltName),
    notAfter,
  };
}

/** After a renegotiation that brought an untrusted certificate, Node leaves `authorized` as it was and sets the error. */
function isAuthorized({ authorized, authorizationError }: TLSSocket): boolean {
  return authorized === true && !authorizationError;
}

/**
 * The subject as Node reads it from the DER; the text that OpenSSL prints cannot be taken apart safely. A subject
 * in which an attribute stands twice is left empty, since half of it would be somebody else.
 */
function readSubject(subject: unknown): Readonly<Record<string, string>> {
  const attributes: Record<string, string> = {};
  for (const [name, value] of Object.entries(Object(subject))) {
    if (typeof value !== 'string') return {};
    attributes[name] = value;
  }
  return attributes;
}
