import diagnostics from 'node:diagnostics_channel';
import { configInvalid, refuseUnknownOptions } from '../core/config-invalid.ts';
import { auditRecord, decisionRecord, type EventRecord } from '../core/event-record.ts';
import {
  AUDIT_CHANNEL,
  type AuditEvent,
  type Clock,
  DECISION_CHANNEL,
  type DecisionEvent,
  systemClock,
  withDeadline,
} from '../core/index.ts';
import { eventLine } from './event-line.ts';
import { type LineStream, lineOutput, type WriteLine } from './line-output.ts';
import { createLineQueue } from './line-queue.ts';

export interface JsonLinesSinkOptions {
  /** Where the lines go: a function that takes one line at a time, or a stream, which stays yours to end. */
  readonly write: WriteLine | LineStream;
  /** How many lines may wait to be written; what comes on top is dropped and counted. @default 10000 */
  readonly maxQueue?: number;
  /** Which decisions become lines, beside the audit events. @default 'denied' */
  readonly decisions?: 'denied' | 'all' | 'none';
  /** How long `close` waits for what is still to be written, in milliseconds; 1 to 600000. @default 5000 */
  readonly closeTimeoutMs?: number;
  /** Gets the error of a write that failed. */
  readonly onError?: (error: unknown) => void;
  /** @default systemClock */
  readonly clock?: Clock;
}

/** A log of audit events and decisions. */
export interface JsonLinesSink {
  /** How many lines were lost: over `maxQueue`, in a write that failed, or at the end. */
  readonly dropped: number;
  /** Listens no more, and settles when what was heard is written, or after `closeTimeoutMs`; never rejects. */
  close(): Promise<void>;
}

const OPTIONS: readonly string[] = ['write', 'maxQueue', 'decisions', 'closeTimeoutMs', 'onError', 'clock'];

/**
 * Writes every audit event, and every decision that denies, as one line of JSON. Requests never wait for it: a
 * target that throws, rejects or blocks costs lines, which are counted and told in a line of the type
 * `audit.dropped`. Texts are cut at 256 characters; what a terminal would obey is escaped.
 *
 * @throws `CONFIG_INVALID` when an option cannot be meant.
 * @example
 * const sink = createJsonLinesSink({ write: process.stdout });
 * process.once('SIGTERM', () => sink.close());
 */
export function createJsonLinesSink(options: JsonLinesSinkOptions): JsonLinesSink {
  const { write, maxQueue, decisions, closeTimeoutMs, onError, clock } = validated(options);
  const output = lineOutput(write);
  const droppedLine = (count: number): string =>
    eventLine(clock(), { type: 'audit.dropped', outcome: 'failure', count });
  const queue = createLineQueue({ output, maxQueue, droppedLine, onError });

  /** Node brings the process down for a subscriber that throws. */
  function take(read: () => EventRecord | undefined): void {
    try {
      const record = read();
      if (record !== undefined) queue.push(eventLine(clock(), record));
    } catch (error) {
      queue.drop();
      onError(error);
    }
  }
  const onAudit = (event: unknown): void => take(() => auditRecord(event as AuditEvent));
  const onDecision = (event: unknown): void =>
    take(() => {
      const { decision } = event as DecisionEvent;
      // Whatever does not allow is a denial.
      if (decisions === 'denied' && decision.allowed === true) return undefined;
      return decisionRecord(event as DecisionEvent);
    });

  diagnostics.subscribe(AUDIT_CHANNEL, onAudit);
  if (decisions !== 'none') diagnostics.subscribe(DECISION_CHANNEL, onDecision);

  async function flush(): Promise<void> {
    try {
      await withDeadline(queue.drained(), closeTimeoutMs, () => new Error('The audit log was not written in time'));
      output.release();
    } catch (error) {
      queue.abandon();
      onError(error);
    }
  }

  let closed: Promise<void> | undefined;
  return {
    get dropped() {
      return queue.dropped;
    },
    close() {
      diagnostics.unsubscribe(AUDIT_CHANNEL, onAudit);
      diagnostics.unsubscribe(DECISION_CHANNEL, onDecision);
      closed ??= flush();
      return closed;
    },
  };
}

function validated(options: JsonLinesSinkOptions): Required<JsonLinesSinkOptions> {
  refuseUnknownOptions(options, OPTIONS);
  const {
    write,
    maxQueue = 10_000,
    decisions = 'denied',
    closeTimeoutMs = 5_000,
    onError,
    clock = systemClock,
  } = options;
  if (!Number.isSafeInteger(maxQueue) || maxQueue < 1)
    throw configInvalid('maxQueue', 'must be a whole number above 0');
  if (decisions !== 'denied' && decisions !== 'all' && decisions !== 'none') {
    throw configInvalid('decisions', "must be 'denied', 'all' or 'none'");
  }
  if (!(closeTimeoutMs >= 1 && closeTimeoutMs <= 600_000)) {
    throw configInvalid('closeTimeoutMs', 'must be at least 1 and at most 600000');
  }
  return { write, maxQueue, decisions, closeTimeoutMs, onError: unfailing(onError), clock };
}

function unfailing(listener: JsonLinesSinkOptions['onError']): (error: unknown) => void {
  return (error) => {
    try {
      listener?.(error);
    } catch {
      // Nobody is left to tell.
    }
  };
}
