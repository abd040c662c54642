/** The algorithms of RFC 7518 section 3.1 whose keys have a public half. */
export type AsymmetricAlgorithm = 'ES256' | 'RS256' | 'PS256';

/** All that are accepted of others: in DPoP proofs, client assertions and the tokens of other issuers. */
export const ASYMMETRIC_ALGORITHMS: readonly AsymmetricAlgorithm[] = Object.freeze(['ES256', 'RS256', 'PS256']);
