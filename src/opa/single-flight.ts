import { type Asking, type Leave, nothingToLeave, type Tell } from './asking.ts';

interface Flight {
  readonly since: number;
  /** Who waits; nobody once the answer was told. */
  waiting: Tell[];
  leave: Leave;
}

export interface SingleFlight {
  readonly ask: Asking;
  /** Lets nobody join the calls that are under way. */
  forget(): void;
}

/**
 * Lets equal questions share one call. Everybody waits as long as they like; when nobody waits any more, the call
 * is ended. Only a call that began less than `joinMs` milliseconds ago is joined: one that hangs must not take
 * along all who come later.
 */
export function singleFlight(ask: Asking, joinMs: number): SingleFlight {
  const flights = new Map<string, Flight>();

  // The tables that a map has grown out of hold on to its entries until the next full collection of garbage, so an
  // entry lets go of what it needs no more.
  const land = (body: string, flight: Flight): readonly Tell[] => {
    if (flights.get(body) === flight) flights.delete(body);
    const { waiting } = flight;
    flight.waiting = [];
    flight.leave = nothingToLeave;
    return waiting;
  };

  const depart = (body: string, tell: Tell, since: number): Flight => {
    const flight: Flight = { since, waiting: [tell], leave: nothingToLeave };
    flights.set(body, flight);
    const leave = ask(body, (decision) => {
      for (const waiter of land(body, flight)) waiter(decision);
    });
    if (flight.waiting.length > 0) flight.leave = leave;
    return flight;
  };

  const join = (flight: Flight, tell: Tell): Flight => {
    flight.waiting.push(tell);
    return flight;
  };

  const quit = (body: string, flight: Flight, tell: Tell, why: 'timeout' | 'aborted'): void => {
    const left = flight.waiting.filter((waiter) => waiter !== tell);
    const isLast = left.length === 0 && flight.waiting.length > 0;
    flight.waiting = left;
    if (!isLast) return;
    const { leave } = flight;
    land(body, flight);
    leave(why);
  };

  return {
    ask: (body, tell) => {
      const now = performance.now();
      const underWay = flights.get(body);
      const isFresh = underWay !== undefined && now - underWay.since < joinMs;
      const flight = isFresh ? join(underWay, tell) : depart(body, tell, now);
      return (why) => quit(body, flight, tell, why);
    },
    forget: () => flights.clear(),
  };
}
