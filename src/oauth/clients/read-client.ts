import { configInvalid } from '../../core/config-invalid.ts';
import { isDisplayName } from '../../core/identifiers.ts';
import { isWebAddress } from '../../core/web-address.ts';
import { readOwnCertificate, readSecretHash, readVerifier } from './client-keys.ts';
import type { Client, ClientMetadata, GrantType, TokenEndpointAuthMethod } from './client-metadata.ts';
import { type Members, membersOf } from './members.ts';
import { redirectUriProblem } from './redirect-uri.ts';
import type { RegisteredClient } from './registered-client.ts';

type Credentials = Omit<RegisteredClient, 'client'>;

/** Reads the credentials of one method, which stand in these members. Those of another would be in nobody's use. */
interface Method {
  readonly members: readonly (keyof ClientMetadata)[];
  readonly read: (from: Members) => Credentials;
}

const SECRET: Method = {
  members: ['client_secret', 'client_secret_hash'],
  read: (from) => ({ secretHash: readSecretHash(from) }),
};
const METHODS: Readonly<Record<TokenEndpointAuthMethod, Method>> = {
  none: { members: [], read: () => ({}) },
  client_secret_basic: SECRET,
  client_secret_post: SECRET,
  private_key_jwt: { members: ['jwks'], read: (from) => ({ verifyAssertion: readVerifier(from) }) },
  tls_client_auth: {
    members: ['tls_client_auth_subject_dn', 'tls_client_auth_san_dns', 'tls_client_auth_san_uri'],
    read: (from) => ({ isOwnCertificate: readOwnCertificate(from) }),
  },
};
const CREDENTIALS = Object.values(METHODS).flatMap(({ members }) => members);
const KNOWN: readonly (keyof ClientMetadata)[] = [
  ...(['client_id', 'client_name', 'application_type', 'redirect_uris', 'grant_types', 'scope', 'consent'] as const),
  ...(['token_endpoint_auth_method', 'tls_client_certificate_bound_access_tokens', 'client_uri'] as const),
  ...(['dpop_bound_access_tokens', 'roles', 'resources', 'introspects'] as const),
  ...CREDENTIALS,
];
const FLAG = 'must be true or false';
const GRANT_TYPES: readonly unknown[] = ['authorization_code', 'refresh_token', 'client_credentials'];
/** With `client:` before it, it is a subject, which has at most 256 characters. */
const CLIENT_ID = /^[\w.~-]{1,249}$/;
/** RFC 6749 section 3.3, each scope once between single spaces; or none at all. */
const SCOPE = /^(?:[\x21\x23-\x5B\x5D-\x7E]{1,128}(?: [\x21\x23-\x5B\x5D-\x7E]{1,128}){0,99})?$/;

/**
 * Checks one registration and puts every default in its place.
 *
 * @throws `CONFIG_INVALID` with the path of the member at fault.
 */
export function readClient(metadata: unknown, path: string): RegisteredClient {
  const members = membersOf(metadata, path, KNOWN);
  const id = required(members, 'client_id', isClientId, 'must be 1 to 249 letters, digits, ".", "_", "~" or "-"');
  const authMethod = required(members, 'token_endpoint_auth_method', isAuthMethod, 'is not a known method');
  const credentials = readCredentials(members, authMethod);
  const isNative = members.read('application_type', isApplicationType, "must be 'web' or 'native'") === 'native';
  const redirectUris = readRedirectUris(members, isNative);
  const grantTypes = readGrantTypes(members, redirectUris);
  const uri = members.read('client_uri', isWebAddress, 'must be a web address');
  const resources = readAudiences(members, 'resources');
  if (resources?.length === 0) throw configInvalid(`${path}.resources`, 'must name one, or be left out');
  const client: Client = {
    id,
    name: members.read('client_name', isDisplayName, 'must be 1 to 64 characters on one line') ?? id,
    ...(uri !== undefined && { uri }),
    isNative,
    redirectUris,
    grantTypes,
    authMethod,
    scopes: readScopes(members),
    consent: members.read('consent', isConsent, "must be 'ask' or 'implied'") ?? 'ask',
    roles: members.readList('roles', isText, 'must be a text') ?? [],
    ...(resources !== undefined && { resources }),
    introspects: readIntrospects(members),
    bindsToCertificate: members.read('tls_client_certificate_bound_access_tokens', isFlag, FLAG) ?? false,
    requiresDpop: members.read('dpop_bound_access_tokens', isFlag, FLAG) ?? false,
  };
  checkTogether(client, path);
  return Object.freeze({ client: Object.freeze(client), ...credentials });
}

