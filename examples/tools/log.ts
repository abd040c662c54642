import { createJsonLinesSink } from 'doorward/audit';
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
    log('error', { type: 'error', error: String(error), cause, ip: info?.ip, requestId: info?.requestId });
  };
  const isHeard = LEVELS.indexOf('info') >= LEVELS.indexOf(threshold);
  const sink = isHeard
    ? createJsonLinesSink({
        write: (line) => void process.stdout.write(line),
        decisions: threshold === 'debug' ? 'all' : 'denied',
      })
    : undefined;
  const close = async () => sink?.close();
  return { log, onError, close };
}

/** Writes one line a request, with its id. */
export function logRequests(handler: Handler, log: Log): Handler {
  return async (request, info) => {
    const started = performance.now();
    const response = await handler(request, info);
    const ms = Math.round(performance.now() - started);
    const { pathname: path } = new URL(request.url);
    const { ip, requestId } = info;
    log('info', { type: 'request', method: request.method, path, status: response.status, ms, ip, requestId });
    return response;
  };
}
