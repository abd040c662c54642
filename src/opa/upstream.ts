import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Dispatcher } from 'undici';
import { type Decision, deny, type MaybePromise, publishAudit } from '../core/index.ts';
import { isPromise } from '../core/maybe-promise.ts';
import { type MappedDecision, type Reading, read } from './answer.ts';
import type { Asking } from './asking.ts';
import type { CircuitBreaker } from './circuit-breaker.ts';
import { exchange } from './exchange.ts';
import type { OpaTarget } from './opa-target.ts';
import { retryBudget } from './retry-budget.ts';

export interface UpstreamSettings {
  readonly dispatcher: Dispatcher;
  readonly target: OpaTarget;
  readonly authorization: () => MaybePromise<string | undefined>;
  readonly gzipAboveBytes: number;
  readonly maxResponseBytes: number;
  readonly mapped: ((result: unknown) => MappedDecision) | undefined;
  readonly breaker: CircuitBreaker;
}

interface Sendable {
  readonly headers: Record<string, string>;
  readonly body: string | Buffer;
}

/** What can happen before the first byte of a call has left, and may be over the next moment. */
const PASSING: ReadonlySet<unknown> = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);
const HEADERS = { 'content-type': 'application/json', accept: 'application/json', 'accept-encoding': 'identity' };
const packed = promisify(gzip);

/** Asks the server. A call is repeated at most once, and only if no byte of it was sent: it may have side effects there. */
export function upstream(settings: UpstreamSettings): Asking {
  const { dispatcher, target, maxResponseBytes, mapped, breaker } = settings;
  const { origin, path } = target;
  const source = `${origin}${path}`;
  const budget = retryBudget();

  return (body, tell) => {
    const period = breaker.period();
    let isOver = false;
    let mayRepeat = true;
    let endCall = (): void => undefined;

    const end = (decision: Decision): void => {
      isOver = true;
      // Several may wait for the one object.
      tell(Object.freeze(decision));
    };
    const fail = (reason: string): void => {
      publishAudit({ type: 'pdp.failed', source, reason });
      end(deny('unavailable'));
    };
    const conclude = ({ decision, isAnswer, warning }: Reading): void => {
      if (isAnswer) breaker.succeeded();
      else breaker.failed(period);
      if (warning !== undefined) publishAudit({ type: 'pdp.warning', source, reason: warning });
      if (decision.reason !== 'rule' && decision.reason !== 'no_rule')
        publishAudit({ type: 'pdp.failed', source, reason: decision.reason });
      end(decision);
    };
    const send = ({ headers, body }: Sendable): void => {
      if (isOver) return;
      endCall = exchange(dispatcher, { origin, path, method: 'POST', headers, body }, maxResponseBytes, {
        answered: (answer) => {
          if (!isOver) conclude(read(answer, mapped));
        },
        failed: (error, wasSent) => {
          if (isOver) return;
          if (!wasSent && mayRepeat && PASSING.has((error as { code?: unknown }).code) && budget.take()) {
            mayRepeat = false;
            setImmediate(send, { headers, body });
            return;
          }
          breaker.failed(period);
          fail('connection');
        },
      });
    };

    budget.called();
    const unsendable = (): void => {
      if (!isOver) fail('not_sent');
    };
    try {
      const sendable = sendableOf(body, settings);
      if (isPromise(sendable)) sendable.then(send).catch(unsendable);
      else send(sendable);
    } catch {
      unsendable();
    }
    return (why) => {
      if (isOver) return;
      isOver = true;
      endCall();
      if (why !== 'timeout') return;
      publishAudit({ type: 'pdp.failed', source, reason: why });
      breaker.failed(period);
    };
  };
}

function sendableOf(body: string, { authorization, gzipAboveBytes }: UpstreamSettings): MaybePromise<Sendable> {
  const value = authorization();
  if (!isPromise(value) && body.length <= gzipAboveBytes / 3) return { headers: headersWith(value), body };
  return sendableLater(body, value, gzipAboveBytes);
}

async function sendableLater(
  body: string,
  authorization: MaybePromise<string | undefined>,
  gzipAboveBytes: number,
): Promise<Sendable> {
  const headers = headersWith(await authorization);
  if (Buffer.byteLength(body) <= gzipAboveBytes) return { headers, body };
  return { headers: { ...headers, 'content-encoding': 'gzip' }, body: await packed(body) };
}

function headersWith(authorization: string | undefined): Record<string, string> {
  return authorization === undefined ? HEADERS : { ...HEADERS, authorization };
}
