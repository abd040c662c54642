import { getDirectives } from '@graphql-tools/utils';
import { type ASTNode, type DirectiveNode, type GraphQLSchema, Kind } from 'graphql';
import { configError } from './config-error.ts';

type DirectableNode = ASTNode & { readonly directives?: readonly DirectiveNode[] | undefined };

/** A type, field, argument, input field or enum value: whatever SDL can put a directive on. */
export interface Directable {
  readonly astNode?: DirectableNode | null | undefined;
  readonly extensionASTNodes?: readonly DirectableNode[] | null | undefined;
  readonly extensions?: object | null | undefined;
}

/** A directive in extensions; its arguments may be anything. */
export interface CodedDirective {
  readonly name: string;
  readonly args?: unknown;
}

const NO_NAMES: readonly string[] = [];

export function directiveNodes(place: Directable): readonly DirectiveNode[] {
  const own = place.astNode?.directives ?? [];
  const extensions = place.extensionASTNodes ?? [];
  return extensions.length === 0 ? own : [...own, ...extensions.flatMap((node) => node.directives ?? [])];
}

/** Directives in another shape than by name, as some libraries write them; graphql-tools reads none of these. */
function listedDirectives(place: Directable): readonly unknown[] | undefined {
  const directives = codedDirectives(place);
  if (typeof directives === 'string') return [directives];
  const isIterable = typeof directives === 'object' && directives !== null && Symbol.iterator in directives;
  return isIterable ? Array.from(directives as Iterable<unknown>) : undefined;
}

export function namesInExtensions(place: Directable): readonly string[] {
  const directives = codedDirectives(place);
  // Most places of most schemas.
  if (directives === undefined) return NO_NAMES;
  const names = listedDirectives(place)?.flatMap(namesOf) ?? [];
  // What can be iterated over may have directives by name too; the places in a list are no names.
  for (const name in Object(directives)) if (!/^\d/.test(name)) names.push(name);
  return names;
}

function codedDirectives({ extensions }: Directable): unknown {
  return extensions && 'directives' in extensions ? extensions.directives : undefined;
}

/** Of an object with a name, of the pair of a map, of SDL. */
function namesOf(directive: unknown): readonly string[] {
  if (Array.isArray(directive)) return [String(directive[0])];
  if (typeof directive === 'string') return directive.match(/(?<=@)\w+/g) ?? [directive];
  return [String(Object(directive).name)];
}

/** Reads the directives of these names that a place has in its extensions. */
export function directivesInCode(
  schema: GraphQLSchema,
  place: Directable,
  names: readonly string[],
  coordinate: string,
): readonly CodedDirective[] {
  const isListed = listedDirectives(place) !== undefined;
  const found = isListed ? [] : readable(() => getDirectives(schema, { extensions: place.extensions }), coordinate);
  for (const name of names) {
    if (found.some((directive) => directive.name === name)) continue;
    throw configError(coordinate, `has @${name} in extensions.directives, but not as { ${name}: arguments }`);
  }
  return found.filter(({ name }) => names.includes(name));
}

/** Reads the arguments of a directive in SDL, defaults included. */
export function argumentsOf(schema: GraphQLSchema, node: DirectiveNode, coordinate: string): unknown {
  const place = { astNode: { kind: Kind.FIELD, name: node.name, directives: [node] } } as const;
  return readable(() => getDirectives(schema, place), coordinate, node)[0]?.args;
}

/** Says of an error in reading directives, which may have been made by hand, where they stand. */
export function readable<Read>(read: () => Read, coordinate: string, node?: DirectiveNode): Read {
  try {
    return read();
  } catch (error) {
    const problem = error instanceof Error ? error.message : '';
    throw configError(coordinate, `has a directive that cannot be read: ${problem}`, node);
  }
}
