import { type DirectiveNode, type GraphQLDirective, getNamedType, isEnumType, Kind } from 'graphql';
import type { StepUp, Vocabulary } from '../../core/index.ts';
import { checkedAcrValues, checkedMaxAge } from '../../core/step-up.ts';
import { ownerPath } from '../decide/owner.ts';
import type { Rule, RuleTable } from './rule.ts';

export type AuthResource = 'ARGS' | 'PARENT' | 'RESULT';
export type AuthDenial = 'ERROR' | 'NULL' | 'FILTER' | 'MASK';

/** One `@auth` as it was written. */
export interface Application {
  readonly rule: Rule;
  /** What kind of login it asks for, beside the rule. */
  readonly stepUp: StepUp | undefined;
  readonly from: AuthResource | undefined;
  readonly onDeny: AuthDenial | undefined;
  /** Where it was written; a field that inherits it has another coordinate. */
  readonly coordinate: string;
  readonly node: DirectiveNode | undefined;
}

/** What one place says, in SDL, in its extensions, and in the map of rules. */
export interface Annotations {
  readonly applications: readonly Application[];
  readonly isPublic: boolean;
  /** The first `@public`. */
  readonly publicNode?: DirectiveNode | undefined;
}

/** The names that rules may use; where a list is unknown, every name passes. */
export interface KnownNames extends Partial<Vocabulary> {
  readonly policies: ReadonlySet<string>;
}

/** In the message of an error. */
const SHOWN_NAMES = 12;
const LISTS_OF_LISTS: ReadonlySet<string> = new Set(['scopes', 'policy', 'policies']);

type Refuse = (problem: string) => never;
type Values = Readonly<Record<string, unknown>>;

const RESOURCES: ReadonlyMap<unknown, AuthResource> = new Map(
  (['ARGS', 'PARENT', 'RESULT'] as const).map((name) => [name, name]),
);
const DENIALS: ReadonlyMap<unknown, AuthDenial> = new Map(
  (['ERROR', 'NULL', 'FILTER', 'MASK'] as const).map((name) => [name, name]),
);

/** Turns the arguments of one `@auth` into a rule, and refuses whatever is not exactly right. */
export function readArguments(
  values: Values,
  directive: GraphQLDirective | undefined,
  rules: RuleTable,
  known: KnownNames,
  refuse: Refuse,
): Pick<Application, 'rule' | 'stepUp' | 'from' | 'onDeny'> {
  const conjuncts: Rule[] = [];
  let from: AuthResource | undefined;
  let onDeny: AuthDenial | undefined;
  let stepUp: StepUp | undefined;
  const leaf = leafReader(rules, known, refuse);

  for (const [name, value] of Object.entries(values)) {
    switch (name) {
      case 'requires':
        conjuncts.push(leaf('role', roleName(value, name, directive, refuse)));
        break;
      case 'roles':
        conjuncts.push(
          rules.any(names(value, name, refuse).map((role) => leaf('role', roleName(role, name, directive, refuse)))),
        );
        break;
      case 'permissions':
        conjuncts.push(rules.all(names(value, name, refuse).map((permission) => leaf('permission', permission))));
        break;
      case 'scopes':
        conjuncts.push(alternatives(value, name, (scope) => leaf('scope', scope), rules, refuse));
        break;
      case 'policy':
        conjuncts.push(alternatives(value, name, (policy) => leaf('policy', policy), rules, refuse));
        break;
      case 'owner':
        conjuncts.push(leaf('owner', value));
        break;
      case 'rule':
        conjuncts.push(readRuleInput(value, leaf, rules, refuse));
        break;
      case 'from':
        from = RESOURCES.get(value) ?? refuse('from must be ARGS, PARENT or RESULT');
        break;
      case 'onDeny':
        onDeny = DENIALS.get(value) ?? refuse('onDeny must be ERROR, NULL, FILTER or MASK');
        break;
      case 'maxAge':
        stepUp = { ...stepUp, maxAgeSeconds: checked(() => checkedMaxAge(value, name), refuse) };
        break;
      case 'acr':
        stepUp = { ...stepUp, acrValues: checked(() => checkedAcrValues(value, name), refuse) };
        break;
      default:
        refuse(`has an argument that nothing handles: ${name}`);
    }
  }
  return { rule: rules.all(conjuncts), stepUp, from, onDeny };
}

const FEDERATED_ARGUMENT = { requiresScopes: 'scopes', policy: 'policies' } as const;

/** Turns the argument of `@requiresScopes` or `@policy` into a rule. */
export function readFederated(
  values: Values,
  kind: keyof typeof FEDERATED_ARGUMENT,
  rules: RuleTable,
  known: KnownNames,
  refuse: Refuse,
): Rule {
  const argument = FEDERATED_ARGUMENT[kind];
  const leaf = leafReader(rules, known, refuse);
  const stray = Object.keys(values).find((name) => name !== argument);
  if (stray !== undefined) refuse(`has an argument that nothing handles: ${stray}`);
  const leafKind = kind === 'policy' ? 'policy' : 'scope';
  return alternatives(values[argument], argument, (name) => leaf(leafKind, name), rules, refuse);
}

