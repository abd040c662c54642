/** April 2262: OPA, which has to give the same answer, counts nanoseconds in 64 bits. */
const LATEST = 9_223_372_036_854;
const SECOND = 1_000;
const QUARTER = 15 * 60 * SECOND;
/** Since then every zone has changed its hour on a quarter of an hour of UTC; offsets before had minutes and seconds. */
const QUARTERS_SINCE = Date.UTC(2020, 0);

/**
 * Makes the function that tells the hour of the day in a time zone; `undefined` for what is no moment, and for
 * moments before 1970, about which the tables of time zones differ. Intl is asked once a second: offsets of long
 * ago had seconds in them.
 *
 * @throws `RangeError` when the time zone is not an IANA name; the parser has refused it before.
 */
export function zonedHour(timeZone: string): (time: unknown) => number | undefined {
  const format = new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', hourCycle: 'h23' });
  let second = Number.NaN;
  let hour = 0;
  return (time) => {
    if (typeof time !== 'number' || !(time >= 0 && Math.floor(time) <= LATEST)) return undefined;
    const current = Math.floor(time / SECOND);
    if (current !== second) {
      hour = Number(format.format(Math.floor(time)));
      second = current;
    }
    return hour;
  };
}

/**
 * The next moment at which the hour could be another one in whatever zone: it changes with a full hour or with the
 * offset of its zone, and after the latest moment it is unknown.
 */
export function nextHourChange(now: number): number {
  const step = now < QUARTERS_SINCE ? SECOND : QUARTER;
  const next = Math.floor(now / step) * step + step;
  return now <= LATEST ? Math.min(next, LATEST + 1) : next;
}
