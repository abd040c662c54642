import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { type AccessRequest, type Decision, isIndeterminate } from 'doorward';
import { createOpaClient, type OpaClientOptions } from 'doorward/opa';
import { describe, expect, it, onTestFinished } from 'vitest';
import { answerJson, fakeOpa, rawOpa } from '../opa/fake-opa.ts';
import { selfSigned } from '../opa/self-signed.ts';
import { asking, closing, request, sleep } from '../opa/support.ts';
import { runningClock, runningTime } from '../running-time.ts';

const { started, clientOf } = closing();
const TIMEOUT_MS = 300;
const YES = '{"result":true}';

const head = (length: number, ...more: readonly string[]): string =>
  ['HTTP/1.1 200 OK', 'content-type: application/json', `content-length: ${length}`, ...more, '', ''].join('\r\n');
const chunked = (body: string): string =>
  `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n${body}`;
const json = (body: string, ...more: readonly string[]): string => head(Buffer.byteLength(body), ...more) + body;
const typed = (type: string, body: string, status = '200 OK'): string =>
  `HTTP/1.1 ${status}\r\ncontent-type: ${type}\r\ncontent-length: ${body.length}\r\n\r\n${body}`;

function pour(socket: Socket, chunk: string | Buffer): void {
  const more = (): void => {
    while (!socket.destroyed && socket.write(chunk));
  };
  socket.on('drain', more);
  more();
}

function drip(socket: Socket, text: string, everyMs: number): void {
  const bytes = [...text];
  const timer = setInterval(() => socket.write(bytes.shift() ?? ' '), everyMs);
  socket.on('close', () => clearInterval(timer));
}

const bomb = gzipSync(Buffer.alloc(50_000_000, ' '));
const packed = gzipSync(YES);

