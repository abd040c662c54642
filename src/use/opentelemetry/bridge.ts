import diagnostics from 'node:diagnostics_channel';
import { type Attributes, type Meter, metrics, trace } from '@opentelemetry/api';
import { configInvalid, refuseUnknownOptions } from '../../core/config-invalid.ts';
import { auditRecord, decisionRecord, type EventRecord } from '../../core/event-record.ts';
import { AUDIT_CHANNEL, type AuditEvent, DECISION_CHANNEL, type DecisionEvent } from '../../core/index.ts';

export interface OpenTelemetryBridgeOptions {
  /** Counts. @default `metrics.getMeter('doorward')` of the global provider, as it is when the bridge is made */
  readonly meter?: Meter;
  /** Which decisions become events of a span; all are counted. @default 'denied' */
  readonly decisions?: 'denied' | 'all' | 'none';
}

/** Audit events and decisions in traces and metrics. */
export interface OpenTelemetryBridge {
  /** Listens no more. */
  close(): void;
}

const OPTIONS: readonly string[] = ['meter', 'decisions'];
/** Names of people do not go where traces go. */
const UNTRACED: ReadonlySet<string> = new Set(['type', 'username', 'usernameDigest']);
const CODE = /^[\w.-]{1,64}$/;

/**
 * Puts every audit event, and every decision that denies, on the span that is active when it happens, and counts all
 * of them: `doorward.events` by type, outcome and reason, `doorward.decisions` by outcome and reason. No token, no
 * username and no attribute of a subject or a resource is among the values.
 *
 * @throws `CONFIG_INVALID` when `decisions` cannot be meant, and for an unknown option.
 * @example
 * const bridge = createOpenTelemetryBridge();
 */
export function createOpenTelemetryBridge(options: OpenTelemetryBridgeOptions = {}): OpenTelemetryBridge {
  refuseUnknownOptions(options, OPTIONS);
  const { meter = metrics.getMeter('doorward'), decisions = 'denied' } = options;
  if (decisions !== 'denied' && decisions !== 'all' && decisions !== 'none') {
    throw configInvalid('decisions', "must be 'denied', 'all' or 'none'");
  }
  const eventCount = meter.createCounter('doorward.events', { description: 'Audit events', unit: '{event}' });
  const decisionCount = meter.createCounter('doorward.decisions', { description: 'Decisions', unit: '{decision}' });

  const onAudit = guarded((event) => {
    const record = auditRecord(event as AuditEvent);
    eventCount.add(1, labels(record, ['type', 'outcome', 'reason']));
    addToSpan(record);
  });
  const onDecision = guarded((event) => {
    const record = decisionRecord(event as DecisionEvent);
    decisionCount.add(1, labels(record, ['outcome', 'reason']));
    if (decisions === 'all' || (decisions === 'denied' && record.outcome !== 'allow')) addToSpan(record);
  });

  diagnostics.subscribe(AUDIT_CHANNEL, onAudit);
  diagnostics.subscribe(DECISION_CHANNEL, onDecision);
  return {
    close() {
      diagnostics.unsubscribe(AUDIT_CHANNEL, onAudit);
      diagnostics.unsubscribe(DECISION_CHANNEL, onDecision);
    },
  };
}

/** Node brings the process down for a subscriber that throws. */
function guarded(take: (event: unknown) => void): (event: unknown) => void {
  return (event) => {
    try {
      take(event);
    } catch {
      // What observes must not change what is observed.
    }
  };
}

function addToSpan(record: EventRecord): void {
  const attributes: Attributes = {};
  for (const [name, value] of Object.entries(record)) {
    if (!UNTRACED.has(name)) attributes[`doorward.${name}`] = typeof value === 'object' ? [...value] : value;
  }
  trace.getActiveSpan()?.addEvent(`doorward.${record.type}`, attributes);
}

/** Few values only: each combination is a time series of its own. */
function labels(record: EventRecord, names: readonly string[]): Attributes {
  const found: Attributes = {};
  for (const name of names) {
    const value = record[name];
    if (typeof value === 'string') found[name] = CODE.test(value) ? value : 'other';
  }
  return found;
}
