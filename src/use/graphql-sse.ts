export type { SseRequest } from './graphql-sse/enter-request.ts';
export {
  type SseAuth,
  type SseAuthHooks,
  type SseAuthOptions,
  type SseContext,
  sseAuth,
} from './graphql-sse/sse-auth.ts';
