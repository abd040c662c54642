/**
 * Resolves after the promises that are settled already: resolvers that wait for one another still ask together, as
 * with DataLoader.
 */
export function endOfTurn(): Promise<void> {
  return new Promise((resolve) => void Promise.resolve().then(() => process.nextTick(resolve)));
}
