import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Attributes,
  type Context,
  type ContextManager,
  type Counter,
  context,
  createNoopMeter,
  INVALID_SPAN_CONTEXT,
  type Meter,
  type MeterProvider,
  metrics,
  ROOT_CONTEXT,
  type Span,
  type Tracer,
  type TracerProvider,
  trace,
} from '@opentelemetry/api';
import { allow, type Decision, deny, publishAudit, publishDecision } from 'doorward';
import { createOpenTelemetryBridge, type OpenTelemetryBridge } from 'doorward/use/opentelemetry';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

interface Seen {
  readonly spans: { readonly name: string; readonly events: { name: string; attributes: Attributes | undefined }[] }[];
  readonly counts: { readonly counter: string; readonly attributes: Attributes | undefined }[];
}

/** The interfaces of the API over arrays. */
function inMemory(): Seen & { readonly tracers: TracerProvider; readonly meters: MeterProvider } {
  const seen: Seen = { spans: [], counts: [] };

  function startSpan(name: string): Span {
    const events: Seen['spans'][number]['events'] = [];
    seen.spans.push({ name, events });
    const span: Span = {
      spanContext: () => INVALID_SPAN_CONTEXT,
      setAttribute: () => span,
      setAttributes: () => span,
      addEvent: (event, attributes) => {
        events.push({ name: event, attributes: attributes as Attributes });
        return span;
      },
      addLink: () => span,
      addLinks: () => span,
      setStatus: () => span,
      updateName: () => span,
      end: () => {},
      isRecording: () => true,
      recordException: () => {},
    };
    return span;
  }
  const tracer: Tracer = {
    startSpan,
    startActiveSpan: (name: string, ...rest: readonly unknown[]) => {
      const run = rest.at(-1) as (span: Span) => never;
      const span = startSpan(name);
      return context.with(trace.setSpan(context.active(), span), run, undefined, span);
    },
  };
  const meter: Meter = {
    ...createNoopMeter(),
    createCounter: (counter: string): Counter<never> => ({
      add: (_value, attributes) => void seen.counts.push({ counter, attributes }),
    }),
  };
  return { ...seen, tracers: { getTracer: () => tracer }, meters: { getMeter: () => meter } };
}

function contexts(): ContextManager {
  const storage = new AsyncLocalStorage<Context>();
  const manager: ContextManager = {
    active: () => storage.getStore() ?? ROOT_CONTEXT,
    with: (active, run, self, ...args) => storage.run(active, () => run.apply(self as never, args)),
    bind: (_active, target) => target,
    enable: () => manager,
    disable: () => manager,
  };
  return manager;
}

function decide(decision: Decision): void {
  publishDecision({
    point: 'Query.secret',
    decision,
    request: {
      subject: { id: 'u1', roles: ['viewer'], attributes: { token: 'SECRET' } },
      action: 'resolve',
      resource: { type: 'graphql', id: 'Query.secret', attributes: { body: 'SECRET' } },
      environment: { time: 0, ip: '192.0.2.1', userAgent: 'SECRET' },
    },
  });
}

let seen: ReturnType<typeof inMemory>;
let bridge: OpenTelemetryBridge;

beforeEach(() => {
  seen = inMemory();
  context.setGlobalContextManager(contexts());
  trace.setGlobalTracerProvider(seen.tracers);
  metrics.setGlobalMeterProvider(seen.meters);
  bridge = createOpenTelemetryBridge();
});
afterEach(() => {
  bridge.close();
  context.disable();
  trace.disable();
  metrics.disable();
});

const inSpan = (run: () => void): void => trace.getTracer('test').startActiveSpan('request', run);

describe('createOpenTelemetryBridge', () => {
  it('puts events on the span that is active, and counts them', () => {
    inSpan(() => publishAudit({ type: 'login.failed', reason: 'wrong_password', accountId: 'u1', ip: '192.0.2.1' }));
    expect(seen.spans).toEqual([
      {
        name: 'request',
        events: [
          {
            name: 'doorward.login.failed',
            attributes: {
              'doorward.outcome': 'failure',
              'doorward.reason': 'wrong_password',
              'doorward.accountId': 'u1',
              'doorward.ip': '192.0.2.1',
            },
          },
        ],
      },
    ]);
    expect(seen.counts).toEqual([
      {
        counter: 'doorward.events',
        attributes: { type: 'login.failed', outcome: 'failure', reason: 'wrong_password' },
      },
    ]);
  });

  it('counts where no span is active', () => {
    publishAudit({ type: 'account.removed', accountId: 'u1' });
    expect(seen.counts).toHaveLength(1);
    expect(seen.spans).toEqual([]);
  });

  it.each([
    ['none', 0],
    ['denied', 2],
    ['all', 3],
  ] as const)('decisions: %s puts them on the span; all are counted', (decisions, onSpan) => {
    bridge.close();
    bridge = createOpenTelemetryBridge({ decisions });
    inSpan(() => {
      decide(allow('rule'));
      decide(deny('no_rule', { ruleId: 'owner' }));
      decide(deny('timeout'));
    });
    expect(seen.spans[0]?.events).toHaveLength(onSpan);
    expect(seen.counts.map(({ attributes }) => attributes)).toEqual([
      { outcome: 'allow', reason: 'rule' },
      { outcome: 'deny', reason: 'no_rule' },
      { outcome: 'unknown', reason: 'timeout' },
    ]);
  });

  it('AUD-07 no token, username or attribute is among the values', () => {
    inSpan(() => {
      decide(deny('no_rule'));
      publishAudit({ type: 'account.registered', accountId: 'u1', username: 'SECRET' });
      publishAudit({ type: 'token.rejected', reason: 'expired', token: 'SECRET' } as never);
    });
    expect(seen.spans[0]?.events).toHaveLength(3);
    expect(JSON.stringify([seen.spans, seen.counts])).not.toContain('SECRET');
  });

  it('a reason that is no code does not make a time series of its own', () => {
    publishAudit({ type: 'token.rejected', reason: 'x\ny' });
    expect(seen.counts[0]?.attributes).toMatchObject({ reason: 'other' });
  });

  it('an SDK that throws is nobody’s business but its own', async () => {
    const uncaught: unknown[] = [];
    const listen = (error: unknown): void => void uncaught.push(error);
    process.on('uncaughtException', listen);
    bridge.close();
    const broken = {
      ...createNoopMeter(),
      createCounter: () => ({
        add: () => {
          throw new Error('exporter');
        },
      }),
    };
    bridge = createOpenTelemetryBridge({ meter: broken });
    publishAudit({ type: 'account.removed', accountId: 'u1' });
    await new Promise((resolve) => setImmediate(resolve));
    process.off('uncaughtException', listen);
    expect(uncaught).toEqual([]);
  });

  it('hears nothing after close', () => {
    bridge.close();
    publishAudit({ type: 'account.removed', accountId: 'u1' });
    decide(deny('no_rule'));
    expect(seen.counts).toEqual([]);
  });

  it('refuses options that cannot be meant', () => {
    expect(() => createOpenTelemetryBridge({ decisions: 'some' as never })).toThrow('decisions');
  });
});
