export {
  createOpenTelemetryBridge,
  type OpenTelemetryBridge,
  type OpenTelemetryBridgeOptions,
} from './opentelemetry/bridge.ts';
