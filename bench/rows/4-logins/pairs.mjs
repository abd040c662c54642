import { performance } from 'node:perf_hooks';
import { percentile } from '../../stats.mjs';

/** A wrong password for an account that exists, and for one that does not, by turns: what an attacker would time. */
export async function measure({ verify }, { pairs }, { password, stored }) {
  const timed = async (hash) => {
    const start = performance.now();
    await verify(`${password}!`, hash);
    return performance.now() - start;
  };
  await timed(stored);
  await timed(undefined);
  const known = [];
  const unknown = [];
  for (let pair = 0; pair < pairs; pair++) {
    // Neither is always the first, so that neither always meets what the other left behind.
    if (pair % 2 === 0) known.push(await timed(stored));
    unknown.push(await timed(undefined));
    if (pair % 2 === 1) known.push(await timed(stored));
  }
  return { knownMs: percentile(known, 0.5), unknownMs: percentile(unknown, 0.5) };
}
