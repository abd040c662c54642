import { ASYMMETRIC_ALGORITHMS } from '../../core/asymmetric-algorithms.ts';
import { isWebAddress } from '../../core/web-address.ts';
import type { GrantType, TokenEndpointAuthMethod } from '../clients/client-metadata.ts';
import type { Settings } from '../settings.ts';

type Metadata = Readonly<Record<string, unknown>>;

const CONFIDENTIAL: readonly TokenEndpointAuthMethod[] = [
  ...(['client_secret_basic', 'client_secret_post', 'private_key_jwt', 'tls_client_auth'] as const),
];
const METHODS: readonly TokenEndpointAuthMethod[] = ['none', ...CONFIDENTIAL];
const GRANT_TYPES: readonly GrantType[] = ['authorization_code', 'refresh_token', 'client_credentials'];
/** What only OpenID Connect knows. */
const IDENTITY_SCOPES: ReadonlySet<string> = new Set(['openid', 'profile', 'email']);
const CLAIMS = [
  ...['iss', 'sub', 'aud', 'exp', 'iat', 'auth_time', 'nonce', 'acr', 'amr', 'at_hash', 'sid'],
  ...['preferred_username', 'email', 'email_verified'],
];

/** What the server can do as an authorization server: RFC 8414 section 2, with RFC 8705, 9207, 9449 and 9728. */
export function oauthMetadata({ issuer, urls, scopes, resources }: Settings, hasOpenid: boolean): Metadata {
  return {
    issuer,
    authorization_endpoint: urls.authorize,
    token_endpoint: urls.token,
    jwks_uri: urls.jwks,
    introspection_endpoint: urls.introspect,
    revocation_endpoint: urls.revoke,
    scopes_supported: Object.keys(scopes).filter((scope) => hasOpenid || !IDENTITY_SCOPES.has(scope)),
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: GRANT_TYPES,
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: METHODS,
    token_endpoint_auth_signing_alg_values_supported: ASYMMETRIC_ALGORITHMS,
    introspection_endpoint_auth_methods_supported: CONFIDENTIAL,
    introspection_endpoint_auth_signing_alg_values_supported: ASYMMETRIC_ALGORITHMS,
    revocation_endpoint_auth_methods_supported: METHODS,
    revocation_endpoint_auth_signing_alg_values_supported: ASYMMETRIC_ALGORITHMS,
    authorization_response_iss_parameter_supported: true,
    tls_client_certificate_bound_access_tokens: true,
    dpop_signing_alg_values_supported: ASYMMETRIC_ALGORITHMS,
    // A resource of another kind of URI has no metadata of its own to be found.
    protected_resources: resources.filter(isWebAddress),
  };
}

/** What it can do as an OpenID provider: OpenID Connect Discovery section 3, and Prompt Create section 4.1 for `prompt`. */
export function openidMetadata({ urls }: Settings, algorithm: string): Metadata {
  return {
    userinfo_endpoint: urls.userinfo,
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: [algorithm],
    claims_supported: CLAIMS,
    acr_values_supported: ['aal1', 'aal2'],
    prompt_values_supported: ['none', 'login', 'consent', 'select_account'],
    claims_parameter_supported: false,
    request_parameter_supported: false,
    // Without it, clients would take it for true.
    request_uri_parameter_supported: false,
  };
}
