import { getDirectives } from '@graphql-tools/utils';
import type { ASTNode, DirectiveNode, GraphQLArgument, GraphQLDirective, GraphQLSchema } from 'graphql';
import { configError } from './config-error.ts';
import { AUTH_ARGUMENTS } from './directives.ts';
import type { RuleTable } from './rule.ts';
import { type Application, type KnownNames, readArguments, refuseFlatLists } from './rule-arguments.ts';

type DirectableNode = ASTNode & { readonly directives?: readonly DirectiveNode[] | undefined };

/** A type, field, argument, input field or enum value: whatever SDL can put a directive on. */
export interface Directable {
  readonly astNode?: DirectableNode | null | undefined;
  readonly extensionASTNodes?: readonly DirectableNode[] | null | undefined;
  readonly extensions?: object | null | undefined;
}

/** What one place of the SDL says. */
export interface Annotations {
  readonly applications: readonly Application[];
  readonly isPublic: boolean;
}

export type RuleReader = (place: Directable, coordinate: string) => Annotations;

const AUTHENTICATED = { stepUp: undefined, from: undefined, onDeny: undefined };
const NOTHING: Annotations = { applications: [], isPublic: false };
/** Lists of alternatives: joined ones let through more. */
const LISTS: ReadonlySet<string> = new Set(['roles', 'scopes', 'policy', 'acr']);
/** Directives of other libraries that say who may read something; nothing here enforces them. */
const FOREIGN: ReadonlySet<string> = new Set(['policy', 'requiresscopes']);

/**
 * Makes the function that reads the rules of one place, each place once, and refuses what could be a rule but
 * is not enforced.
 */
export function createRuleReader(
  schema: GraphQLSchema,
  directiveName: string,
  rules: RuleTable,
  known: KnownNames,
): RuleReader {
  const handled: ReadonlySet<string> = new Set([directiveName, 'authenticated', 'public']);
  const directive = schema.getDirective(directiveName) ?? undefined;
  if (directive !== undefined) checkDeclaration(directive);

  const seen = new Map<Directable, Annotations>();
  return (place, coordinate) => {
    const known = seen.get(place);
    if (known !== undefined) return known;
    const nodes = directiveNodes(place);
    const names = namesInExtensions(place);
    if (nodes.length === 0 && names.length === 0) return NOTHING;
    const annotations = annotationsOf(place, coordinate, nodes, names);
    seen.set(place, annotations);
    return annotations;
  };

  function annotationsOf(
    place: Directable,
    coordinate: string,
    nodes: readonly DirectiveNode[],
    names: readonly string[],
  ): Annotations {
    const applied = new Set([...nodes.map((node) => node.name.value), ...names]);
    for (const name of applied) {
      if (handled.has(name) || !looksLikeOurs(name)) continue;
      throw configError(
        coordinate,
        `has @${name}, which nothing enforces`,
        nodes.find((node) => node.name.value === name),
      );
    }
    if (![...handled].some((name) => applied.has(name))) return NOTHING;

    const found = read(schema, place, coordinate);
    const isListed = Array.isArray(codedDirectives(place));
    for (const name of names) {
      if (handled.has(name) && (isListed || !found.some((application) => application.name === name))) {
        throw configError(coordinate, `has @${name} in extensions.directives, but not as { ${name}: arguments }`);
      }
    }
    const applications: Application[] = [];
    let isPublic = false;
    const unread = [...nodes];
    for (const { name, args } of found) {
      if (!handled.has(name)) continue;
      const index = unread.findIndex((candidate) => candidate.name.value === name);
      const [node] = index < 0 ? [] : unread.splice(index, 1);
      const refuse = (problem: string): never => {
        throw configError(coordinate, `@${name} ${problem}`, node);
      };
      const values = args ?? {};
      if (name === directiveName) {
        checkDefaults(directive, values, refuse);
        applications.push({ ...readArguments(values, directive, rules, known, refuse), coordinate, node });
        continue;
      }
      if (Object.keys(values).length > 0) refuse('takes no arguments');
      if (name === 'public') isPublic = true;
      else applications.push({ ...AUTHENTICATED, rule: rules.authenticated, coordinate, node });
    }
    for (const node of nodes) {
      if (node.name.value !== directiveName) continue;
      refuseFlatLists(node, (problem) => {
        throw configError(coordinate, `@${directiveName} ${problem}`, node);
      });
    }
    return { applications, isPublic };
  }

  function looksLikeOurs(name: string): boolean {
    const folded = name.toLowerCase().replaceAll('_', '');
    return (
      folded.startsWith('auth') || folded === 'public' || folded === directiveName.toLowerCase() || FOREIGN.has(folded)
    );
  }
}

function directiveNodes(place: Directable): readonly DirectiveNode[] {
  const own = place.astNode?.directives ?? [];
  const extensions = place.extensionASTNodes ?? [];
  return extensions.length === 0 ? own : [...own, ...extensions.flatMap((node) => node.directives ?? [])];
}

function codedDirectives({ extensions }: Directable): unknown {
  return extensions && 'directives' in extensions ? extensions.directives : undefined;
}

/** Also the names of a list of names and arguments, which some libraries write and graphql-tools does not read. */
function namesInExtensions(place: Directable): readonly string[] {
  const directives = codedDirectives(place);
  if (Array.isArray(directives)) return directives.map((directive: unknown) => String(Object(directive).name));
  const names: string[] = [];
  for (const name in Object(directives)) names.push(name);
  return names;
}

function read(
  schema: GraphQLSchema,
  place: Directable,
  coordinate: string,
): readonly { name: string; args?: Record<string, unknown> }[] {
  try {
    return getDirectives(schema, place);
  } catch (error) {
    throw configError(
      coordinate,
      `has a directive that cannot be read: ${error instanceof Error ? error.message : ''}`,
    );
  }
}

/** Someone else's `@auth` declaration works too, as far as it says nothing that is not understood. */
function checkDeclaration(directive: GraphQLDirective): void {
  const coordinate = `@${directive.name}`;
  for (const { name } of directive.args) {
    if (!AUTH_ARGUMENTS.has(name)) {
      throw configError(coordinate, `declares an argument that nothing handles: ${name}`);
    }
  }
  const list = directive.args.find(({ name }) => LISTS.has(name));
  if (!directive.isRepeatable && list !== undefined) {
    throw configError(
      coordinate,
      `must be declared repeatable, since merged type definitions would join the lists of ${list.name} into one that lets through more`,
    );
  }
}

/** A default that was not applied would turn a role into "whoever is authenticated". */
function checkDefaults(
  directive: GraphQLDirective | undefined,
  values: Readonly<Record<string, unknown>>,
  refuse: (problem: string) => never,
): void {
  for (const arg of directive?.args ?? []) {
    if (values[arg.name] === undefined && hasDefault(arg)) refuse(`lost the default of ${arg.name}`);
  }
}

/** graphql 16 keeps a default in `defaultValue`, graphql 17 in `default`. */
function hasDefault(arg: GraphQLArgument): boolean {
  return Reflect.get(arg, 'defaultValue') !== undefined || Reflect.get(arg, 'default') !== undefined;
}