/** What each member allows by itself but not beside the others. */
function checkTogether(client: Client, path: string): void {
  const { authMethod, grantTypes, redirectUris, roles, introspects, bindsToCertificate, requiresDpop } = client;
  const isPublic = authMethod === 'none';
  const isItself = grantTypes.includes('client_credentials');
  if (isPublic && isItself)
    throw configInvalid(
      `${path}.grant_types`,
      'must not have client_credentials, the default without redirect URIs: nobody knows who a public client is',
    );
  if (isPublic && introspects.length > 0)
    throw configInvalid(`${path}.introspects`, 'must be empty for a public client');
  if (!isItself && roles.length > 0) throw configInvalid(`${path}.roles`, 'needs the grant type client_credentials');
  const logsIn = grantTypes.includes('authorization_code');
  if (logsIn && redirectUris.length === 0)
    throw configInvalid(`${path}.redirect_uris`, 'must name one for authorization_code');
  if (!logsIn && grantTypes.includes('refresh_token')) {
    throw configInvalid(`${path}.grant_types`, 'must have authorization_code for refresh_token');
  }
  if (bindsToCertificate && requiresDpop) {
    throw configInvalid(`${path}.dpop_bound_access_tokens`, 'must not stand beside the binding to a certificate');
  }
}

function readCredentials(members: Members, authMethod: TokenEndpointAuthMethod): Credentials {
  const method = METHODS[authMethod];
  const unused = CREDENTIALS.find((name) => members.has(name) && !method.members.includes(name));
  if (unused !== undefined) throw configInvalid(`${members.path}.${unused}`, `is not used by ${authMethod}`);
  return method.read(members);
}

function readRedirectUris(members: Members, isNative: boolean): readonly string[] {
  const uris = members.readList('redirect_uris', isText, 'must be a text') ?? [];
  for (const [index, uri] of uris.entries()) {
    const problem = redirectUriProblem(uri, isNative);
    if (problem !== undefined) throw configInvalid(`${members.path}.redirect_uris[${index}]`, problem);
  }
  return Object.freeze(uris);
}

function readGrantTypes(members: Members, redirectUris: readonly string[]): readonly GrantType[] {
  const usual: readonly GrantType[] =
    redirectUris.length > 0 ? ['authorization_code', 'refresh_token'] : ['client_credentials'];
  return members.readList('grant_types', isGrantType, 'is not a known grant type') ?? Object.freeze(usual);
}

function readScopes(members: Members): readonly string[] {
  const scope = required(members, 'scope', isScope, 'must be at most 100 scopes separated by single spaces');
  const scopes = scope === '' ? [] : scope.split(' ');
  if (new Set(scopes).size < scopes.length) throw configInvalid(`${members.path}.scope`, 'names a scope twice');
  return Object.freeze(scopes);
}

function readAudiences(members: Members, name: string): readonly string[] | undefined {
  return members.readList(name, isAudience, 'must be an absolute URI without a fragment');
}

/** The address of the server's own resource is not known to who writes the file. */
function readIntrospects(members: Members): Client['introspects'] {
  return members.is('introspects', 'resource') ? 'resource' : (readAudiences(members, 'introspects') ?? []);
}

function required<T>(members: Members, name: string, isRight: (value: unknown) => value is T, problem: string): T {
  const value = members.read(name, isRight, problem);
  if (value === undefined) throw configInvalid(`${members.path}.${name}`, 'must be given');
  return value;
}

function isFlag(value: unknown): value is boolean {
  return typeof value === 'boolean';
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function isClientId(value: unknown): value is string {
  return typeof value === 'string' && CLIENT_ID.test(value);
}

function isScope(value: unknown): value is string {
  return typeof value === 'string' && SCOPE.test(value);
}

/** RFC 8707 section 2. */
function isAudience(value: unknown): value is string {
  return typeof value === 'string' && /^[\x21\x22\x24-\x7e]+$/.test(value) && URL.canParse(value);
}

function isAuthMethod(value: unknown): value is TokenEndpointAuthMethod {
  return typeof value === 'string' && Object.hasOwn(METHODS, value);
}

function isApplicationType(value: unknown): value is 'web' | 'native' {
  return value === 'web' || value === 'native';
}

function isConsent(value: unknown): value is 'ask' | 'implied' {
  return value === 'ask' || value === 'implied';
}

function isGrantType(value: unknown): value is GrantType {
  return GRANT_TYPES.includes(value);
}
