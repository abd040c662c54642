import { monitorEventLoopDelay, performance } from 'node:perf_hooks';

/** Longer than a refusal or a turn of the event loop may take, in milliseconds. */
const ALLOWED_MS = 50;

/**
 * That many logins at the same moment: how late the event loop is meanwhile, how many were refused, how
 * long the slowest refusal took, and how long a login takes once all of it is over.
 */
export async function measure({ verify }, { atOnce }, { password, stored }) {
  const timed = async () => {
    const start = performance.now();
    const code = await verify(password, stored).then(
      () => undefined,
      (error) => error.code,
    );
    if (code !== undefined && code !== 'SERVICE_BUSY') throw new Error(`a login ended with ${code}`);
    return { refused: code !== undefined, ms: performance.now() - start };
  };
  await timed();
  const loopDelay = monitorEventLoopDelay({ resolution: 1 });
  const rssBefore = process.memoryUsage.rss();
  loopDelay.enable();
  const ended = await Promise.all(Array.from({ length: atOnce }, timed));
  loopDelay.disable();
  const rssMiB = (process.memoryUsage.rss() - rssBefore) / 2 ** 20;
  const refusals = ended.filter(({ refused }) => refused).map(({ ms }) => ms);
  const { refused, ms } = await timed();
  if (refused) throw new Error('a login after the flood was refused');
  return {
    loopP99Ms: loopDelay.percentile(99) / 1e6,
    refused: refusals.length,
    ...(refusals.length > 0 && { slowestRefusalMs: Math.max(...refusals) }),
    rssMiB,
    loginAfterwardsMs: ms,
    allowedMs: ALLOWED_MS,
  };
}
