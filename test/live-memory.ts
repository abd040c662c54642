import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Bytes that are in use after a collection: what is still held, and no garbage. */
export function liveBytes(): number {
  // What the first collection frees outside the heap is counted as free after the second.
  collect();
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

export const MB = 1_024 * 1_024;
