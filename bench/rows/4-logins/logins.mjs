import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { messageFrom } from '../../message-from.mjs';
import { percentile } from '../../stats.mjs';

const AT_A_TIME = 8;
const bystanderFile = fileURLToPath(new URL('bystander.mjs', import.meta.url));

/** The right password matches and a wrong one does not; the idle contestant answers nothing. */
export async function answers({ verify }, { password, stored }) {
  if (verify === undefined) return {};
  return { right: await verify(password, stored), wrong: await verify(`${password}!`, stored) };
}

/** A closed loop: each of the eight starts its next login when its last one is answered. */
function startLogins({ verify }, { password, stored }) {
  let running = true;
  let completed = 0;
  const loginAgainAndAgain = async () => {
    while (running) {
      if (!(await verify(password, stored))) throw new Error('the right password was refused');
      completed++;
    }
  };
  const ended = Promise.all(Array.from({ length: verify === undefined ? 0 : AT_A_TIME }, loginAgainAndAgain));
  return {
    completed: () => completed,
    stop: () => {
      running = false;
      return ended;
    },
  };
}

async function startServer() {
  const server = createServer((_request, response) => response.end('pong')).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${server.address().port}/ping`, close: () => server.close().closeAllConnections() };
}

/** The bystander's latencies while logins run, and what the logins cost meanwhile. */
export async function measure(contestant, { warmUpMs, measureMs }, input) {
  const server = await startServer();
  const bystander = fork(bystanderFile, [server.url]);
  await messageFrom(bystander);

  const logins = startLogins(contestant, input);
  await sleep(warmUpMs);
  const loopDelay = monitorEventLoopDelay({ resolution: 1 });
  const before = { wall: performance.now(), cpu: process.cpuUsage(), logins: logins.completed() };
  loopDelay.enable();
  bystander.send({ measureMs });
  const pings = await messageFrom(bystander);
  loopDelay.disable();
  const seconds = (performance.now() - before.wall) / 1_000;
  const { user, system } = process.cpuUsage(before.cpu);
  const completed = logins.completed() - before.logins;

  await logins.stop();
  server.close();
  return {
    pingP99Ms: percentile(pings, 0.99),
    pingP50Ms: percentile(pings, 0.5),
    loopP99Ms: loopDelay.percentile(99) / 1e6,
    ...(completed > 0 && {
      loginsPerSecond: completed / seconds,
      cpuMsPerLogin: (user + system) / 1_000 / completed,
    }),
  };
}
