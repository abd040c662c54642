export { createGraphQLSockets, type GraphQLSockets } from './graphql-ws/create-graphql-sockets.ts';
export type { GraphQLSocketsOptions, SocketCaller, SocketLimits } from './graphql-ws/options.ts';
