/** Something that does one job at a time. */
export interface Lane<Job, Result> {
  /** Rejects when the lane broke down over the job; it is not used again then. */
  execute(job: Job): Promise<Result>;
  /** Whether it broke down while it had nothing to do. */
  broken(): boolean;
  end(): Promise<void>;
}
