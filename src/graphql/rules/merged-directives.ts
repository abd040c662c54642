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

/**
 * Refuses an application that type definitions were merged into: graphql-tools joins the lists of two applications
 * of a directive that it does not know to be repeatable, and a longer list of alternatives lets through more. Every
 * node keeps the place it was read from, so an application in which two places meet was merged.
 */
export function refuseMerged(node: DirectiveNode, refuse: Refuse): void {
  if (isFromOnePlace(node) !== false) return;
  refuse('was written in two places and merged into one, which may let through more; declare it repeatable');
}

/**
 * Refuses alternatives that may have come from two places, of a directive that merging would have joined: those of
 * nodes that have lost their place, as the tag `gql` and `noLocation` make them.
 */
export function refuseMaybeMerged(node: DirectiveNode, directive: GraphQLDirective | undefined, refuse: Refuse): void {
  if (directive?.isRepeatable === true || isFromOnePlace(node) !== undefined) return;
  const lists = node.arguments?.filter(({ value }) => value.kind === Kind.LIST && value.values.length > 1) ?? [];
  if (lists.length === 0) return;
  refuse(
    'has alternatives that may have been merged from two places: declare it repeatable, or parse the SDL with locations',
  );
}

/** `undefined` where a node does not say where it was read. */
function isFromOnePlace(directive: DirectiveNode): boolean | undefined {
  const { loc } = directive;
  if (loc === undefined) return undefined;
  let found: boolean | undefined = true;
  for (const { loc: at } of nodesIn(directive)) {
    if (at === undefined) found &&= undefined;
    else if (at.source !== loc.source || at.start < loc.start || at.end > loc.end) found = false;
  }
  return found;
}

function nodesIn({ name, arguments: written = [] }: DirectiveNode): readonly ASTNode[] {
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
  written.forEach(addNamed);
  return nodes;
}
