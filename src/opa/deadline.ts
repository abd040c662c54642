import { type Decision, deny } from '../core/index.ts';

/** The time limit of one decision, shared by all its calls. */
export interface Deadline {
  isOver: boolean;
  /** Ends the call under way. */
  cancel: (() => void) | undefined;
}

/** Lets `work` decide; when the time is up first, ends its call and denies. */
export function within(ms: number, work: (deadline: Deadline) => Promise<Decision>): Promise<Decision> {
  return new Promise((resolve, reject) => {
    const deadline: Deadline = { isOver: false, cancel: undefined };
    const timer = setTimeout(() => {
      deadline.isOver = true;
      deadline.cancel?.();
      resolve(deny('timeout'));
    }, ms);
    const end =
      <T>(settle: (value: T) => void) =>
      (value: T): void => {
        clearTimeout(timer);
        settle(value);
      };
    work(deadline).then(end(resolve), end(reject));
  });
}
