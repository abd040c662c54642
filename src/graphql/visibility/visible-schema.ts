import type { GraphQLSchema } from 'graphql';
import { refuseUnknownOptions, requireWholeNumber } from '../../core/config-invalid.ts';
import {
  type Decision,
  type Environment,
  isPromise,
  type MaybePromise,
  type Principal,
  systemClock,
} from '../../core/index.ts';
import type { SchemaPlan } from '../compile/plan.ts';
import { schemaProtection } from '../enforce/protection.ts';
import { type VisibleSchemas, visiblePart } from '../enforce/visible-part.ts';
import { checkedProtection } from '../report/checked-protection.ts';
import { decideLeaves, leavesOf, rulesBesideFields } from '../report/decide-leaves.ts';
import type { Access, AccessOf } from '../report/field-access.ts';
import { ANY_OUTCOME, accessOf, forecast, type Outcomes, outcomeOf } from '../report/forecast.ts';
import type { Rule } from '../rules/rule.ts';
import { buildVisible } from './build-visible.ts';
import { visibilityOf } from './visibility.ts';

export interface VisibleSchemaOptions {
  /**
   * The moment that the decision point is asked about: that of the operation's {@link AuthContext}. Given, the
   * decisions are remembered for the operation of this principal object, which then asks for none of them again.
   * @default the present time, and nothing is remembered
   */
  readonly environment?: () => Environment;
  /** How many schemas are kept, the least recently used going first. @default 100 */
  readonly maxSchemas?: number;
}

const OPTIONS: readonly string[] = ['environment', 'maxSchemas'];

/**
 * Leaves out of a protected schema what a caller can never see, for introspection, validation and suggestions: a
 * hidden field is unknown there (`Cannot query field`), and no suggestion names it. What depends on the object, the
 * arguments or the login stays visible. Guards stay on everything that is left, so the schema may be executed too.
 * Callers for whom the same rules hold share one schema.
 *
 * @param principal - `undefined` for the anonymous caller
 * @throws `CONFIG_INVALID` for a schema that {@link assertProtected} refuses, and for options that cannot be meant.
 * @example
 * const visible = await visibleSchema(schema, principal);
 * const problems = validate(visible, parse('{ audit }'));
 */
export function visibleSchema(
  schema: GraphQLSchema,
  principal: Principal | undefined,
  options: VisibleSchemaOptions = {},
): MaybePromise<GraphQLSchema> {
  refuseUnknownOptions(options, OPTIONS);
  const maxSchemas = requireWholeNumber('maxSchemas', options.maxSchemas ?? 100, 1, 100_000);
  const whole = visiblePart(schema)?.whole ?? schema;
  const protection = schemaProtection(whole) ?? checkedProtection(whole);
  const { enforcer } = protection;
  // Where nothing is enforced nothing may be hidden.
  if (protection.options.enforce === 'dry-run') return whole;

  let kept = protection.visible.get(whole);
  if (kept === undefined) {
    checkedProtection(whole);
    kept = { leaves: visibilityLeaves(enforcer.plan), schemas: new Map() };
    protection.visible.set(whole, kept);
  }
  const { leaves, schemas } = kept;

  const of = (kind: string, accessOf: AccessOf): GraphQLSchema => {
    const known = schemas.get(kind);
    const visible = known ?? buildVisible(whole, enforcer, visibilityOf(whole, enforcer.plan, accessOf));
    schemas.delete(kind);
    schemas.set(kind, visible);
    for (const oldest of schemas.keys()) {
      if (schemas.size <= maxSchemas) break;
      schemas.delete(oldest);
    }
    return visible;
  };

  if (typeof principal !== 'object' || principal === null) return of('anonymous', () => 'deny');
  const { environment } = options;
  const decisions =
    environment === undefined
      ? decideLeaves(enforcer, leaves, { ...principal }, () => ({ time: systemClock() }))
      : decideLeaves(enforcer, leaves, principal, environment);
  const visible = (decided: readonly Decision[]): GraphQLSchema =>
    of(decided.map((decision) => outcomeOf(decision).slice(0, 2)).join(''), accessBy({ leaves, schemas }, decided));
  return isPromise(decisions) ? decisions.then(visible) : visible(decisions);
}

/** What may hide something; another login may be made, so a demand on it hides nothing. */
function visibilityLeaves(plan: SchemaPlan): readonly Rule[] {
  const ofFields = [...plan.fields.values()].flatMap(({ gate, before, input }) => [
    ...(gate === undefined ? [] : [gate]),
    ...before.filter(({ onDeny }) => onDeny === 'ERROR').map(({ rule }) => rule),
    ...input.flatMap(({ rules }) => rules),
  ]);
  return leavesOf([...ofFields, ...rulesBesideFields(plan)]).filter(({ kind }) => kind !== 'stepUp');
}

/** An unknown outcome denies here as it does where it is enforced. */
function accessBy({ leaves }: VisibleSchemas, decisions: readonly Decision[]): AccessOf {
  const outcomes = new Map<Rule, Outcomes>();
  for (const [index, leaf] of leaves.entries()) {
    const decision = decisions[index];
    if (decision !== undefined) outcomes.set(leaf, new Set([outcomeOf(decision)]));
  }
  const known = new Map<Rule, Access>();
  return (rule) => {
    const access = known.get(rule) ?? accessOf(forecast(rule, (leaf) => outcomes.get(leaf) ?? ANY_OUTCOME));
    known.set(rule, access);
    return access;
  };
}
