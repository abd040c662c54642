import { PassThrough, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { allow, type Decision, deny, publishAudit, publishDecision } from 'doorward';
import { createJsonLinesSink, type JsonLinesSink, type JsonLinesSinkOptions } from 'doorward/audit';
import { afterEach, describe, expect, it } from 'vitest';

const NOW = Date.UTC(2027, 0, 15, 8, 0, 0);
const open: JsonLinesSink[] = [];
const lines: string[] = [];

function sink(options: Partial<JsonLinesSinkOptions> = {}): JsonLinesSink {
  const made = createJsonLinesSink({ write: (line) => void lines.push(line), clock: () => NOW, ...options });
  open.push(made);
  return made;
}

const records = (): Record<string, unknown>[] => lines.map((line) => JSON.parse(line));
const removed = (accountId: string): void => publishAudit({ type: 'account.removed', accountId });

function decide(decision: Decision): void {
  publishDecision({
    point: 'GET /documents/{id}',
    requestId: 'r-1',
    decision,
    request: {
      subject: { id: 'u1', roles: ['viewer'], attributes: { department: 'sales', token: 'SECRET' } },
      action: 'read',
      resource: { type: 'document', id: 'd1', attributes: { body: 'SECRET' } },
      environment: { time: NOW, ip: '192.0.2.1', userAgent: 'SECRET' },
    },
  });
}

afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
  lines.length = 0;
});

describe('lines', () => {
  it('each event is one, with its time, type, outcome and known fields', async () => {
    const log = sink();
    publishAudit({
      type: 'login.succeeded',
      accountId: 'u1',
      sessionId: 's1',
      amr: ['pwd', 'otp'],
      ip: '192.0.2.1',
      requestId: 'r-1',
    });
    publishAudit({ type: 'login.failed', reason: 'wrong_password', accountId: 'u1' });
    await log.close();
    expect(lines[0]).toBe(
      '{"time":"2027-01-15T08:00:00.000Z","type":"login.succeeded","outcome":"success","accountId":"u1",' +
        '"sessionId":"s1","amr":["pwd","otp"],"ip":"192.0.2.1","requestId":"r-1"}\n',
    );
    expect(records()[1]).toEqual({
      time: '2027-01-15T08:00:00.000Z',
      type: 'login.failed',
      outcome: 'failure',
      reason: 'wrong_password',
      accountId: 'u1',
    });
  });

  it.each([
    ['none', []],
    ['denied', ['deny', 'unknown']],
    ['all', ['allow', 'deny', 'unknown']],
  ] as const)('decisions: %s', async (decisions, outcomes) => {
    const log = sink({ decisions });
    decide(allow('rule', { ruleId: 'owner' }));
    decide(deny('no_rule'));
    decide(deny('timeout'));
    await log.close();
    expect(records().map(({ outcome }) => outcome)).toEqual(outcomes);
  });

  it('a decision that is none is a denial all the same', async () => {
    const log = sink();
    decide({ allowed: 'yes', effect: 'deny', reason: 'invalid_answer' } as never);
    await log.close();
    expect(records()).toMatchObject([{ type: 'decision', reason: 'invalid_answer' }]);
  });

  it('nothing is heard after close', async () => {
    const log = sink();
    await log.close();
    removed('u1');
    await log.close();
    expect(lines).toEqual([]);
  });
});

