import { type DocumentNode, type FragmentDefinitionNode, Kind, parse, type SelectionSetNode } from 'graphql';

const MAX = { tokens: 5_000, depth: 12, fields: 1_000, aliases: 30, directives: 50 };

interface Size {
  readonly depth: number;
  readonly fields: number;
  readonly aliases: number;
  readonly directives: number;
}

/**
 * Parses a document within the limits; throws an ordinary Error for a document over one of them.
 * Fragments are counted at every use, each worked out once, so the pass is linear in the document.
 */
export function parseWithinLimits(source: string, introspection: boolean): DocumentNode {
  const document = parse(source, { maxTokens: MAX.tokens, noLocation: false });
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const node of document.definitions) if (node.kind === Kind.FRAGMENT_DEFINITION) fragments.set(node.name.value, node);
  const sizes = new Map<string, Size | 'open'>();

  const ofFragment = (name: string): Size => {
    const known = sizes.get(name);
    if (known === 'open') throw new Error('Fragments must not form a cycle');
    if (known !== undefined) return known;
    const fragment = fragments.get(name);
    if (fragment === undefined) return { depth: 0, fields: 0, aliases: 0, directives: 0 };
    sizes.set(name, 'open');
    const size = ofSelections(fragment.selectionSet);
    sizes.set(name, size);
    return size;
  };

  const ofSelections = (set: SelectionSetNode | undefined): Size => {
    let [depth, fields, aliases, directives] = [0, 0, 0, 0];
    for (const node of set?.selections ?? []) {
      const inner = node.kind === Kind.FRAGMENT_SPREAD ? ofFragment(node.name.value) : ofSelections(node.selectionSet);
      const isField = node.kind === Kind.FIELD;
      const isMeta = isField && (node.name.value === '__schema' || node.name.value === '__type');
      if (isMeta && !introspection) throw new Error('Introspection is off');
      depth = Math.max(depth, isMeta ? 0 : inner.depth + (isField ? 1 : 0));
      fields += inner.fields + (isField ? 1 : 0);
      aliases += inner.aliases + (isField && node.alias ? 1 : 0);
      directives += inner.directives + (node.directives?.length ?? 0);
    }
    return { depth, fields, aliases, directives };
  };

  for (const node of document.definitions) {
    if (node.kind !== Kind.OPERATION_DEFINITION) continue;
    const size = ofSelections(node.selectionSet);
    for (const name of ['depth', 'fields', 'aliases', 'directives'] as const) {
      if (size[name] > MAX[name]) throw new Error(`The operation has more than ${MAX[name]} ${name === 'depth' ? 'levels' : name}`);
    }
  }
  return document;
}
