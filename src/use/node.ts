export { type NodeListener, type NodeListenerOptions, toNodeListener } from './node/listener.ts';
export { type RunningServer, recommendedServerOptions, type ServeOptions, serve } from './node/serve.ts';
