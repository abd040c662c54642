import { type Asking, type Leave, nothingToLeave, type Tell } from './asking.ts';

interface Waiter {
  /** Nothing once the waiter has left, or was told. */
  tell: Tell | undefined;
}

interface Flight {
  readonly since: number;
  waiting: Waiter[];
  /** How many of them have not left. */
  count: number;
  leave: Leave;
}

export interface SingleFlight {
  readonly ask: Asking;
  /** Lets nobody join the calls that are under way. */
  forget(): void;
}

/** So many calls end before the map of those under way is made anew. */
const LANDINGS_A_MAP = 2_048;

/**
 * Lets equal questions share one call. Everybody waits as long as they like; when nobody waits any more, the call
 * is ended. Only a call that began less than `joinMs` milliseconds ago is joined: one that hangs must not take
 * along all who come later.
 */
export function singleFlight(ask: Asking, joinMs: number): SingleFlight {
  let flights = new Map<string, Flight>();
  let landings = 0;

  // The tables that a map has grown out of hold on to their entries, and to each other, until the next full
  // collection of garbage. A new map now and then lets the collector forget the calls that are over at once.
  const land = (body: string, flight: Flight): readonly Waiter[] => {
    if (flights.get(body) === flight) flights.delete(body);
    if (++landings >= LANDINGS_A_MAP + flights.size) {
      flights = new Map(flights);
      landings = 0;
    }
    const { waiting } = flight;
    flight.waiting = [];
    flight.count = 0;
    flight.leave = nothingToLeave;
    return waiting;
  };

  const depart = (body: string, waiter: Waiter, since: number): Flight => {
    const flight: Flight = { since, waiting: [waiter], count: 1, leave: nothingToLeave };
    flights.set(body, flight);
    const leave = ask(body, (decision) => {
      for (const { tell } of land(body, flight)) tell?.(decision);
    });
    if (flight.count > 0) flight.leave = leave;
    return flight;
  };

  const join = (flight: Flight, waiter: Waiter): Flight => {
    flight.waiting.push(waiter);
    flight.count++;
    return flight;
  };

  // Nobody is looked for in the list: thousands may wait for a server that hangs, and all leave at the same time.
  const quit = (body: string, flight: Flight, waiter: Waiter, why: 'timeout' | 'aborted'): void => {
    if (waiter.tell === undefined) return;
    waiter.tell = undefined;
    if (flight.count === 0 || --flight.count > 0) return;
    const { leave } = flight;
    land(body, flight);
    leave(why);
  };

  return {
    ask: (body, tell) => {
      const now = performance.now();
      const waiter: Waiter = { tell };
      const underWay = flights.get(body);
      const isFresh = underWay !== undefined && now - underWay.since < joinMs;
      const flight = isFresh ? join(underWay, waiter) : depart(body, waiter, now);
      return (why) => quit(body, flight, waiter, why);
    },
    forget: () => flights.clear(),
  };
}