/** Every one of them would like to be taken for a yes, or to keep the caller waiting. */
const HOSTILE: readonly (readonly [string, (socket: Socket) => unknown])[] = [
  ['PDP-09 never answers', () => undefined],
  ['PDP-09 sends a byte now and then', (socket) => drip(socket, json(YES), 200)],
  [
    'PDP-09 sends the head, and then a byte now and then',
    (socket) => {
      socket.write(head(10_000));
      drip(socket, YES, 20);
    },
  ],
  ['PDP-08 resets the connection', (socket) => socket.resetAndDestroy()],
  ['PDP-08 closes its half', (socket) => socket.end()],
  ['closes its half within the answer', (socket) => socket.end(json(YES).slice(0, -1))],
  [
    'PDP-13 sends 100 MB',
    (socket) => {
      socket.write(head(100_000_000));
      pour(socket, ' '.repeat(65_536));
    },
  ],
  [
    'PDP-13 sends without an end',
    (socket) => {
      socket.write(chunked(''));
      pour(socket, `4000\r\n${' '.repeat(0x4000)}\r\n`);
    },
  ],
  [
    'PDP-13 sends headers without an end',
    (socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      pour(socket, `x-pad: ${'x'.repeat(1_000)}\r\n`);
    },
  ],
  [
    'PDP-13 sends a gzip bomb',
    (socket) => {
      socket.write(head(bomb.length, 'content-encoding: gzip'));
      socket.write(bomb);
    },
  ],
  [
    'PDP-13 sends a packed yes',
    (socket) => {
      socket.write(head(packed.length, 'content-encoding: gzip'));
      socket.write(packed);
    },
  ],
  [
    'PDP-13 says ten times that it is packed',
    (socket) => socket.write(json(YES, `content-encoding: ${Array(10).fill('gzip').join(', ')}`)),
  ],
  ['PDP-13 says that it is packed, and is not', (socket) => socket.write(json(YES, 'content-encoding: deflate'))],
  ['is a page of a proxy', (socket) => socket.write(typed('text/html', `<html>${YES}</html>`, '502 Bad Gateway'))],
  ['says yes with 502', (socket) => socket.write(typed('application/json', YES, '502 Bad Gateway'))],
  ['says yes with 201', (socket) => socket.write(typed('application/json', YES, '201 Created'))],
  [
    'says yes with 304',
    (socket) => socket.write('HTTP/1.1 304 Not Modified\r\ncontent-type: application/json\r\n\r\n'),
  ],
  [
    'PDP-07 sends elsewhere',
    (socket) => socket.write('HTTP/1.1 307 x\r\nlocation: http://169.254.169.254/latest/\r\ncontent-length: 0\r\n\r\n'),
  ],
  ['says yes as text', (socket) => socket.write(typed('text/plain', YES))],
  ['says yes as another type', (socket) => socket.write(typed('application/json-seq', YES))],
  ['says yes with two types', (socket) => socket.write(json(YES, 'content-type: text/html'))],
  ['says "true"', (socket) => socket.write(json('{"result":"true"}'))],
  ['says 1', (socket) => socket.write(json('{"result":1}'))],
  ['says [true]', (socket) => socket.write(json('[true]'))],
  ['says {"result":[true]}', (socket) => socket.write(json('{"result":[true]}'))],
  ['says {"result":{"result":true}}', (socket) => socket.write(json('{"result":{"result":true}}'))],
  ['says true twice', (socket) => socket.write(json('{"result":true,"result":true}'))],
  ['says no and yes', (socket) => socket.write(json('{"result":false,"result":true}'))],
  ['says yes and no in another spelling', (socket) => socket.write(json('{"result":true,"\\u0072esult":false}'))],
  ['says RESULT', (socket) => socket.write(json('{"RESULT":true}'))],
  ['says yes by a prototype', (socket) => socket.write(json('{"__proto__":{"result":true}}'))],
  ['says yes by a constructor', (socket) => socket.write(json('{"constructor":{"prototype":{"result":true}}}'))],
  ['begins with a byte order mark', (socket) => socket.write(json(`\ufeff${YES}`))],
  [
    'is no UTF-8',
    (socket) => {
      socket.write(head(21));
      socket.write(
        Buffer.concat([Buffer.from('{"result":true,"x":"'), Buffer.from([0xff, 0x22, 0x7d])]).subarray(0, 21),
      );
    },
  ],
  [
    'is UTF-16',
    (socket) => {
      const body = Buffer.from(YES, 'utf16le');
      socket.write(head(body.length));
      socket.write(body);
    },
  ],
  ['has something after it', (socket) => socket.write(json(`${YES} x`))],
  ['has a comment', (socket) => socket.write(json('{"result":true/**/}'))],
  [
    'is nested deeper than a stack',
    (socket) => socket.write(json(`{"result":${'['.repeat(30_000)}${']'.repeat(30_000)}}`)),
  ],
  ['only ever says 100', (socket) => pour(socket, 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(1_000))],
  [
    'says 103 with a yes, and nothing more',
    (socket) => socket.write(`HTTP/1.1 103 Early Hints\r\ncontent-type: application/json\r\n\r\n${YES}`),
  ],
  [
    'switches the protocol',
    (socket) => socket.write(`HTTP/1.1 101 x\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n${YES}`),
  ],
  ['sends chunks that are none', (socket) => socket.write(chunked(`zz\r\n${YES}\r\n0\r\n\r\n`))],
  [
    'sends a chunk of an impossible size',
    (socket) => socket.write(chunked(`fffffffffffffffff\r\n${YES}\r\n0\r\n\r\n`)),
  ],
  ['never ends its chunks', (socket) => socket.write(chunked(`f\r\n${YES}\r\n`))],
  ['says two lengths', (socket) => socket.write(head(2, 'content-length: 15') + YES)],
  [
    'says a length and chunks',
    (socket) => socket.write(`${head(15, 'transfer-encoding: chunked')}f\r\n${YES}\r\n0\r\n\r\n`),
  ],
  ['speaks something else', (socket) => socket.write('SSH-2.0-OpenSSH_9.6\r\n')],
  ['speaks HTTP/2', (socket) => socket.write(Buffer.from('000006040000000000000400003fff', 'hex'))],
];

