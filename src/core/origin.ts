import type { Caller } from './caller.ts';
import type { Origin } from './events.ts';

/** Where a call comes from, as its events tell it. */
export function originOf({ ip, requestId }: Caller): Origin {
  return { ...(ip !== undefined && { ip }), ...(requestId !== undefined && { requestId }) };
}
