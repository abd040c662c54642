import { parseForm } from '../../http/body.ts';
import type { Client } from '../clients/client-metadata.ts';
import type { ClientRegistry } from '../clients/client-registry.ts';
import { isRegisteredRedirectUri } from '../clients/redirect-uri.ts';
import { parametersOf } from '../parameters.ts';

/** Pairs of names and values in the order in which they came. */
export type Pairs = readonly (readonly [string, string])[];

/** Where the answer to an authorization request goes: known before anything else of the request is looked at. */
export interface AuthorizationTarget {
  readonly client: Client;
  /** Registered for the client. */
  readonly redirectUri: string;
  /** Goes back as it came. */
  readonly state: string | undefined;
}

/** Why nobody may be sent anywhere, in words for the person at the browser. */
export interface NoTarget {
  readonly problem: string;
  /** The client, where that much was right. */
  readonly client?: Client;
}

/** As most servers have it for the whole request line. */
const MAX_QUERY = 8_192;
const MAX_VALUE = 2_048;
const TARGET_PARAMETERS: ReadonlySet<string> = new Set(['client_id', 'redirect_uri']);

/** Takes the query of an authorization request apart; `undefined` for one that is too long or no form in UTF-8. */
export function readQuery(query: string): Pairs | undefined {
  if (query.length > MAX_QUERY) return undefined;
  try {
    const pairs = parseForm(query);
    return pairs.every(([, value]) => value.length <= MAX_VALUE) ? pairs : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Finds the client and the address to answer to. Without both nobody is redirected: an address that is not
 * registered may be an attacker's (RFC 6749 section 4.1.2.1).
 */
export function readTarget(pairs: Pairs | undefined, clients: ClientRegistry): AuthorizationTarget | NoTarget {
  const parameters = parametersOf((pairs ?? []).filter(([name]) => TARGET_PARAMETERS.has(name)));
  if (pairs === undefined || 'repeated' in parameters) return { problem: 'The request is malformed.' };
  const client = clients.find(parameters.get('client_id'))?.client;
  if (client === undefined) return { problem: 'The application that sent you here is not registered.' };
  const redirectUri = parameters.get('redirect_uri');
  if (redirectUri === undefined || !isRegisteredRedirectUri(client, redirectUri)) {
    return { problem: 'The application that sent you here did not give a registered address to return to.', client };
  }
  const states = pairs.filter(([name, value]) => name === 'state' && value !== '');
  return { client, redirectUri, state: states.length === 1 ? states[0]?.[1] : undefined };
}
