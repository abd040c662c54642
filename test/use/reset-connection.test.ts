import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { serve } from 'doorward/use/node';
import { expect, it } from 'vitest';

it('LOG-20 a caller that has gone before its request is read is not handled without an address', async () => {
  const seen: (string | undefined)[] = [];
  const { url, close } = await serve(
    async (request, { ip }) => {
      await request.text();
      seen.push(ip);
      return new Response('ok');
    },
    { port: 0 },
  );
  const head = 'POST /register HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}';
  for (let i = 0; i < 20; i += 1) {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    await once(socket, 'connect');
    socket.write(head, () => socket.resetAndDestroy());
    await once(socket, 'close');
  }
  await pause(50);
  expect((await fetch(url, { method: 'POST', body: '{}' })).status).toBe(200);
  expect(new Set(seen)).toEqual(new Set(['127.0.0.1']));
  await close();
});