describe('a hostile policy server', () => {
  it.each(HOSTILE)('that %s: denied in time, and no socket is left', async (_, act) => {
    const opa = started(await rawOpa((socket) => act(socket)));
    const client = createOpaClient({ url: opa.url, timeoutMs: TIMEOUT_MS });
    let decision: Decision | undefined;
    const spent = await runningTime(async () => {
      decision = await client.decide(request);
    });
    expect(spent).toBeLessThan(TIMEOUT_MS + 500);
    expect(decision).toMatchObject({ allowed: false, effect: 'deny' });
    expect(decision && isIndeterminate(decision)).toBe(true);
    await client.close();
    await expect.poll(() => opa.sockets.size).toBe(0);
  });

  it('the same server, when it is honest, is believed', async () => {
    for (const text of [json(YES), chunked(`f\r\n${YES}\r\n0\r\n\r\n`), `HTTP/1.1 103 x\r\n\r\n${json(YES)}`]) {
      const opa = started(await rawOpa((socket) => socket.write(text)));
      expect((await clientOf(opa.url).decide(request)).allowed).toBe(true);
    }
  });

  it('PDP-13 no more is taken of a long answer than the limit and what is under way', async () => {
    const sockets = new Set<Socket>();
    const opa = started(
      await rawOpa((socket) => {
        sockets.add(socket);
        socket.write(head(100_000_000));
        pour(socket, ' '.repeat(65_536));
      }),
    );
    expect(await clientOf(opa.url).decide(request)).toMatchObject({ reason: 'invalid_answer' });
    await expect.poll(() => [...sockets].every((socket) => socket.destroyed)).toBe(true);
    for (const socket of sockets) expect(socket.bytesWritten).toBeLessThan(20_000_000);
  });

  it.each<[string, Partial<OpaClientOptions>, number | undefined]>([
    ['of another name', { tls: { servername: 'other.example' } }, undefined],
    ['that has ended', { tls: { servername: 'policy.example' } }, 2021],
    ['that nobody vouches for', {}, undefined],
  ])('PDP-08 a certificate %s', async (_, options, lastYear) => {
    const { key, cert } = selfSigned('policy.example', lastYear);
    let calls = 0;
    const server = createTlsServer({ key, cert }, (_call, response) => {
      calls++;
      answerJson({ result: true })(response);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    started({ close: () => new Promise<void>((resolve) => server.close(() => resolve())) });
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const tls = options.tls === undefined ? {} : { tls: { ca: cert, ...options.tls } };
    expect(await clientOf(url, tls).decide(request)).toMatchObject({ allowed: false, reason: 'unavailable' });
    expect(calls).toBe(0);
  });
});

describe('answers that are put in the way of others', () => {
  it('PDP-12 what was staged on an idle connection answers nothing, however late it comes', async () => {
    const no = json('{"result":false}');
    const opa = started(
      await rawOpa((socket) => {
        socket.write(no);
        setImmediate(() => socket.write(json(YES)));
      }),
    );
    const client = clientOf(opa.url, { connections: 1 });
    for (let index = 0; index < 200; index++) {
      expect((await client.decide(asking(`a${index}`))).allowed).toBe(false);
      if (index % 3 === 0) await sleep(1);
    }
  });

  it('PDP-11 a connection that closes as the next call is sent: a thousand calls, none with the answer of another', async () => {
    const seen = new Map<string, number>();
    const opa = started(
      await rawOpa((socket, data) => {
        const [, id = ''] = /"id":"(u\d+)"/.exec(data.toString()) ?? [];
        seen.set(id, (seen.get(id) ?? 0) + 1);
        const isEven = Number(id.slice(1)) % 2 === 0;
        socket.write(json(`{"result":${isEven},"decision_id":"${id}"}`));
        if (seen.size % 2 === 0) setImmediate(() => socket.destroy());
      }),
    );
    const client = clientOf(opa.url, { connections: 4, circuitBreaker: false });
    for (let round = 0; round < 250; round++) {
      await Promise.all(
        [0, 1, 2, 3].map(async (place) => {
          const index = round * 4 + place;
          const decision = await client.decide({ ...request, subject: { ...request.subject, id: `u${index}` } });
          if (decision.reason === 'unavailable') return;
          expect(decision).toMatchObject({ allowed: index % 2 === 0, id: `u${index}` });
        }),
      );
    }
    expect(Math.max(...seen.values())).toBe(1);
  }, 120_000);
});

describe('a server that is gone', () => {
  it('PDP-16 is answered for at once, and asked once a second', async () => {
    let time = 0;
    const opa = started(await fakeOpa((response) => void response.socket?.destroy()));
    const client = clientOf(opa.url, { clock: () => time });
    for (let index = 0; index < 5; index++) await client.decide(asking(`a${index}`));
    for (let second = 0; second < 3; second++) {
      for (let index = 0; index < 500; index++) {
        time += 2;
        const asked = client.decide(asking(`b${second}-${index}`));
        // Whatever does not need the server is there before the next turn of the event loop.
        const first = await Promise.race([asked, new Promise((resolve) => setImmediate(resolve, 'later'))]);
        if (first === 'later') await asked;
        else expect(first).toMatchObject({ allowed: false, reason: 'unavailable' });
      }
    }
    expect(opa.calls).toHaveLength(8);
  });

  it('X5 in small: whatever the server does, nothing is allowed but by a server that is well', async () => {
    let act: (socket: Socket) => unknown = (socket) => socket.resetAndDestroy();
    const opa = started(await rawOpa((socket) => act(socket)));
    const client = clientOf(opa.url, {
      timeoutMs: 100,
      connections: 8,
      circuitBreaker: { probeMs: 50 },
    });
    let asked = 0;
    const clock = runningClock();
    onTestFinished(clock.stop);
    const during = async (ms: number): Promise<readonly boolean[]> => {
      const decisions: Promise<boolean>[] = [];
      const end = performance.now() + ms;
      while (performance.now() < end) {
        const from = clock.now();
        decisions.push(
          client.decide(asking(`a${asked++}`)).then(({ allowed }) => {
            expect(clock.now() - from).toBeLessThan(100 + 500);
            return allowed;
          }),
        );
        await sleep(5);
      }
      return Promise.all(decisions);
    };
    const phases = [
      act,
      () => undefined,
      (socket: Socket) => drip(socket, json(YES), 30),
      (socket: Socket) => socket.write(typed('text/html', YES)),
    ];
    for (const phase of phases) {
      act = phase;
      expect(await during(300)).not.toContain(true);
      await expect.poll(() => opa.sockets.size).toBeLessThanOrEqual(8);
    }
    act = (socket) => socket.write(json(YES));
    await during(300);
    // It stays well: all are allowed for a while, though a machine that stands still may make one late.
    await expect.poll(() => during(100)).not.toContain(false);
  });
});

describe('PDP-14 the cache of another', () => {
  it('two clients of two tenants share nothing', async () => {
    const ours = started(await fakeOpa(answerJson({ result: true })));
    const theirs = started(await fakeOpa(answerJson({ result: false })));
    const options = { cache: { maxEntries: 10, ttlMs: 60_000 } };
    const asked: AccessRequest = request;
    expect((await clientOf(ours.url, options).decide(asked)).allowed).toBe(true);
    expect((await clientOf(theirs.url, options).decide(asked)).allowed).toBe(false);
    expect((await clientOf(ours.url, { ...options, path: 'other/allow' }).decide(asked)).allowed).toBe(true);
    expect(ours.calls).toHaveLength(2);
  });
});
