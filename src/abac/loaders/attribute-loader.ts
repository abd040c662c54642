import type { Attributes, Resource, Subject } from '../../core/index.ts';

/**
 * Fetches attributes for all that are asked about in one turn of the event loop: one set of attributes for each
 * entity, in their order, `undefined` for who is not known.
 *
 * @param signal - aborted when nobody waits any more
 */
export type LoadAttributes<Entity> = (
  entities: readonly Entity[],
  signal: AbortSignal,
) => Promise<readonly (Attributes | undefined)[]>;

/** A source of attributes: a policy information point, in the words of NIST SP 800-162. */
export type AttributeLoader =
  | {
      readonly of: 'subject';
      /** Names of the attributes; what else `load` returns is left alone. */
      readonly names: readonly string[];
      readonly load: LoadAttributes<Subject>;
    }
  | {
      readonly of: 'resource';
      /** Names of the attributes; what else `load` returns is left alone. */
      readonly names: readonly string[];
      readonly load: LoadAttributes<Resource>;
    };
