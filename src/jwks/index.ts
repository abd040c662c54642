export type { Discovery } from './discovery.ts';
export type { FetchJson } from './fetch-json.ts';
export type { KeySourceFailure } from './key-source-error.ts';
export type { RemoteAlgorithm } from './read-jwks.ts';
export { createRemoteKeySet, type RemoteKeySet } from './remote-key-set.ts';
export type { RemoteKeyOptions, RemoteKeySetOptions } from './remote-options.ts';
export {
  createRemoteTokenVerifier,
  type RemoteTokenVerifier,
  type RemoteTokenVerifierOptions,
} from './remote-token-verifier.ts';
