import type { AccessRequest } from 'doorward';
import { createOpaClient, type OpaClient, type OpaClientOptions } from 'doorward/opa';
import { afterEach, onTestFinished, vi } from 'vitest';

/** Somebody asks to read a document. */
export const request: AccessRequest = {
  subject: { id: 'ada', roles: ['viewer'], attributes: { department: 'sales' } },
  action: 'read',
  resource: { type: 'document', id: 'd1', attributes: { owner_id: 'bob', department: 'hr', sensitivity: 'low' } },
  environment: { time: 0, hour: 10 },
};

/** The same with another action: another question. */
export function asking(action: string): AccessRequest {
  return { ...request, action };
}

/** So long that no call of a test comes to its end by it, and longer than anything here is waited for. */
const PATIENT_MS = 60_000;

/** What is started is closed after each test, the last first. */
export function closing(): {
  started<T extends { close(): Promise<unknown> }>(closable: T): T;
  clientOf(url: string, options?: Partial<OpaClientOptions>): OpaClient;
} {
  const open: { close(): Promise<unknown> }[] = [];
  afterEach(async () => {
    for (const closable of open.splice(0).reverse()) await closable.close();
  });
  const started = <T extends { close(): Promise<unknown> }>(closable: T): T => {
    open.push(closable);
    return closable;
  };
  return { started, clientOf: (url, options) => started(createOpaClient({ url, timeoutMs: PATIENT_MS, ...options })) };
}

/**
 * Holds `performance.now`, by which deadlines are judged, until the end of the test: however slow the machine is, none
 * passes before the test lets time pass.
 */
export function heldTime(): { pass(ms: number): void } {
  let now = performance.now();
  const held = vi.spyOn(performance, 'now').mockImplementation(() => now);
  onTestFinished(() => held.mockRestore());
  return {
    pass: (ms) => {
      now += ms;
    },
  };
}

export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
