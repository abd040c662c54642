import {
  type DocumentNode,
  type FragmentDefinitionNode,
  GraphQLError,
  Kind,
  parse,
  type SelectionSetNode,
  type Source,
} from 'graphql';

const MAX = { levels: 12, fields: 1_000, aliases: 30, directives: 50 };
const MAX_TOKENS = 5_000;
const NOTHING = { levels: 0, fields: 0, aliases: 0, directives: 0 };

/**
 * Parses a document within the limits; throws what {@link isOverLimit} tells for one that is over them.
 * A fragment counts at every use and is worked out once, so the pass is linear in the document.
 */
export function parseWithinLimits(source: string | Source, introspection: boolean): DocumentNode {
  const document = parseTokens(source);
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const node of document.definitions) {
    if (node.kind === Kind.FRAGMENT_DEFINITION) fragments.set(node.name.value, node);
  }
  const known = new Map<string, typeof NOTHING | undefined>();

  const ofFragment = (name: string): typeof NOTHING => {
    if (!known.has(name)) {
      known.set(name, undefined);
      known.set(name, ofSelections(fragments.get(name)?.selectionSet));
    }
    return known.get(name) ?? refuse('Fragments must not form a cycle');
  };
  const ofSelections = (set: SelectionSetNode | undefined): typeof NOTHING => {
    const total = { ...NOTHING };
    for (const node of set?.selections ?? []) {
      const inner = node.kind === Kind.FRAGMENT_SPREAD ? ofFragment(node.name.value) : ofSelections(node.selectionSet);
      const field = node.kind === Kind.FIELD ? node : undefined;
      const isMeta = field?.name.value === '__schema' || field?.name.value === '__type';
      if (isMeta && !introspection) refuse('Introspection is off');
      total.levels = Math.max(total.levels, isMeta ? 0 : inner.levels + (field ? 1 : 0));
      total.fields += inner.fields + (field ? 1 : 0);
      total.aliases += inner.aliases + (field?.alias ? 1 : 0);
      total.directives += inner.directives + (node.directives?.length ?? 0);
    }
    return total;
  };

  for (const node of document.definitions) {
    if (node.kind !== Kind.OPERATION_DEFINITION) continue;
    const size = ofSelections(node.selectionSet);
    for (const [what, max] of Object.entries(MAX)) {
      if (size[what as keyof typeof MAX] > max) refuse(`The operation has more than ${max} ${what}`);
    }
  }
  return document;
}

/** Tells a refused document from a syntax error, also where a WebSocket server has wrapped what parsing threw. */
export function isOverLimit(error: unknown): error is Error {
  const thrown = error instanceof GraphQLError ? error.originalError : error;
  return thrown instanceof Error && thrown.name === 'OverLimit';
}

function parseTokens(source: string | Source): DocumentNode {
  try {
    return parse(source, { maxTokens: MAX_TOKENS });
  } catch (error) {
    const isOver =
      error instanceof RangeError || (error instanceof Error && error.message.includes(`${MAX_TOKENS} tokens`));
    if (isOver) refuse(`The document has more than ${MAX_TOKENS} tokens`);
    throw error;
  }
}

function refuse(message: string): never {
  throw Object.assign(new Error(message), { name: 'OverLimit' });
}
