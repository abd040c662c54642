export type DpopAlgorithm = 'ES256' | 'PS256' | 'RS256';

/** The algorithms of DPoP proofs (RFC 9449 section 4.2) that are accepted here, as challenges and metadata name them. */
export const DPOP_ALGORITHMS: readonly DpopAlgorithm[] = Object.freeze(['ES256', 'RS256', 'PS256']);
