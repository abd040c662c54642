import { type JsonObject, parseJsonObject } from '../core/json-object.ts';
import { ownProperty } from '../core/own-property.ts';
import { decodeBase64url } from '../tokens/base64url.ts';

/** What a browser says about where and why it was asked (Web Authentication Level 3 section 5.8.1). */
export interface ClientData {
  readonly type: string;
  readonly challenge: string;
  readonly origin: string;
  /** Whether it was asked in a frame of another site. */
  readonly framed: boolean;
}

/** The members of a response in base64url, and its client data. */
export interface ClientResponse<Member extends string> {
  readonly id: string;
  readonly members: Readonly<Record<Member | 'clientDataJSON', string>>;
  readonly clientData: ClientData;
  /** The other members of `response`, unchecked. */
  readonly response: unknown;
}

/** A credential id has at most 1,023 bytes (section 6.5.1). */
const MAX_ID = 1_364;
const MAX_MEMBER = 8_192;

/**
 * Reads the JSON of a `PublicKeyCredential` (`RegistrationResponseJSON` and `AuthenticationResponseJSON` of
 * Web Authentication Level 3 section 5.1).
 *
 * @returns `undefined` for whatever has another form, or members of more than 8,192 characters.
 */
export function readClientResponse<Member extends string>(
  credential: unknown,
  names: readonly Member[],
): ClientResponse<Member> | undefined {
  const id = ownProperty(credential, 'id');
  if (!isBase64url(id, MAX_ID) || ownProperty(credential, 'rawId') !== id) return undefined;
  if (ownProperty(credential, 'type') !== 'public-key') return undefined;
  const response = ownProperty(credential, 'response');
  const members: Record<string, string> = {};
  for (const name of ['clientDataJSON', ...names]) {
    const value = ownProperty(response, name);
    if (!isBase64url(value, MAX_MEMBER)) return undefined;
    members[name] = value;
  }
  const clientData = readClientData(members.clientDataJSON);
  return clientData && { id, members: members as ClientResponse<Member>['members'], clientData, response };
}

/** Whether it is base64url of at least one byte, in its one spelling. */
export function isBase64url(value: unknown, maxLength: number): value is string {
  return typeof value === 'string' && value !== '' && value.length <= maxLength && decodeBase64url(value) !== undefined;
}

function readClientData(encoded = ''): ClientData | undefined {
  const data: JsonObject | undefined = parseJsonObject(Buffer.from(encoded, 'base64url'));
  const type = ownProperty(data, 'type');
  const challenge = ownProperty(data, 'challenge');
  const origin = ownProperty(data, 'origin');
  if (typeof type !== 'string' || typeof challenge !== 'string' || typeof origin !== 'string') return undefined;
  const crossOrigin = ownProperty(data, 'crossOrigin') ?? false;
  const framed = crossOrigin !== false || ownProperty(data, 'topOrigin') !== undefined;
  return { type, challenge, origin, framed };
}
