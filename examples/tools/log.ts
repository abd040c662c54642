import diagnostics from 'node:diagnostics_channel';
import { AUDIT_CHANNEL, DECISION_CHANNEL, type DecisionEvent } from 'doorward';
import type { Handler, RequestInfo } from 'doorward/http';

const LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type Level = (typeof LEVELS)[number];
export type Log = (level: Level, fields: object) => void;

/** Writes JSON lines: requests, audit events and decisions; never a body, a header or a query string. */
export function createLog(threshold: Level) {
  const log: Log = (level, fields) => {
    if (LEVELS.indexOf(level) < LEVELS.indexOf(threshold)) return;
    process.stdout.write(`${JSON.stringify({ time: new Date().toISOString(), level, ...fields })}\n`);
  };
  /** The original error stays here; the client knows only the id of its request. */
  const onError = (error: unknown, info?: RequestInfo) => {
    const cause = error instanceof Error && error.cause !== undefined ? String(error.cause) : undefined;
    log('error', { type: 'error', error: String(error), cause, ...info });
  };
  const onAudit = (event: unknown) => log('info', event as object);
  const onDecision = (event: unknown) => {
    const { point, request, decision } = event as DecisionEvent;
    const { allowed, reason, ruleId } = decision;
    const asked = { subject: request.subject.id, action: request.action, resource: request.resource.id };
    log(allowed ? 'debug' : 'info', { type: 'decision', point, ...asked, allowed, reason, ruleId });
  };
  diagnostics.subscribe(AUDIT_CHANNEL, onAudit);
  diagnostics.subscribe(DECISION_CHANNEL, onDecision);
  const close = () =>
    diagnostics.unsubscribe(AUDIT_CHANNEL, onAudit) && diagnostics.unsubscribe(DECISION_CHANNEL, onDecision);
  return { log, onError, close };
}

/** Writes one line a request, with its id. */
export function logRequests(handler: Handler, log: Log): Handler {
  return async (request, info) => {
    const started = performance.now();
    const response = await handler(request, info);
    const ms = Math.round(performance.now() - started);
    const { pathname: path } = new URL(request.url);
    log('info', { type: 'request', method: request.method, path, status: response.status, ms, ...info });
    return response;
  };
}
