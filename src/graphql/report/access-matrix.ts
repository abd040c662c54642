import { type GraphQLSchema, isIntrospectionType, isObjectType } from 'graphql';
import { configInvalid, isPlainObject, refuseUnknownOptions } from '../../core/config-invalid.ts';
import {
  type Decision,
  type Environment,
  isPromise,
  type MaybePromise,
  type Principal,
  systemClock,
} from '../../core/index.ts';
import { meetsStepUp } from '../../core/step-up.ts';
import type { Rule } from '../rules/rule.ts';
import { type CheckedProtection, checkedProtection } from './checked-protection.ts';
import { decideLeaves, leavesOf, rulesBesideFields, rulesOfField } from './decide-leaves.ts';
import { type Access, type AccessOf, fieldAccess, inputAccess } from './field-access.ts';
import { ANY_OUTCOME, accessOf, forecast, type Outcomes, outcomeOf } from './forecast.ts';
import { markdownTable } from './markdown.ts';

export interface AccessMatrixOptions {
  /** Columns for callers of whom no more is known than one role. @default [] */
  readonly roles?: readonly string[];
  /** Columns for callers who are known as they are, by name; `undefined` is the anonymous one. @default {} */
  readonly principals?: Readonly<Record<string, Principal | undefined>>;
  /** The moment that the decision point is asked about. @default the present one */
  readonly environment?: Environment;
}

/** The access of every caller to every field, argument and input field, by coordinate, then by column. */
export type AccessMatrix = Readonly<Record<string, Readonly<Record<string, Access>>>>;

interface Column {
  readonly name: string;
  /** Whoever it may be; nobody for the anonymous caller. */
  readonly principals: readonly Principal[];
  readonly isRole: boolean;
}

const OPTIONS: readonly string[] = ['roles', 'principals', 'environment'];

/**
 * Works out who may do what with a protected schema: `allow` is never denied, `deny` never gets a value,
 * `conditional` depends on the object, the arguments, a policy, the login, or on what a role does not tell. Plain
 * data in a stable order, to be kept as a snapshot.
 *
 * The decision point of the guards answers, and nothing is published. Where it fails the answer is unknown, so the
 * access is `conditional`: an outage says nothing about a role.
 *
 * @throws `CONFIG_INVALID` for a schema that lost a guard, for no column or two of one name, for a role that the
 * decision point does not know, and for an unknown option.
 * @example
 * const matrix = await accessMatrix(schema, { roles: ['viewer', 'editor'], principals: { anonymous: undefined } });
 */
export function accessMatrix(schema: GraphQLSchema, options: AccessMatrixOptions): MaybePromise<AccessMatrix> {
  const columns = columnsOf(options);
  const checked = checkedProtection(schema);
  const { roles: known } = checked.options.known;
  const unknown = options.roles?.find((role) => known?.includes(role) === false);
  if (unknown !== undefined)
    throw configInvalid('roles', `names a role that the decision point does not know: ${unknown}`);
  const { enforcer } = checked;
  const environment = options.environment ?? { time: systemClock() };
  const { plan } = enforcer;
  const leaves = leavesOf([...[...plan.fields.values()].flatMap(rulesOfField), ...rulesBesideFields(plan)]);
  const decided = new Map<Principal, readonly Decision[]>();
  const decide = (principal: Principal): MaybePromise<unknown> => {
    // A copy: what is decided here must not be remembered for the requests of this principal object.
    const decisions = decideLeaves(enforcer, leaves, { ...principal }, () => environment);
    const keep = (settled: readonly Decision[]): unknown => decided.set(principal, settled);
    return isPromise(decisions) ? decisions.then(keep) : keep(decisions);
  };
  const matrix = (): AccessMatrix =>
    matrixOf(
      checked,
      columns.map((column) => [column.name, accessBy(column, leaves, decided)]),
    );
  const pending = columns.flatMap(({ principals }) => principals.map(decide)).filter(isPromise);
  return pending.length > 0 ? Promise.all(pending).then(matrix) : matrix();
}

/**
 * Writes an {@link accessMatrix} as a Markdown table, for people.
 *
 * @example
 * const table = matrixAsMarkdown(await accessMatrix(schema, { roles: ['viewer', 'editor'] }));
 */
export function matrixAsMarkdown(matrix: AccessMatrix): string {
  const [first = {}] = Object.values(matrix);
  const names = Object.keys(first);
  const rows = Object.entries(matrix).map(([coordinate, row]) => [
    coordinate,
    ...names.map((name) => (Object.hasOwn(row, name) ? (row[name] ?? '') : '')),
  ]);
  return markdownTable(['', ...names], rows);
}

