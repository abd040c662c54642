import type { Attributes } from '../../core/index.ts';
import { withDeadline } from '../../core/index.ts';
import type { LoadAttributes } from './attribute-loader.ts';

/**
 * Makes the function that loads the attributes of one entity: once as long as the object lives, together with all
 * that are asked for in the same turn. It never rejects; what fails, is late or makes no sense is `undefined`.
 */
export function loadOnce<Entity extends object>(
  load: LoadAttributes<Entity>,
  timeoutMs: number,
): (entity: Entity) => Promise<Attributes | undefined> {
  const loaded = new WeakMap<Entity, Promise<Attributes | undefined>>();
  let waiting: Entity[] = [];
  let batch: Promise<readonly (Attributes | undefined)[]> | undefined;

  const nextBatch = (): Promise<readonly (Attributes | undefined)[]> => {
    batch ??= endOfTurn().then(() => {
      const entities = waiting;
      waiting = [];
      batch = undefined;
      return loadAll(load, entities, timeoutMs);
    });
    return batch;
  };
  return (entity) => {
    const known = loaded.get(entity);
    if (known !== undefined) return known;
    const place = waiting.push(entity) - 1;
    const attributes = nextBatch().then((all) => all[place]);
    loaded.set(entity, attributes);
    return attributes;
  };
}

/** After the promises that are settled already: resolvers that wait for one another still ask together. */
function endOfTurn(): Promise<void> {
  return new Promise((resolve) => void Promise.resolve().then(() => process.nextTick(resolve)));
}

async function loadAll<Entity>(
  load: LoadAttributes<Entity>,
  entities: readonly Entity[],
  timeoutMs: number,
): Promise<readonly (Attributes | undefined)[]> {
  const abort = new AbortController();
  try {
    const answer = load(entities, abort.signal);
    const all: unknown = await withDeadline(Promise.resolve(answer), timeoutMs, () => new Error('late'));
    // With another number of answers than questions, nobody knows which is whose.
    return Array.isArray(all) && all.length === entities.length ? all : [];
  } catch {
    return [];
  } finally {
    abort.abort();
  }
}
