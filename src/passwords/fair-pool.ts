import { DoorwardError } from '../core/index.ts';
import type { Lane } from './lane.ts';

export interface FairPoolOptions<Job, Result> {
  /** Opens a lane; called when a job needs one and fewer than `lanes` are open. */
  readonly openLane: () => Lane<Job, Result>;
  /** How many jobs are worked on at once. */
  readonly lanes: number;
  /** How many more may wait. */
  readonly queueLimit: number;
}

export interface FairPool<Job, Result> {
  /** @throws `SERVICE_BUSY` at once when the queue is full, `SERVICE_UNAVAILABLE` when the lane broke down or the pool is closed. */
  run(job: Job): Promise<Result>;
  /** Ends the lanes and rejects every job that is not done. */
  close(): Promise<void>;
}

interface Call<Job, Result> {
  readonly job: Job;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: DoorwardError) => void;
}

/** Shares lanes among jobs, first come first served, with a bounded queue. */
export function createFairPool<Job, Result>(options: FairPoolOptions<Job, Result>): FairPool<Job, Result> {
  const { openLane, lanes, queueLimit } = options;
  const open = new Set<Lane<Job, Result>>();
  const idle: Lane<Job, Result>[] = [];
  const waiting: Call<Job, Result>[] = [];
  let closing: Promise<void> | undefined;

  function run(job: Job): Promise<Result> {
    if (closing !== undefined) return Promise.reject(unavailable());
    const laneFree = idle.length > 0 || open.size < lanes;
    if (!laneFree && waiting.length >= queueLimit) {
      return Promise.reject(new DoorwardError('SERVICE_BUSY', { retryAfterSeconds: 1 }));
    }
    return new Promise((resolve, reject) => {
      waiting.push({ job, resolve, reject });
      dispatch();
    });
  }

  function dispatch(): void {
    while (waiting.length > 0 && (idle.length > 0 || open.size < lanes)) {
      const lane = idle.pop();
      if (lane?.broken()) open.delete(lane);
      else start(lane);
    }
  }

  function start(idleLane: Lane<Job, Result> | undefined): void {
    const call = waiting.shift();
    if (call === undefined) return;
    let lane: Lane<Job, Result>;
    try {
      lane = idleLane ?? openLane();
    } catch (cause) {
      call.reject(unavailable(cause));
      return;
    }
    open.add(lane);
    lane.execute(call.job).then(
      (result) => {
        idle.push(lane);
        call.resolve(result);
        dispatch();
      },
      (cause: unknown) => {
        open.delete(lane);
        call.reject(unavailable(cause));
        dispatch();
      },
    );
  }

  function close(): Promise<void> {
    closing ??= endAll();
    return closing;
  }

  async function endAll(): Promise<void> {
    for (const call of waiting.splice(0)) call.reject(unavailable());
    await Promise.all([...open].map((lane) => lane.end()));
  }

  return { run, close };
}

function unavailable(cause?: unknown): DoorwardError {
  return new DoorwardError('SERVICE_UNAVAILABLE', cause === undefined ? {} : { cause });
}
