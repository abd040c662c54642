/** Tells the time in epoch milliseconds. Every part that needs the time takes one by options. */
export type Clock = () => number;

/** The machine's clock, the default everywhere. */
export const systemClock: Clock = () => Date.now();
