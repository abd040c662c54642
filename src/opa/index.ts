export { createDecisionEndpoint, type DecisionEndpointOptions } from './decision-endpoint.ts';
export { createOpaClient, type OpaClient, type OpaClientOptions } from './opa-client.ts';
