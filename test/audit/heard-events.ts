import diagnostics from 'node:diagnostics_channel';
import { AUDIT_CHANNEL, type AuditEvent } from 'doorward';
import { onTestFinished } from 'vitest';

/** The audit events from now on to the end of the test, as they come. */
export function heardEvents(): AuditEvent[] {
  const events: AuditEvent[] = [];
  const hear = (event: unknown): void => void events.push(event as AuditEvent);
  diagnostics.subscribe(AUDIT_CHANNEL, hear);
  onTestFinished(() => void diagnostics.unsubscribe(AUDIT_CHANNEL, hear));
  return events;
}
