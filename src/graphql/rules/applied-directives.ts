import { getDirectives } from '@graphql-tools/utils';
import type { ASTNode, DirectiveNode, GraphQLSchema } from 'graphql';
import { configError } from './config-error.ts';

type DirectableNode = ASTNode & { readonly directives?: readonly DirectiveNode[] | undefined };

/** A type, field, argument, input field or enum value: whatever SDL can put a directive on. */
export interface Directable {
  readonly astNode?: DirectableNode | null | undefined;
  readonly extensionASTNodes?: readonly DirectableNode[] | null | undefined;
  readonly extensions?: object | null | undefined;
}

/** A directive with its arguments, defaults included; in extensions they may be anything. */
export interface AppliedDirective {
  readonly name: string;
  readonly args?: unknown;
}

export function directiveNodes(place: Directable): readonly DirectiveNode[] {
  const own = place.astNode?.directives ?? [];
  const extensions = place.extensionASTNodes ?? [];
  return extensions.length === 0 ? own : [...own, ...extensions.flatMap((node) => node.directives ?? [])];
}

/** Directives in another shape than by name, as some libraries write them; graphql-tools reads none of these. */
export function listedDirectives(place: Directable): readonly unknown[] | undefined {
  const directives = codedDirectives(place);
  if (typeof directives === 'string') return [directives];
  const isIterable = typeof directives === 'object' && directives !== null && Symbol.iterator in directives;
  return isIterable ? Array.from(directives as Iterable<unknown>) : undefined;
}

export function namesInExtensions(place: Directable): readonly string[] {
  const listed = listedDirectives(place);
  if (listed !== undefined) return listed.flatMap(namesOf);
  const names: string[] = [];
  for (const name in Object(codedDirectives(place))) names.push(name);
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

/** Reads what is applied to a place, in SDL and in its extensions. */
export function appliedDirectives(
  schema: GraphQLSchema,
  place: Directable,
  coordinate: string,
  node: DirectiveNode | undefined,
): readonly AppliedDirective[] {
  try {
    return getDirectives(schema, place);
  } catch (error) {
    const problem = error instanceof Error ? error.message : '';
    throw configError(coordinate, `has a directive that cannot be read: ${problem}`, node);
  }
}