type ReadLeaf = (kind: 'role' | 'permission' | 'scope' | 'policy' | 'owner', value: unknown) => Rule;

function leafReader(rules: RuleTable, known: KnownNames, refuse: Refuse): ReadLeaf {
  const lists = { role: known.roles, permission: known.permissions, scope: undefined, policy: [...known.policies] };
  return (kind, value) => {
    if (typeof value !== 'string' || value === '') return refuse(`${kind} must be a string that is not empty`);
    if (kind === 'owner') {
      return rules.owner(ownerPath(value) ?? refuse(`owner is not a path of property names: ${value}`));
    }
    const names = lists[kind];
    if (names?.includes(value) === false) refuse(`names an unknown ${kind}: ${value} (${inWords(names)})`);
    return rules.leaf(kind, value);
  };
}

function inWords(names: readonly string[]): string {
  if (names.length === 0) return 'there is none';
  const more = names.length > SHOWN_NAMES ? [`${names.length - SHOWN_NAMES} more`] : [];
  return `known: ${[...names.slice(0, SHOWN_NAMES), ...more].join(', ')}`;
}

function readRuleInput(value: unknown, leaf: ReadLeaf, rules: RuleTable, refuse: Refuse): Rule {
  const entries = typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : [];
  const [entry, other] = entries;
  if (entry === undefined || other !== undefined) return refuse('a rule must have exactly one key');
  const [key, operand] = entry;
  const members = (): Rule[] => list(operand, key, refuse).map((member) => readRuleInput(member, leaf, rules, refuse));
  switch (key) {
    case 'role':
    case 'permission':
    case 'scope':
    case 'policy':
    case 'owner':
      return leaf(key, operand);
    case 'all':
      return rules.all(members());
    case 'any':
      return rules.any(members());
    case 'not':
      return rules.not(readRuleInput(operand, leaf, rules, refuse));
    default:
      return refuse(`a rule has an unknown key: ${key}`);
  }
}

function alternatives(
  value: unknown,
  name: string,
  leaf: (name: string) => Rule,
  rules: RuleTable,
  refuse: Refuse,
): Rule {
  return rules.any(
    list(value, name, refuse).map((inner) => {
      if (!Array.isArray(inner)) return refuse(`${name} must be a list of lists`);
      return rules.all(names(inner, name, refuse).map(leaf));
    }),
  );
}

function names(value: unknown, name: string, refuse: Refuse): readonly string[] {
  return list(value, name, refuse).map((item) =>
    typeof item === 'string' && item !== '' ? item : refuse(`${name} must be strings that are not empty`),
  );
}

function list(value: unknown, name: string, refuse: Refuse): readonly unknown[] {
  if (!Array.isArray(value)) return refuse(`${name} must be a list`);
  // A hole would be skipped, and so perhaps all of the list.
  return value.length > 0 ? Array.from(value) : refuse(`${name} must not be empty`);
}

/** Says of a refusal where in the SDL it belongs. */
function checked<T>(read: () => T, refuse: Refuse): T {
  try {
    return read();
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error));
  }
}

/** With a role enum of the user's, the role is the enum's internal value; a default is still the value's name. */
function roleName(value: unknown, argument: string, directive: GraphQLDirective | undefined, refuse: Refuse): string {
  if (typeof value !== 'string') return refuse(`${argument} must be a string that is not empty`);
  const type = directive?.args.find((arg) => arg.name === argument)?.type;
  const roles = type === undefined ? undefined : getNamedType(type);
  if (!isEnumType(roles)) return value;
  const internal: unknown = roles.getValue(value)?.value ?? value;
  const isInternal = roles.getValues().some((entry) => entry.value === value);
  if (typeof internal !== 'string' || (isInternal && internal !== value)) {
    return refuse(
      `${argument} is ambiguous: the values of ${roles.name} must be strings, and no name of another value`,
    );
  }
  return isInternal ? value : internal;
}

/**
 * `scopes: ["a", "b"]` is legal SDL and means "a or b", while its author means both: only a list of lists
 * passes. Coercion hides the difference, so this reads what was written.
 */
export function refuseFlatLists(node: DirectiveNode, refuse: Refuse): void {
  for (const { name, value } of node.arguments ?? []) {
    if (!LISTS_OF_LISTS.has(name.value)) continue;
    if (value.kind !== Kind.LIST || value.values.some((inner) => inner.kind !== Kind.LIST)) {
      refuse(`${name.value} must be a list of lists: one list alone does not say whether all or any`);
    }
  }
}
