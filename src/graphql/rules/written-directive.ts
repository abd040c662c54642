import {
  type ArgumentNode,
  type ASTNode,
  type DirectiveNode,
  type GraphQLDirective,
  Kind,
  type NameNode,
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
  const reading: Reading = { loc: directive.loc, isFromOnePlace: directive.loc === undefined ? undefined : true };
  const text = textOfName(directive.name, reading) + textOfNamed(directive.arguments ?? NONE, reading);
  return { text, isFromOnePlace: reading.isFromOnePlace };
}

interface Reading {
  readonly loc: DirectiveNode['loc'];
  isFromOnePlace: boolean | undefined;
}

const NONE: readonly never[] = [];

function textOfNamed(nodes: readonly (ArgumentNode | ObjectFieldNode)[], reading: Reading): string {
  let text = `${nodes.length}:`;
  for (const node of nodes) {
    see(node, reading);
    text += textOfName(node.name, reading) + textOfValue(node.value, reading);
  }
  return text;
}

function textOfName(node: NameNode, reading: Reading): string {
  see(node, reading);
  return `${node.value.length}:${node.value}`;
}

/** Begins with its kind and says how long it is, so that no two values have one text. */
function textOfValue(node: ValueNode, reading: Reading): string {
  see(node, reading);
  switch (node.kind) {
    case Kind.LIST: {
      let text = `${node.kind} ${node.values.length}:`;
      for (const item of node.values) text += textOfValue(item, reading);
      return text;
    }
    case Kind.OBJECT:
      return `${node.kind} ${textOfNamed(node.fields, reading)}`;
    case Kind.VARIABLE:
      return `${node.kind} ${textOfName(node.name, reading)}`;
    default:
      return `${node.kind} ${JSON.stringify('value' in node ? node.value : null)} `;
  }
}

function see({ loc: at }: ASTNode, reading: Reading): void {
  const { loc } = reading;
  if (loc === undefined) return;
  if (at === undefined) reading.isFromOnePlace &&= undefined;
  else if (at.source !== loc.source || at.start < loc.start || at.end > loc.end) reading.isFromOnePlace = false;
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
