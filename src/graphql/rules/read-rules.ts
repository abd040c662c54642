import type { DirectiveNode, GraphQLSchema } from 'graphql';
import { isPlainObject } from '../../core/config-invalid.ts';
import type { RuleMap } from '../rule-map.ts';
import {
  type AppliedDirective,
  appliedDirectives,
  type Directable,
  directiveNodes,
  listedDirectives,
  namesInExtensions,
} from './applied-directives.ts';
import { configError } from './config-error.ts';
import { checkDeclaration, checkDefaults } from './declaration.ts';
import { handledDirectives, looksLikeRule, refuseRenamedImports } from './directive-names.ts';
import { refuseMaybeMerged, refuseMerged } from './merged-directives.ts';
import { readRuleMap } from './read-rule-map.ts';
import type { RuleTable } from './rule.ts';
import {
  type Annotations,
  type Application,
  type KnownNames,
  readArguments,
  readFederated,
  refuseFlatLists,
} from './rule-arguments.ts';

export type { Directable } from './applied-directives.ts';

export type RuleReader = (place: Directable, coordinate: string) => Annotations;

export interface RuleReaderOptions {
  readonly directiveName: string;
  readonly known: KnownNames;
  readonly rules: RuleMap;
}

const AUTHENTICATED = { stepUp: undefined, from: undefined, onDeny: undefined };
const NOTHING: Annotations = { applications: [], isPublic: false };

/**
 * Makes the function that reads the rules of one place, each place once, and refuses what could be a rule but
 * is not enforced.
 */
export function createRuleReader(
  schema: GraphQLSchema,
  { directiveName, known, rules: map }: RuleReaderOptions,
  rules: RuleTable,
): RuleReader {
  const handled = handledDirectives(directiveName);
  const directive = schema.getDirective(directiveName) ?? undefined;
  if (directive !== undefined) checkDeclaration(directive);
  refuseRenamedImports(schema);
  const coded = readRuleMap(schema, map, rules, known);

  const misspelt = new Map<string, boolean>();
  const seen = new Map<Directable, Annotations>();
  return (place, coordinate) => {
    const before = seen.get(place);
    if (before !== undefined) return before;
    const nodes = directiveNodes(place);
    const names = namesInExtensions(place);
    const inMap = coded.size === 0 ? undefined : coded.get(coordinate);
    if (nodes.length === 0 && names.length === 0) return inMap ?? NOTHING;
    const written = annotationsOf(place, coordinate, nodes, names);
    const annotations = inMap === undefined ? written : both(written, inMap);
    seen.set(place, annotations);
    return annotations;
  };

  function isMisspelt(name: string): boolean {
    const known = misspelt.get(name);
    if (known !== undefined) return known;
    const isDeclared = (schema.getDirective(name) ?? undefined) !== undefined;
    const answer = looksLikeRule(name, handled, isDeclared);
    misspelt.set(name, answer);
    return answer;
  }

  function annotationsOf(
    place: Directable,
    coordinate: string,
    nodes: readonly DirectiveNode[],
    names: readonly string[],
  ): Annotations {
    const applied = new Set([...nodes.map((node) => node.name.value), ...names]);
    for (const name of applied) {
      if (handled.has(name) || !isMisspelt(name)) continue;
      const node = nodes.find((candidate) => candidate.name.value === name);
      throw configError(coordinate, `has @${name}, which nothing enforces`, node);
    }
    const ours = nodes.filter((node) => handled.has(node.name.value));
    if (ours.length === 0 && !names.some((name) => handled.has(name))) return NOTHING;

    for (const node of ours) checkNode(node, coordinate);
    const found = appliedDirectives(schema, place, coordinate, ours[0]);
    const isListed = listedDirectives(place) !== undefined;
    for (const name of names) {
      if (handled.has(name) && (isListed || !found.some((application) => application.name === name))) {
        throw configError(coordinate, `has @${name} in extensions.directives, but not as { ${name}: arguments }`);
      }
    }
    return applicationsOf(found, coordinate, ours);
  }

  function applicationsOf(
    found: readonly AppliedDirective[],
    coordinate: string,
    nodes: readonly DirectiveNode[],
  ): Annotations {
    const applications: Application[] = [];
    const publicNodes: (DirectiveNode | undefined)[] = [];
    const unread = [...nodes];
    for (const { name, args } of found) {
      const kind = handled.get(name);
      const index = unread.findIndex((candidate) => candidate.name.value === name);
      const [node] = index < 0 ? [] : unread.splice(index, 1);
      const refuse = refusal(coordinate, name, node);
      const place = { coordinate, node };
      if (kind === undefined) continue;
      const values = isPlainObject(args)
        ? Object.fromEntries(Object.entries(args))
        : refuse('has no object of arguments');
      switch (kind) {
        case 'auth':
          checkDefaults(directive, values, refuse);
          applications.push({ ...readArguments(values, directive, rules, known, refuse), ...place });
          break;
        case 'requiresScopes':
        case 'policy':
          applications.push({ ...AUTHENTICATED, rule: readFederated(values, kind, rules, known, refuse), ...place });
          break;
        case 'authenticated':
        case 'public':
          if (Object.keys(values).length > 0) refuse('takes no arguments');
          if (kind === 'public') publicNodes.push(node);
          else applications.push({ ...AUTHENTICATED, rule: rules.authenticated, ...place });
      }
    }
    return { applications, isPublic: publicNodes.length > 0, publicNode: publicNodes[0] };
  }

  /** What only the text shows: coercion makes a list of a value, and merging one list of two. */
  function checkNode(node: DirectiveNode, coordinate: string): void {
    const name = node.name.value;
    const refuse = refusal(coordinate, name, node);
    refuseMerged(node, refuse);
    refuseMaybeMerged(node, schema.getDirective(name) ?? undefined, refuse);
    refuseFlatLists(node, refuse);
  }
}

function refusal(coordinate: string, name: string, node: DirectiveNode | undefined): (problem: string) => never {
  return (problem) => {
    throw configError(coordinate, `@${name} ${problem}`, node);
  };
}

function both(a: Annotations, b: Annotations): Annotations {
  return {
    applications: [...a.applications, ...b.applications],
    isPublic: a.isPublic || b.isPublic,
    publicNode: a.publicNode,
  };
}
