import type { Decision, Principal, SyncPolicyDecisionPoint } from 'doorward';
import { attr, createPolicyEngine, eq, hasRole, or, owner, policy, rule } from 'doorward/abac';
import type { AuthContext } from 'doorward/graphql';
import { GraphQLError, GraphQLScalarType } from 'graphql';
import type { Data, Post } from './data.ts';

export interface Context {
  readonly auth: AuthContext;
}

/** Who sees a post: everybody once it is published, before that its author and the staff. */
export const postPolicy: SyncPolicyDecisionPoint = createPolicyEngine(
  policy('posts', [
    rule.allow('published', eq(attr('resource.published'), true)),
    rule.allow('author', owner('author_id')),
    rule.allow('staff', or(hasRole('editor'), hasRole('moderator'), hasRole('admin'))),
  ]),
);
