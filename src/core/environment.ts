import type { Environment } from './access-request.ts';
import { type Clock, systemClock } from './clock.ts';
import { DoorwardError } from './errors.ts';

export interface EnvironmentOptions {
  /** IANA name of the zone in which hours are counted. @default 'UTC' */
  readonly timeZone?: string;
  /** @default systemClock */
  readonly clock?: Clock;
}

/** Gathers the facts of the moment, and the caller's address and user agent where they are known. */
export type EnvironmentSource = (caller?: { readonly ip?: string; readonly userAgent?: string }) => Environment;

const MINUTE = 60_000;

/**
 * Makes the function that describes the moment of a request: the time, and the hour of the day in one
 * explicit time zone (never the host's).
 *
 * @throws `CONFIG_INVALID` when the time zone is not an IANA name.
 * @example
 * const environment = environmentSource({ timeZone: 'Europe/Berlin' });
 * environment({ ip: '192.0.2.1' }).hour; // 0 to 23
 */
export function environmentSource(options: EnvironmentOptions = {}): EnvironmentSource {
  const clock = options.clock ?? systemClock;
  const hourAt = hourIn(options.timeZone ?? 'UTC');
  return (caller) => {
    const time = clock();
    return { time, hour: hourAt(time), ...caller };
  };
}

/** Zone offsets change on whole minutes, so the hour is asked of Intl once a minute. */
function hourIn(timeZone: string): (time: number) => number {
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', hourCycle: 'h23' });
  } catch (cause) {
    throw new DoorwardError('CONFIG_INVALID', { field: 'timeZone', problem: 'is not an IANA time zone', cause });
  }
  let minute = Number.NaN;
  let hour = 0;
  return (time) => {
    const current = Math.floor(time / MINUTE);
    if (current !== minute) {
      hour = Number(format.format(time));
      minute = current;
    }
    return hour;
  };
}
