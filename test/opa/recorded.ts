import type { AccessRequest } from 'doorward';
import type { Policy } from 'doorward/abac';
import type { OpaAnswer } from './ask-opa.ts';

/** Where the answers of a real OPA server are kept, so that `npm test` needs none. */
export const RECORDED = 'test/fixtures/opa/recorded.json';

/** What a real OPA server said about random policies. */
export interface Recorded {
  readonly opa: string;
  readonly policies: readonly {
    readonly revision: string;
    readonly policy: Policy;
    readonly asked: readonly (readonly [request: AccessRequest, answer: OpaAnswer])[];
  }[];
}
