/** Facts about a subject or a resource, by name; read by own property only. */
export type Attributes = Readonly<Record<string, unknown>>;

/** The login that a request belongs to, as its token tells it. */
export interface Session {
  /** Identifies the login; tokens refreshed from one login share it. */
  readonly id: string;
  /** The token's own `jti` (RFC 7519 section 4.1.7). */
  readonly tokenId: string;
  /** When the password was verified, in seconds since the epoch (`auth_time` of OpenID Connect Core); 0 for a client that acts for itself. */
  readonly authTime: number;
  /** When the presented token ends, in seconds since the epoch. */
  readonly expiresAt: number;
  /** Authentication methods used, for example `['pwd']` (RFC 8176). */
  readonly amr: readonly string[];
  readonly acr?: string;
  readonly clientId?: string;
}

/** The party a policy is asked about: an id, its roles and its attributes. */
export interface Subject {
  readonly id: string;
  readonly roles: readonly string[];
  /** What an OAuth client was granted. Scopes narrow, they never add to the roles. */
  readonly scopes?: readonly string[];
  readonly attributes: Attributes;
}

/**
 * Who a request is authenticated as. A principal is a subject, so it goes into an
 * {@link AccessRequest} as it is. One principal object lives as long as one request (or one
 * subscription event): decisions are remembered by its identity.
 */
export interface Principal extends Subject {
  readonly session?: Session;
}
