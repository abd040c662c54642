/** The claims of a verified token (RFC 7519 section 4), every one of the right type. */
export interface Claims {
  readonly sub: string;
  /** Seconds since the epoch. */
  readonly iat: number;
  /** Seconds since the epoch. */
  readonly exp: number;
  readonly nbf?: number;
  readonly jti?: string;
  readonly iss?: string;
  readonly aud?: string | readonly string[];
  readonly [claim: string]: unknown;
}

/** Why a token was refused. For logs and events only: outside it is always the same 401. */
export type TokenRejection =
  | 'malformed'
  | 'too_large'
  | 'unknown_key'
  | 'algorithm'
  | 'signature'
  | 'type'
  | 'critical_header'
  | 'claims'
  | 'expired'
  | 'not_yet_valid'
  | 'lifetime'
  | 'issuer'
  | 'audience'
  | 'confirmation'
  | 'revoked';

/** A refusal is a value, not a throw: it costs no stack trace, and it cannot be overlooked. */
export type TokenResult =
  | { readonly ok: true; readonly claims: Claims }
  | { readonly ok: false; readonly reason: TokenRejection };

/** Signs claims into a compact JWT. `iat`, `exp`, `jti`, and the configured `iss` and `aud` are added. */
export interface TokenIssuer {
  issue(claims: IssueClaims): string;
  /** How long a token lives when no `notAfter` ends it earlier. */
  readonly ttlSeconds: number;
}

/** What a token shall say. The issuer's own claims (`iat`, `exp`, `jti`, `iss`, `aud`) are left out when given. */
export interface IssueClaims {
  /** 1 to 256 characters. */
  readonly sub: string;
  /** Never later than this, in seconds since the epoch, whatever the lifetime says. */
  readonly notAfter?: number;
  /** Becomes `aud` in place of the configured one. */
  readonly audience?: string | readonly string[];
  readonly [claim: string]: unknown;
}

/** Checks a compact JWT: signature and every acceptance rule. Never throws. */
export interface TokenVerifier {
  verify(token: unknown): TokenResult;
}
