import {
  type ArgumentNode,
  type ASTNode,
  type DirectiveNode,
  type GraphQLDirective,
  Kind,
  type ObjectFieldNode,
  type ValueNode,
} from 'graphql';

type Refuse = (problem: string) => never;

/** A directive as it stands in a document. */
export interface Written {
  /** What it says; no two that say different things have one text. */
  readonly text: string;
  /** `undefined` where a node does not say where it was read. */
  readonly isFromOnePlace: boolean | undefined;
}

export function writtenIn(directive: DirectiveNode): Written {
  const { loc } = directive;
  let isFromOnePlace = loc === undefined ? undefined : true;
  let text = '';
  for (const node of nodesIn(directive)) {
    text += `${node.kind} ${lexemeOf(node)}\n`;
    if (loc === undefined) continue;
    const at = node.loc;
    if (at === undefined) isFromOnePlace &&= undefined;
    else if (at.source !== loc.source || at.start < loc.start || at.end > loc.end) isFromOnePlace = false;
  }
  return { text, isFromOnePlace };
}

/**
 * Refuses an application that type definitions were merged into: graphql-tools joins the lists of two applications
 * of a directive that it does not know to be repeatable, and a longer list of alternatives lets through more. Every
 * node keeps the place it was read from, so an application in which two places meet was merged.
 */
export function refuseMerged({ isFromOnePlace }: Written, refuse: Refuse): void {
  if (isFromOnePlace !== false) return;
  refuse('was written in two places and merged into one, which may let through more; declare it repeatable');
}

/**
 * Refuses alternatives that may have come from two places, of a directive that merging would have joined: those of
 * nodes that have lost their place, as the tag `gql` and `noLocation` make them.
 */
export function refuseMaybeMerged(
  node: DirectiveNode,
  { isFromOnePlace }: Written,
  directive: GraphQLDirective | undefined,
  refuse: Refuse,
): void {
  if (directive?.isRepeatable === true || isFromOnePlace !== undefined) return;
  const lists = node.arguments?.filter(({ value }) => value.kind === Kind.LIST && value.values.length > 1) ?? [];
  if (lists.length === 0) return;
  refuse(
    'has alternatives that may have been merged from two places: declare it repeatable, or parse the SDL with locations',
  );
}

/** All nodes of a directive, each before those inside it. */
function nodesIn({ name, arguments: written }: DirectiveNode): readonly ASTNode[] {
  const nodes: ASTNode[] = [name];
  const add = (value: ValueNode): void => {
    nodes.push(value);
    if (value.kind === Kind.LIST) value.values.forEach(add);
    if (value.kind === Kind.OBJECT) value.fields.forEach(addNamed);
  };
  const addNamed = (node: ArgumentNode | ObjectFieldNode): void => {
    nodes.push(node, node.name);
    add(node.value);
  };
  written?.forEach(addNamed);
  return nodes;
}

/** What a node has beside the nodes inside it: their number, or a value. */
function lexemeOf(node: ASTNode): string {
  switch (node.kind) {
    case Kind.LIST:
      return String(node.values.length);
    case Kind.OBJECT:
      return String(node.fields.length);
    case Kind.VARIABLE:
      return JSON.stringify(node.name.value);
    case Kind.ARGUMENT:
    case Kind.OBJECT_FIELD:
      return '';
    default:
      return 'value' in node ? JSON.stringify(node.value) : '';
  }
}