function columnsOf(options: AccessMatrixOptions): readonly Column[] {
  refuseUnknownOptions(options, OPTIONS);
  const { roles = [], principals = {} } = options;
  if (!Array.isArray(roles) || !roles.every((role) => typeof role === 'string' && role !== '')) {
    throw configInvalid('roles', 'must be strings that are not empty');
  }
  if (!isPlainObject(principals)) throw configInvalid('principals', 'must be a plain object');
  const columns: readonly Column[] = [
    ...roles.map((role: string) => ({ name: role, principals: ofRole(role), isRole: true })),
    ...Object.entries(principals).map(([name, principal]) => ({
      name,
      principals: principal === undefined ? [] : [principal],
      isRole: false,
    })),
  ];
  const names = new Set(columns.map(({ name }) => name));
  if (names.size === 0) throw configInvalid('roles', 'or principals must name a column');
  if (names.size < columns.length) throw configInvalid('roles', 'and principals must all have different names');
  return columns;
}

/** Somebody of the role, and somebody whose client was granted nothing: scopes may narrow the decision point too. */
function ofRole(role: string): readonly Principal[] {
  const principal: Principal = { id: `any ${role}`, roles: [role], attributes: {} };
  return [principal, { ...principal, scopes: [] }];
}

function accessBy(
  { principals, isRole }: Column,
  leaves: readonly Rule[],
  decided: ReadonlyMap<Principal, readonly Decision[]>,
): AccessOf {
  if (principals.length === 0) return () => 'deny';
  const outcomes = new Map<Rule, Outcomes>();
  for (const [index, leaf] of leaves.entries()) {
    const ofAll = principals.flatMap((principal) => {
      const decision = decided.get(principal)?.[index];
      return decision === undefined ? [] : [...outcomesOf(leaf, decision, principal, isRole)];
    });
    if (ofAll.length > 0) outcomes.set(leaf, new Set(ofAll));
  }
  return (rule) => accessOf(forecast(rule, (leaf) => outcomes.get(leaf) ?? ANY_OUTCOME));
}

function outcomesOf(leaf: Rule, decision: Decision, principal: Principal, isRole: boolean): Outcomes {
  if (isRole && leaf.kind === 'scope') return new Set(['YES', 'NARROWED']);
  if (leaf.kind === 'stepUp') {
    const { maxAgeSeconds, acrValues } = leaf.stepUp;
    const isRightClass = meetsStepUp(principal, acrValues === undefined ? {} : { acrValues }, 0);
    // A login grows old, and may be made anew.
    if (isRole || (isRightClass && maxAgeSeconds !== undefined)) return new Set(['YES', 'NO']);
  }
  const outcome = outcomeOf(decision);
  return outcome === 'UNKNOWN' ? ANY_OUTCOME : new Set([outcome]);
}

function matrixOf(
  { schema, enforcer }: CheckedProtection,
  columns: readonly (readonly [name: string, accessOf: AccessOf])[],
): AccessMatrix {
  const { plan } = enforcer;
  const rows = new Map<string, Readonly<Record<string, Access>>>();
  const add = (coordinate: string, access: (accessOf: AccessOf) => Access): void => {
    rows.set(coordinate, Object.fromEntries(columns.map(([name, accessOf]) => [name, access(accessOf)])));
  };
  for (const type of Object.values(schema.getTypeMap()).filter(isObjectType)) {
    if (isIntrospectionType(type)) continue;
    for (const field of Object.values(type.getFields())) {
      const coordinate = `${type.name}.${field.name}`;
      const planOfField = plan.fields.get(coordinate);
      add(coordinate, (accessOf) => fieldAccess(schema, plan, planOfField, field, accessOf));
      for (const argument of planOfField?.input ?? []) {
        if (argument.rules.length > 0) add(argument.coordinate, (accessOf) => inputAccess(argument, accessOf));
      }
    }
  }
  for (const [name, type] of plan.inputTypes) {
    if (type.rules.length > 0) add(name, (accessOf) => inputAccess(type, accessOf));
    for (const field of type.fields) {
      if (field.rules.length > 0) add(field.coordinate, (accessOf) => inputAccess(field, accessOf));
    }
  }
  return Object.fromEntries([...rows].sort(([a], [b]) => (a < b ? -1 : 1)));
}
