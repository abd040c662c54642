import { configInvalid } from '../core/config-invalid.ts';

/** Takes one line, with its line feed. A promise holds back the next line until it settles. */
export type WriteLine = (line: string) => void | Promise<void>;

/** What a sink needs of a `node:stream` Writable. */
export interface LineStream {
  write(chunk: string, callback: (error?: Error | null) => void): boolean;
  on(event: 'error', listener: (error: Error) => void): unknown;
  off(event: 'error', listener: (error: Error) => void): unknown;
}

/** Where lines go. */
export interface LineOutput {
  /** How many lines one call may carry. */
  readonly batch: number;
  /** Settles when the lines are written, and rejects when they are not. */
  write(lines: readonly string[]): Promise<void>;
  /** Leaves a stream to its owner. */
  release(): void;
}

const STREAM_BATCH = 256;

/** @throws `CONFIG_INVALID` for what is neither a function nor a stream. */
export function lineOutput(target: WriteLine | LineStream): LineOutput {
  if (typeof target === 'function') {
    return {
      batch: 1,
      write: async ([line = '']) => target(line),
      release: () => {},
    };
  }
  if (typeof target?.write !== 'function' || typeof target.on !== 'function' || typeof target.off !== 'function') {
    throw configInvalid('write', 'must be a function or a stream');
  }
  // The callback tells of a failed write; without a listener the event would bring the process down beside it.
  const ignore = (): void => {};
  target.on('error', ignore);
  return {
    batch: STREAM_BATCH,
    write: (lines) =>
      new Promise((resolve, reject) => {
        target.write(lines.join(''), (error) => (error ? reject(error) : resolve()));
      }),
    release: () => void target.off('error', ignore),
  };
}
