export {
  createRateLimiterFlexibleStore,
  type FlexibleLimiter,
  type LimiterAnswer,
  type RateLimiterFlexibleStoreOptions,
} from './rate-limiter-flexible-store.ts';
