import type { AccessRequest } from './access-request.ts';
import { configInvalid, refuseUnknownOptions } from './config-invalid.ts';
import { type Decision, deny } from './decision.ts';
import {
  askAll,
  type DecideOptions,
  isCollectable,
  type PolicyDecisionPoint,
  type Vocabulary,
} from './policy-decision-point.ts';
import type { Subject } from './principal.ts';

export interface NarrowByScopesOptions {
  /** The scope that an action needs; `undefined` for none. @default none for `read`, else the name of the action */
  readonly needs?: (action: string, request: AccessRequest) => string | undefined;
}

const OPTIONS: readonly string[] = ['needs'];

/**
 * Lets scopes narrow a decision point: a subject that carries scopes (an OAuth client, an API key) must have
 * that of the action beside what the decision point asks for, else the denial is `insufficient_scope`
 * (RFC 6750 section 3.1). A subject without scopes, as a login of your own makes it, is not narrowed. The
 * scope is looked at first, so that no remote decision point is asked in vain.
 *
 * @throws `CONFIG_INVALID` when `pdp` is no decision point or `needs` no function, and for an unknown option.
 * @example
 * const pdp = narrowByScopes(contractRoles);
 */
export function narrowByScopes(
  pdp: PolicyDecisionPoint & Partial<Vocabulary>,
  options: NarrowByScopesOptions = {},
): PolicyDecisionPoint & Partial<Vocabulary> {
  refuseUnknownOptions(options, OPTIONS);
  const { needs = scopeOfAction } = options;
  if (typeof pdp?.decide !== 'function') throw configInvalid('pdp', 'must be a decision point');
  if (typeof needs !== 'function') throw configInvalid('needs', 'must be a function');
  const { roles, permissions, isSynchronous } = pdp;
  const refusal = (request: AccessRequest): Decision | undefined => {
    try {
      const scope = request.subject.scopes === undefined ? undefined : needs(request.action, request);
      if (scope === undefined || isScopeGranted(request.subject, scope)) return undefined;
      return deny('insufficient_scope', { scope });
    } catch {
      // A question of which this is unknown must not take the others of its call with it.
      return deny('error');
    }
  };
  // Name by name: whatever else the decision point offers would answer without the scopes.
  return Object.freeze({
    ...(isSynchronous === true && { isSynchronous }),
    ...(roles !== undefined && { roles }),
    ...(permissions !== undefined && { permissions }),
    decide(request: AccessRequest, options?: DecideOptions) {
      return refusal(request) ?? pdp.decide(request, options);
    },
    ...(isCollectable(pdp) && {
      async decideAll(requests: readonly AccessRequest[], options?: DecideOptions) {
        const refusals = requests.map(refusal);
        const left = requests.filter((_, index) => refusals[index] === undefined);
        const answers = left.length === 0 ? [] : await askAll(pdp, left, undefined, options?.signal);
        const next = answers.values();
        return refusals.map((refused) => refused ?? next.next().value ?? deny('error'));
      },
    }),
  });
}

/**
 * Tells whether a subject may use a scope: it was granted, or the subject is not narrowed by scopes at all. For
 * conditions of your own, which no decision point is asked about.
 *
 * @example
 * const ownPost = ({ principal, parent }) => isScopeGranted(principal, 'update') && parent.authorId === principal.id;
 */
export function isScopeGranted({ scopes }: Pick<Subject, 'scopes'>, scope: string): boolean {
  if (scopes === undefined) return true;
  return Array.isArray(scopes) && scopes.includes(scope);
}

function scopeOfAction(action: string): string | undefined {
  return action === 'read' ? undefined : action;
}