describe('a target', () => {
  it('may be a stream, which stays open and gets no listener to keep', async () => {
    const stream = new PassThrough();
    const log = sink({ write: stream });
    removed('u1');
    removed('u2');
    await log.close();
    expect(stream.writableEnded).toBe(false);
    expect(stream.listenerCount('error')).toBe(0);
    const written: string = stream.read().toString();
    expect(
      written
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).accountId),
    ).toEqual(['u1', 'u2']);
  });

  it('gets one line after the other', async () => {
    let writing = 0;
    let most = 0;
    const log = sink({
      write: async (line) => {
        most = Math.max(most, ++writing);
        await sleep(1);
        writing -= 1;
        lines.push(line);
      },
    });
    for (const id of ['a', 'b', 'c']) removed(id);
    await log.close();
    expect(records().map(({ accountId }) => accountId)).toEqual(['a', 'b', 'c']);
    expect(most).toBe(1);
  });

  it('is not written to while the event is published', async () => {
    const log = sink();
    removed('u1');
    expect(lines).toEqual([]);
    await log.close();
    expect(lines).toHaveLength(1);
  });

  it('that is full for a while costs lines, which one line tells of when it takes them again', async () => {
    let release = (): void => {};
    const blocked = new Promise<void>((resolve) => {
      release = resolve;
    });
    const log = sink({ maxQueue: 3, write: (line) => blocked.then(() => void lines.push(line)) });
    for (let index = 0; index < 10; index++) removed(`u${index}`);
    await sleep(1);
    removed('late');
    expect(log.dropped).toBe(8);
    release();
    await log.close();
    expect(records().map(({ type, accountId, count }) => accountId ?? `${type} ${count}`)).toEqual([
      'u0',
      'audit.dropped 8',
      'u1',
      'u2',
    ]);
    expect(log.dropped).toBe(8);
  });

  it('that fails costs its lines and no others, and onError is told', async () => {
    const errors: unknown[] = [];
    let broken = true;
    const write = (line: string): void => {
      if (broken) throw new Error('disk full');
      lines.push(line);
    };
    const log = sink({ write, onError: (error) => errors.push(error) });
    removed('u1');
    await sleep(1);
    broken = false;
    removed('u2');
    await log.close();
    expect(records().map(({ type, count }) => [type, count])).toEqual([
      ['account.removed', undefined],
      ['audit.dropped', 1],
    ]);
    expect(errors).toMatchObject([{ message: 'disk full' }]);
  });

  it('that never answers does not hold up close for longer than it is told to', async () => {
    const errors: unknown[] = [];
    const log = sink({
      write: () => new Promise(() => {}),
      closeTimeoutMs: 20,
      onError: (error) => errors.push(error),
    });
    for (const id of ['a', 'b', 'c']) removed(id);
    await log.close();
    expect(log.dropped).toBe(3);
    expect(errors).toHaveLength(1);
  });

  it('that is a stream which breaks does not bring the process down', async () => {
    const stream = new Writable({
      write: (_chunk, _encoding, done) => done(new Error('EPIPE')),
    });
    const log = sink({ write: stream });
    removed('u1');
    await sleep(5);
    removed('u2');
    await log.close();
    expect(stream.destroyed).toBe(true);
    expect(log.dropped).toBe(2);
  });
});

describe('an event', () => {
  it('that cannot be read is counted, and onError may throw', async () => {
    const log = sink({
      onError: () => {
        throw new Error('from the listener');
      },
    });
    publishAudit(null as never);
    publishAudit(
      new Proxy(
        {},
        {
          get: () => {
            throw new Error('hostile');
          },
        },
      ) as never,
    );
    publishDecision({} as never);
    expect(log.dropped).toBe(3);
  });

  it('of a clock that fails is lost, and nothing else is', async () => {
    const log = sink({ clock: () => Number.NaN });
    removed('u1');
    await log.close();
    expect(log.dropped).toBe(1);
  });
});

describe('options', () => {
  it.each([
    ['write', { write: 5 }],
    ['write', { write: { write: () => true } }],
    ['maxQueue', { maxQueue: 0 }],
    ['maxQueue', { maxQueue: Number.POSITIVE_INFINITY }],
    ['decisions', { decisions: 'some' }],
    ['closeTimeoutMs', { closeTimeoutMs: 0 }],
    ['closeTimeoutMs', { closeTimeoutMs: Number.NaN }],
    ['maxqueue', { maxqueue: 5 }],
  ])('%s that cannot be meant is refused', (field, options) => {
    expect(() => sink(options as never)).toThrow(field);
  });
});
