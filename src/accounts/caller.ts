/** Where a call comes from. Without an address only the limits by account apply. */
export interface Caller {
  /** IPv4 or IPv6, as the server saw it or as a trusted proxy told it. */
  readonly ip?: string | undefined;
}
