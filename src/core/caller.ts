/** A client certificate that the TLS layer has verified against its trusted authorities. */
export interface ClientCertificate {
  /** SHA-256 of the certificate's DER in base64url: `x5t#S256` of RFC 8705 section 3.1. */
  readonly thumbprint: string;
  /** The attributes of the subject by their short names, for example `CN` and `O`. */
  readonly subject: Readonly<Record<string, string>>;
  /** The subject alternative names (RFC 5280 section 4.2.1.6), each with its kind, for example `URI:spiffe://example.org/billing`. */
  readonly names: readonly string[];
  /** Epoch milliseconds. */
  readonly notAfter: number;
}

/** A proof of possession that came beside a token, and the request that it has to be about (RFC 9449 section 4). */
export interface DpopPresentation {
  /** The value of the header `DPoP`, unverified. */
  readonly proof: string;
  readonly method: string;
  /** The address of the request as this server saw it; behind a proxy only its path and query are to be relied on. */
  readonly url: string;
}

/** Where a call comes from. Without an address only the limits by account apply. */
export interface Caller {
  /** IPv4 or IPv6, as the server saw it or as a trusted proxy told it. */
  readonly ip?: string | undefined;
  /** Identifies the request in logs and events. */
  readonly requestId?: string | undefined;
  /** Present only on a TLS connection whose client proved that it holds the key of the certificate. */
  readonly certificate?: ClientCertificate | undefined;
  /** Present only when the token was presented with the scheme `DPoP`. */
  readonly dpop?: DpopPresentation | undefined;
}
