import type { JsonWebKey } from 'node:crypto';

/** How a client proves at the token endpoint that it is itself (RFC 7591 section 2, RFC 8705 section 2.1). */
export type TokenEndpointAuthMethod =
  | 'none'
  | 'client_secret_basic'
  | 'client_secret_post'
  | 'private_key_jwt'
  | 'tls_client_auth';

export type GrantType = 'authorization_code' | 'refresh_token' | 'client_credentials';

/**
 * A client as it is registered, under the names of the dynamic registration protocol (RFC 7591 section 2), so that
 * a JSON file of another server needs little change. Ours are `client_secret_hash`, `consent`, `roles`, `resources`
 * and `introspects`.
 */
export interface ClientMetadata {
  /** 1 to 249 characters: letters, digits, `.`, `_`, `~`, `-`. */
  readonly client_id: string;
  /** Shown to people. @default client_id */
  readonly client_name?: string;
  /** `native` permits custom schemes and any port on a loopback address (RFC 8252 section 7). @default 'web' */
  readonly application_type?: 'web' | 'native';
  /** Compared as exact strings. Needed for `authorization_code`. @default [] */
  readonly redirect_uris?: readonly string[];
  /** @default ['authorization_code', 'refresh_token'], or ['client_credentials'] where there are no redirect URIs */
  readonly grant_types?: readonly GrantType[];
  readonly token_endpoint_auth_method: TokenEndpointAuthMethod;
  /** For `client_secret_basic` and `client_secret_post`, at least 32 characters; kept as its SHA-256. */
  readonly client_secret?: string;
  /** The SHA-256 of the secret in base64url, in place of `client_secret`: then the file holds no secret. */
  readonly client_secret_hash?: string;
  /** Public keys, for `private_key_jwt`. */
  readonly jwks?: { readonly keys: readonly JsonWebKey[] };
  /** For `tls_client_auth`, exactly one of these (RFC 8705 section 2.1.2). The subject as `{ CN: 'billing', O: 'Example' }`. */
  readonly tls_client_auth_subject_dn?: Readonly<Record<string, string>>;
  readonly tls_client_auth_san_dns?: string;
  readonly tls_client_auth_san_uri?: string;
  /** Binds its tokens to its certificate (RFC 8705 section 3.4). @default false */
  readonly tls_client_certificate_bound_access_tokens?: boolean;
  /** Refuses its token requests without a DPoP proof (RFC 9449 section 5.2). @default false */
  readonly dpop_bound_access_tokens?: boolean;
  /** Separated by spaces: the most it may ask for, and what it gets when it asks for none. */
  readonly scope: string;
  /** Whether people are asked before it gets what it asks for; `implied` is for your own applications. @default 'ask' */
  readonly consent?: 'ask' | 'implied';
  /** What it may do when it acts for itself (`client_credentials`). @default [] */
  readonly roles?: readonly string[];
  /** The audiences that it may ask for (RFC 8707). @default the server's `resource` */
  readonly resources?: readonly string[];
  /** The audiences whose tokens it may introspect, for a resource server; `resource` is the server's own. @default []: its own tokens only */
  readonly introspects?: readonly string[] | 'resource';
  /** Shown to people beside the name. */
  readonly client_uri?: string;
}

/** A registered client, checked, with every default in place. The secret is not in it. */
export interface Client {
  readonly id: string;
  readonly name: string;
  readonly uri?: string;
  readonly isNative: boolean;
  readonly redirectUris: readonly string[];
  readonly grantTypes: readonly GrantType[];
  readonly authMethod: TokenEndpointAuthMethod;
  readonly scopes: readonly string[];
  readonly consent: 'ask' | 'implied';
  readonly roles: readonly string[];
  /** `undefined`: the server's own `resource` only. */
  readonly resources?: readonly string[];
  readonly introspects: readonly string[] | 'resource';
  readonly bindsToCertificate: boolean;
  readonly requiresDpop: boolean;
}
