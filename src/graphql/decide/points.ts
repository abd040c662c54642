import {
  ask,
  type Decision,
  deny,
  type Environment,
  isPromise,
  type MaybePromise,
  type PolicyDecisionPoint,
  type Resource,
} from '../../core/index.ts';
import { isCollectable } from '../../core/policy-decision-point.ts';
import type { Bounded, BoundedOptions } from './bounded.ts';
import type { Call } from './call.ts';
import { createCollector } from './collector.ts';
import { type DecisionPointPolicy, isResource } from './decision-point-policy.ts';

/** Asks decision points what rules want to know of them. */
export interface Points {
  permission(name: string, call: Call): MaybePromise<Decision>;
  /** @param about - what the rule is about, from which the policy makes its resource */
  policy(policy: DecisionPointPolicy<never>, call: Call, about: unknown): MaybePromise<Decision>;
}

export interface PointsOptions extends BoundedOptions {
  readonly pdp: PolicyDecisionPoint;
  readonly environmentOf: (call: Call) => Environment;
  readonly bounded: Bounded;
}

const PERMISSION: Resource = Object.freeze({ type: 'graphql', attributes: Object.freeze({}) });

/** A point in this process answers at once; what a remote one is asked in one turn is collected. */
export function createPoints({ pdp, timeoutMs, report, environmentOf, bounded }: PointsOptions): Points {
  const collect = createCollector({ timeoutMs, report });

  /** @param resourceOf - may throw, as the host's environment may */
  function asked(
    point: PolicyDecisionPoint,
    call: Call,
    action: string,
    resourceOf: (environment: Environment) => unknown,
  ): MaybePromise<Decision> {
    try {
      const environment = environmentOf(call);
      const resource = resourceOf(environment);
      // A rejection that nobody listens to would end the process.
      if (isPromise(resource)) Promise.resolve(resource).catch((error: unknown) => report(error, call.coordinate));
      if (!isResource(resource)) throw new Error('A policy did not name a resource');
      const request = { subject: call.principal, action, resource, environment };
      if (isCollectable(point)) return collect(point, request, call);
      return bounded(call, () => ask(point, request, undefined, call.auth.signal));
    } catch (error) {
      report(error, call.coordinate);
      return deny('error');
    }
  }

  return {
    permission: (name, call) => asked(pdp, call, name, () => PERMISSION),
    policy({ action, resource: resourceOf, pdp: point = pdp }, call, about) {
      const { principal, context } = call;
      return asked(point, call, action, (environment) =>
        resourceOf({ resource: about, principal, context: context as never, environment }),
      );
    },
  };
}
