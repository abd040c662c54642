import type { Environment, Subject } from '../../core/index.ts';
import type { Formula } from '../condition/formula.ts';

/** The question about all resources of one type: which of them may this subject do this action on, now? */
export interface ResourceQuery {
  readonly subject: Subject;
  readonly action: string;
  readonly resource: { readonly type: string };
  readonly environment: Environment;
}

interface Answer {
  /** The resource type that was asked about. The filter says nothing about any other. */
  readonly resourceType: string;
  /** Identifies the policy text that answered. */
  readonly revision: string;
  /** Epoch milliseconds until which the same query gets the same filter; absent when no clock was read. */
  readonly validUntil?: number;
}

/**
 * Which resources a policy allows: all, none, or those that satisfy the formula. The formula speaks of
 * `resource.*` only; every other value has been filled in, so it holds what the subject's attributes hold.
 */
export type Filter =
  | (Answer & { readonly kind: 'all' })
  | (Answer & { readonly kind: 'none' })
  | (Answer & { readonly kind: 'some'; readonly formula: Formula });
