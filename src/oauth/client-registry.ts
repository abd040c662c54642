import type { ClientCertificate } from '../core/index.ts';
import type { JwsVerifier } from '../tokens/jws.ts';
import type { Client, ClientMetadata } from './client-metadata.ts';

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

/** The clients that an authorization server knows. */
export interface ClientRegistry {
  readonly find: (clientId: unknown) => RegisteredClient | undefined;
  readonly clients: readonly Client[];
}

/**
 * Checks the registrations of clients, once, when the server is built.
 *
 * @throws `CONFIG_INVALID` with the path of the member at fault, for example `clients[0].redirect_uris[1]`.
 * @example
 * const clients = createClientRegistry([
 *   {
 *     client_id: 'spa',
 *     token_endpoint_auth_method: 'none',
 *     redirect_uris: ['https://app.example.org/callback'],
 *     scope: 'openid profile',
 *   },
 * ]);
 */
export function createClientRegistry(clients: readonly ClientMetadata[]): ClientRegistry {
  throw new Error(`to be written, ${clients.length}`);
}
