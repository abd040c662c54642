import type { EnforceMode } from '../compile/compile.ts';
import type { FieldPlan } from '../compile/plan.ts';
import type { RootKind } from '../compile/reaching.ts';
import { checkField, checkSubscription, createOperationCheck } from './check-operation.ts';
import { createDryRun, type OnDryRun } from './dry-run.ts';
import type { Enforcer } from './enforcer.ts';
import { guardAbstract, type TypeResolver } from './guard-abstract.ts';
import { guardField, type Resolver } from './guard-field.ts';
import { guardSubscription } from './guard-subscription.ts';

/** What is put before the functions of a schema. */
export interface Guards {
  resolve(plan: FieldPlan, resolve: Resolver, root: RootKind): Resolver;
  /** For the fields of Subscription, which have both. */
  subscribe(plan: FieldPlan, subscribe: Resolver, resolve: Resolver): Resolver;
  resolveType(resolveType: TypeResolver): TypeResolver;
}

/** Makes the guards of one schema, as its mode asks. */
export function createGuards(enforcer: Enforcer, mode: EnforceMode, onDryRun: OnDryRun | undefined): Guards {
  const guards: Guards = {
    resolve: (plan, resolve) => guardField(enforcer, plan, resolve),
    subscribe: (plan, subscribe, resolve) => guardSubscription(enforcer, plan, subscribe, resolve),
    resolveType: (resolveType) => guardAbstract(enforcer, resolveType),
  };
  switch (mode) {
    case 'field':
      return guards;
    case 'operation': {
      const check = createOperationCheck(enforcer);
      return {
        ...guards,
        resolve(plan, resolve, root) {
          const guarded = guards.resolve(plan, resolve, root);
          return root === undefined ? guarded : checkField(check, guarded);
        },
        subscribe: (plan, subscribe, resolve) =>
          checkSubscription(enforcer, check, guards.subscribe(plan, subscribe, resolve)),
      };
    }
    case 'dry-run': {
      const dryRun = createDryRun(enforcer, onDryRun);
      return {
        resolve: (plan, resolve, root) => dryRun.field(plan, resolve, root === 'subscription'),
        // What a subscription resolves to is known with its events.
        subscribe: (plan, subscribe) => dryRun.field({ ...plan, after: [] }, subscribe),
        resolveType: dryRun.abstractType,
      };
    }
  }
}
