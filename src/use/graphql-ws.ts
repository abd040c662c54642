export { createGraphQLSockets, type GraphQLSockets } from './graphql-ws/create-graphql-sockets.ts';
export type { GraphQLSocketsOptions, SocketCaller, SocketLimits } from './graphql-ws/options.ts';
export { type WsAuth, type WsAuthHooks, type WsAuthLimits, type WsAuthOptions, wsAuth } from './graphql-ws/ws-auth.ts';
