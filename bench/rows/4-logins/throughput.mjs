import { performance } from 'node:perf_hooks';
import { percentile } from '../../stats.mjs';

const AT_A_TIME = 8;

/** So many logins in all, each of the eight starting its next one when its last one is answered. */
async function logIn({ verify }, { password, stored }, logins) {
  const latencies = [];
  let started = 0;
  const oneAfterAnother = async () => {
    while (started++ < logins) {
      const start = performance.now();
      if (!(await verify(password, stored))) throw new Error('the right password was refused');
      latencies.push(performance.now() - start);
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, oneAfterAnother));
  return latencies;
}

/**
 * Eight logins at a time and nothing else: how many, at what cost, and how long each waits. The work is
 * fixed and not the time: on one thread eight logins end together, and a window would count one batch more or less.
 */
export async function measure(contestant, { warmUpLogins, logins }, input) {
  await logIn(contestant, input, warmUpLogins);
  const before = { wall: performance.now(), cpu: process.cpuUsage() };
  const latencies = await logIn(contestant, input, logins);
  const seconds = (performance.now() - before.wall) / 1_000;
  const { user, system } = process.cpuUsage(before.cpu);
  return {
    loginsPerSecond: logins / seconds,
    cpuMsPerLogin: (user + system) / 1_000 / logins,
    loginP50Ms: percentile(latencies, 0.5),
    loginP99Ms: percentile(latencies, 0.99),
  };
}
