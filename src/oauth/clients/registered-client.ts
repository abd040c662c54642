import type { ClientCertificate } from '../../core/index.ts';
import type { JwsVerifier } from '../../tokens/jws.ts';
import type { Client } from './client-metadata.ts';

/** A client with what its credentials are compared with; that stays in this folder. */
export interface RegisteredClient {
  readonly client: Client;
  /** SHA-256 of the secret. */
  readonly secretHash?: Buffer;
  /** The signature layer over its keys, for `private_key_jwt`. */
  readonly verifyAssertion?: JwsVerifier;
  /** Tells whether a certificate is its own, for `tls_client_auth`. */
  readonly isOwnCertificate?: (certificate: ClientCertificate) => boolean;
}
