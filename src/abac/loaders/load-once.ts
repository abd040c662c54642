import { endOfTurn } from '../../core/end-of-turn.ts';
import type { Attributes } from '../../core/index.ts';
import { withDeadline } from '../../core/index.ts';
import type { LoadAttributes } from './attribute-loader.ts';

/** What tells entities apart, in an object that may be somebody else's later. */
interface Entity {
  readonly type?: unknown;
  readonly id?: unknown;
}

interface Loaded {
  readonly type: unknown;
  readonly id: unknown;
  readonly attributes: Promise<Attributes | undefined>;
}

/**
 * Makes the function that loads the attributes of one entity: once as long as the object lives and stands for the
 * same one, together with all that are asked for in the same turn. What fails, is late or makes no sense is
 * `undefined`, and so is what was loaded for an object that has become another entity meanwhile.
 */
export function loadOnce(
  load: LoadAttributes<Entity>,
  timeoutMs: number,
): (entity: Entity) => Promise<Attributes | undefined> {
  const loaded = new WeakMap<Entity, Loaded>();
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
    if (known !== undefined && isSame(known, entity)) return known.attributes;
    const { type, id } = entity;
    const place = waiting.push(entity) - 1;
    const attributes = nextBatch().then((all) => (isSame({ type, id }, entity) ? all[place] : undefined));
    loaded.set(entity, { type, id, attributes });
    return attributes;
  };
}

function isSame(before: Entity, entity: Entity): boolean {
  return before.id === entity.id && before.type === entity.type;
}

async function loadAll(
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
