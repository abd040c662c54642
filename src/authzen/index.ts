export { type AuthzenClient, createAuthzenClient } from './client/client.ts';
export type { AuthzenClientOptions, SentAttributes } from './client/options.ts';
export type { AuthzenSearches, PageRequest, SearchPage } from './client/search.ts';
export { createAuthzenEndpoint } from './endpoint/endpoint.ts';
export type { AuthzenEndpointOptions } from './endpoint/options.ts';
export type { AuthzenSearch, Candidate, CandidateQuery, CandidateSource } from './endpoint/search-source.ts';
export type { AuthzenAction, AuthzenEvaluation, AuthzenResource, AuthzenSubject } from './information-model.ts';
