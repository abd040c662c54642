import {
  type FieldNode,
  type FragmentDefinitionNode,
  type FragmentSpreadNode,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getNamedType,
  type InlineFragmentNode,
  isAbstractType,
  isObjectType,
  Kind,
  type NamedTypeNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';
import type { FieldPlan, ObjectPlan, SchemaPlan } from '../compile/plan.ts';
import type { Rule } from '../rules/rule.ts';

/** What an operation asks for wherever rules are, as far as its document alone tells. */
export interface OperationPlan {
  readonly root: Selected;
  /** All rules in it that are decided once per principal, and where each was met first. */
  readonly rules: ReadonlyMap<Rule, string>;
  /** Whether nothing but these rules matters: neither arguments nor `@skip` and `@include`. */
  readonly isPlain: boolean;
  /** The fragments that were read; another document may use the same operation with others. */
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode | undefined>;
}

/** One selection set on one object type; without members nothing in it can deny. */
export interface Selected {
  readonly members: readonly (SelectedField | SelectedPart)[];
}

export interface SelectedField {
  readonly kind: 'field';
  readonly node: FieldNode;
  readonly isConditional: boolean;
  readonly isRoot: boolean;
  readonly definition: GraphQLField<unknown, unknown>;
  readonly plan: FieldPlan | undefined;
  /** What may come out of the field, each of which can deny; empty when one of them can not. */
  readonly possible: readonly PossibleObject[];
}

/** A fragment, spread or inline. */
export interface SelectedPart {
  readonly kind: 'part';
  readonly node: InlineFragmentNode | FragmentSpreadNode;
  readonly isConditional: boolean;
  readonly selected: Selected;
}

export interface PossibleObject {
  readonly name: string;
  /** What is asked before the object is told; the gate of a field that returns an object type says it already. */
  readonly object: ObjectPlan | undefined;
  readonly selected: Selected;
}

/**
 * Works out the plan of an operation. Every selection set is read once for each object type that it can meet,
 * however often a fragment is spread.
 */
export function planOperation(
  { fields, objects }: SchemaPlan,
  { schema, operation, fragments: definitions }: GraphQLResolveInfo,
): OperationPlan {
  const fragments = new Map<string, FragmentDefinitionNode | undefined>();
  const knownRoots = new Map<SelectionSetNode, Map<string, Selected>>();
  const known = new Map<SelectionSetNode, Map<string, Selected>>();
  const knownPossible = new Map<SelectionSetNode, Map<string, readonly PossibleObject[]>>();
  const rules = new Map<Rule, string>();
  let isPlain = true;

  function note(asked: Pick<FieldPlan, 'gate' | 'stepUp'> | undefined, coordinate: string): void {
    for (const rule of [asked?.gate, asked?.stepUp]) {
      if (rule !== undefined && !rules.has(rule)) rules.set(rule, coordinate);
    }
  }

  function select(set: SelectionSetNode, type: GraphQLObjectType, isRoot: boolean): Selected {
    const ofSet = isRoot ? knownRoots : known;
    const ofTypes = ofSet.get(set) ?? new Map<string, Selected>();
    ofSet.set(set, ofTypes);
    const same = ofTypes.get(type.name);
    if (same !== undefined) return same;
    const members: (SelectedField | SelectedPart)[] = [];
    // A document that was not validated may have fragments that contain themselves: found here while it is filled.
    const selected = { members };
    ofTypes.set(type.name, selected);
    for (const node of set.selections) {
      const member = node.kind === Kind.FIELD ? fieldOf(node, type, isRoot) : partOf(node, type, isRoot);
      if (member !== undefined) members.push(member);
    }
    return selected;
  }

  function fieldOf(node: FieldNode, type: GraphQLObjectType, isRoot: boolean): SelectedField | undefined {
    const name = node.name.value;
    const own = type.getFields();
    const definition = Object.hasOwn(own, name) ? own[name] : undefined;
    if (definition === undefined) return undefined;
    const plan = fields.get(`${type.name}.${name}`);
    const possible = node.selectionSet === undefined ? [] : possibleOnce(definition, node.selectionSet);
    const asks = plan !== undefined && (plan.gate !== undefined || plan.input.length > 0);
    if (!asks && possible.length === 0) return undefined;
    note(plan, `${type.name}.${name}`);
    if (plan !== undefined && (plan.input.length > 0 || (isRoot && plan.before.length > 0))) isPlain = false;
    return { kind: 'field', node, isConditional: conditional(node), isRoot, definition, plan, possible };
  }

  /** The same field of all types of an interface would otherwise cost the square of their number. */
  function possibleOnce({ type }: GraphQLField<unknown, unknown>, set: SelectionSetNode): readonly PossibleObject[] {
    const returned = getNamedType(type);
    const ofTypes = knownPossible.get(set) ?? new Map<string, readonly PossibleObject[]>();
    knownPossible.set(set, ofTypes);
    const possible = ofTypes.get(returned.name) ?? possibleOf(returned, set);
    ofTypes.set(returned.name, possible);
    return possible;
  }

  function possibleOf(returned: GraphQLNamedType, set: SelectionSetNode): readonly PossibleObject[] {
    if (isObjectType(returned)) {
      const selected = select(set, returned, false);
      return selected.members.length === 0 ? [] : [{ name: returned.name, object: undefined, selected }];
    }
    if (!isAbstractType(returned)) return [];
    const all: PossibleObject[] = [];
    for (const { name } of schema.getPossibleTypes(returned)) {
      const concrete = schema.getType(name);
      const object = objects.get(name);
      note(object, name);
      const selected = isObjectType(concrete) ? select(set, concrete, false) : { members: [] };
      if (object === undefined && selected.members.length === 0) return [];
      all.push({ name, object, selected });
    }
    return all;
  }

  function partOf(
    node: InlineFragmentNode | FragmentSpreadNode,
    type: GraphQLObjectType,
    isRoot: boolean,
  ): SelectedPart | undefined {
    const fragment = node.kind === Kind.FRAGMENT_SPREAD ? fragmentOf(node) : node;
    if (fragment === undefined || !applies(fragment.typeCondition, type, schema)) return undefined;
    const selected = select(fragment.selectionSet, type, isRoot);
    return selected.members.length === 0
      ? undefined
      : { kind: 'part', node, isConditional: conditional(node), selected };
  }

  /** A fragment with variables of its own has values that only the executor knows: its fields decide. */
  function fragmentOf({ name: { value: name } }: FragmentSpreadNode): FragmentDefinitionNode | undefined {
    const fragment = ownFragment(definitions, name);
    fragments.set(name, fragment);
    return fragment?.variableDefinitions?.length ? undefined : fragment;
  }

  function conditional(node: SelectionNode): boolean {
    const isConditional = node.directives?.some(({ name: { value } }) => value === 'skip' || value === 'include');
    if (isConditional) isPlain = false;
    return isConditional === true;
  }

  const type = schema.getRootType(operation.operation);
  const root = type ? select(operation.selectionSet, type, true) : { members: [] };
  return { root, fragments, rules, isPlain };
}

/** Tells whether a plan was made from these fragments. */
export function isPlanOf({ fragments }: OperationPlan, definitions: GraphQLResolveInfo['fragments']): boolean {
  for (const [name, fragment] of fragments) {
    if (ownFragment(definitions, name) !== fragment) return false;
  }
  return true;
}

function ownFragment(definitions: GraphQLResolveInfo['fragments'], name: string): FragmentDefinitionNode | undefined {
  return Object.hasOwn(definitions, name) ? definitions[name] : undefined;
}

function applies(condition: NamedTypeNode | undefined, type: GraphQLObjectType, schema: GraphQLSchema): boolean {
  if (condition === undefined || condition.name.value === type.name) return true;
  const abstract = schema.getType(condition.name.value);
  return isAbstractType(abstract) && schema.isSubType(abstract, type);
}
