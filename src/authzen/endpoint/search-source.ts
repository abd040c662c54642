import type { Attributes, MaybePromise } from '../../core/index.ts';
import type { AuthzenResource } from '../information-model.ts';

/** Which candidates a search wants next. */
export interface CandidateQuery {
  readonly type: string;
  /** Only candidates that come after the one with this id. */
  readonly after?: string;
  /** How many to return at most; fewer mean that there are no more. */
  readonly limit: number;
}

/** One that may turn out to be permitted. Its properties count like those of a request. */
export interface Candidate {
  readonly id: string;
  readonly properties?: Attributes;
}

/**
 * Lists candidates of a type, always in the same order, none twice; no candidates of an unknown type. A short list
 * may be returned as a whole, whatever `after` and `limit` say.
 */
export type CandidateSource = (query: CandidateQuery) => MaybePromise<readonly Candidate[]>;

/** The search APIs that an endpoint offers, by where their candidates come from. */
export interface AuthzenSearch {
  readonly subjects?: CandidateSource;
  readonly resources?: CandidateSource;
  /** The names of actions: one list, or those of a resource. */
  readonly actions?: readonly string[] | ((resource: AuthzenResource) => MaybePromise<readonly string[]>);
}
