import type { LineOutput } from './line-output.ts';

/** Lines on their way out. */
export interface LineQueue {
  /** Takes a line, or counts it as dropped when the queue is full; never throws and never waits. */
  push(line: string): void;
  /** Counts a line that could not be made. */
  drop(): void;
  /** Settles when nothing is left to write. */
  drained(): Promise<void>;
  /** Counts what is left as dropped, and writes no more of it. */
  abandon(): void;
  /** How many lines were dropped in all. */
  readonly dropped: number;
}

export interface LineQueueOptions {
  readonly output: LineOutput;
  readonly maxQueue: number;
  /** Makes the line that tells how many were dropped. */
  readonly droppedLine: (count: number) => string;
  readonly onError: (error: unknown) => void;
}

/**
 * Writes lines one after the other and keeps at most `maxQueue` waiting. What is lost is counted and told in a line
 * of its own, as soon as one gets through again.
 */
export function createLineQueue({ output, maxQueue, droppedLine, onError }: LineQueueOptions): LineQueue {
  let waiting: string[] = [];
  let writing: Promise<void> | undefined;
  let underWay = 0;
  let dropped = 0;
  let untold = 0;
  let isAbandoned = false;

  function lose(count: number): void {
    dropped += count;
    untold += count;
  }

  async function written(lines: () => readonly string[]): Promise<boolean> {
    try {
      await output.write(lines());
      return true;
    } catch (error) {
      onError(error);
      return false;
    }
  }

  async function tell(): Promise<void> {
    const count = untold;
    if (count > 0 && (await written(() => [droppedLine(count)]))) untold -= count;
  }

  async function drain(): Promise<void> {
    // What publishes an event is not held up by the writing of it.
    await undefined;
    while (waiting.length > 0) {
      const lines = waiting;
      waiting = [];
      for (let start = 0; start < lines.length && !isAbandoned; start += output.batch) {
        const batch = lines.slice(start, start + output.batch);
        underWay = lines.length - start;
        if (await written(() => batch)) await tell();
        else if (!isAbandoned) lose(batch.length);
      }
      underWay = 0;
    }
    writing = undefined;
  }

  return {
    push(line) {
      if (waiting.length + underWay >= maxQueue) {
        lose(1);
        return;
      }
      waiting.push(line);
      writing ??= drain();
    },
    drop: () => lose(1),
    async drained() {
      while (writing !== undefined) await writing;
      await tell();
    },
    abandon() {
      lose(waiting.length + underWay);
      waiting = [];
      isAbandoned = true;
    },
    get dropped() {
      return dropped;
    },
  };
}
