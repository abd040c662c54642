/** The error codes of RFC 6749 sections 4.1.2.1 and 5.2, OpenID Connect Core section 3.1.2.6, RFC 8707 and RFC 9449. */
export type OAuthErrorCode =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'unauthorized_client'
  | 'unsupported_grant_type'
  | 'unsupported_response_type'
  | 'invalid_scope'
  | 'invalid_target'
  | 'invalid_dpop_proof'
  | 'access_denied'
  | 'server_error'
  | 'temporarily_unavailable'
  | 'login_required'
  | 'consent_required'
  | 'interaction_required'
  | 'unmet_authentication_requirements'
  | 'request_not_supported'
  | 'request_uri_not_supported'
  | 'registration_not_supported'
  | 'unsupported_token_type';

/** What a client is told beside the code: one fixed text for each, so that no reason shines through. */
const DESCRIPTIONS: Readonly<Partial<Record<OAuthErrorCode, string>>> = {
  invalid_client: 'Client authentication failed',
  invalid_grant: 'The grant is invalid, expired, revoked, or was issued to another client',
  unauthorized_client: 'The client may not use this grant type',
  unsupported_grant_type: 'The grant type is not supported',
  unsupported_response_type: 'Only the response type code is supported',
  invalid_scope: 'The scope is malformed, unknown, or more than the client may have',
  invalid_target: 'The resource is unknown, or not one that the client may ask for',
  invalid_dpop_proof: 'The DPoP proof is missing or not good',
  access_denied: 'The request was refused',
  server_error: 'The server could not answer',
  temporarily_unavailable: 'The server cannot answer now',
};

/** A refusal of one of the protocol's endpoints. It stays in this folder: it becomes a redirect or a JSON answer. */
export class OAuthError extends Error {
  readonly code: OAuthErrorCode;
  /** What the client may read: printable ASCII without quotes and backslashes (RFC 6749 section 5.2). */
  readonly description: string | undefined;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  /** @param problem names what is wrong with the request in words of ours; never a value of the request */
  constructor(
    code: OAuthErrorCode,
    {
      problem,
      status = 400,
      headers = {},
    }: { problem?: string; status?: number; headers?: Record<string, string> } = {},
  ) {
    super(code);
    this.name = 'OAuthError';
    this.code = code;
    this.description = problem ?? DESCRIPTIONS[code];
    this.status = status;
    this.headers = headers;
  }
}
