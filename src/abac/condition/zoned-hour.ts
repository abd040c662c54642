/** April 2262: OPA, which has to give the same answer, counts nanoseconds in 64 bits. */
const LATEST = 9_223_372_036_854;
const SECOND = 1_000;

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
