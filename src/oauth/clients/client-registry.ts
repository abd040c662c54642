import { configInvalid } from '../../core/config-invalid.ts';
import type { Client, ClientMetadata } from './client-metadata.ts';
import { readClient } from './read-client.ts';
import type { RegisteredClient } from './registered-client.ts';

export type { RegisteredClient } from './registered-client.ts';

/** The clients that an authorization server knows. */
export interface ClientRegistry {
  readonly find: (clientId: unknown) => RegisteredClient | undefined;
  readonly clients: readonly Client[];
}

/**
 * Checks the registrations of clients, once, when the server is built. They may come of a JSON file; a member that
 * nobody knows is refused there, too.
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
  if (!Array.isArray(clients)) throw configInvalid('clients', 'must be a list');
  const registered = new Map<unknown, RegisteredClient>();
  for (const [index, metadata] of clients.entries()) {
    const path = `clients[${index}]`;
    const client = readClient(metadata, path);
    const { id } = client.client;
    if (registered.has(id)) throw configInvalid(`${path}.client_id`, 'stands twice');
    registered.set(id, client);
  }
  return Object.freeze({
    find: (clientId: unknown) => registered.get(clientId),
    clients: Object.freeze(Array.from(registered.values(), ({ client }) => client)),
  });
}
