export { type KeyMaterial, privateKey, publicKey, readKey } from './asymmetric-key.ts';
export type { Claims, IssueClaims, TokenIssuer, TokenRejection, TokenResult, TokenVerifier } from './result.ts';
export { secretKey } from './secret-key.ts';
export { createTokenIssuer, type TokenIssuerOptions } from './token-issuer.ts';
export type { AsymmetricKeyOptions, TokenAlgorithm, TokenKey, TokenKeyOptions } from './token-key.ts';
export { createTokenVerifier, type TokenVerifierOptions } from './token-verifier.ts';
