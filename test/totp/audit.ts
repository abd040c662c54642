import diagnostics from 'node:diagnostics_channel';
import { AUDIT_CHANNEL, type AuditEvent } from 'doorward';

/** Runs something and gathers what it reports about one account, or about none. */
export async function eventsOf(
  accountId: string | undefined,
  run: () => Promise<unknown>,
): Promise<readonly AuditEvent[]> {
  const events: AuditEvent[] = [];
  const listen = (message: unknown): void => {
    const event = message as AuditEvent;
    if (('accountId' in event ? event.accountId : undefined) === accountId) events.push(event);
  };
  diagnostics.subscribe(AUDIT_CHANNEL, listen);
  try {
    await run();
  } finally {
    diagnostics.unsubscribe(AUDIT_CHANNEL, listen);
  }
  return events;
}
