import type { DirectiveNode, GraphQLSchema } from 'graphql';
import type { RuleMap } from '../rule-map.ts';
import { type Directable, directiveNodes, directivesInCode, namesInExtensions } from './applied-directives.ts';
import { configError } from './config-error.ts';
import { checkDeclaration } from './declaration.ts';
import { handledDirectives, looksLikeRule, refuseRenamedImports } from './directive-names.ts';
import { createDirectiveReader, type Said } from './read-directive.ts';
import { readRuleMap } from './read-rule-map.ts';
import type { RuleTable } from './rule.ts';
import type { Annotations, Application, KnownNames } from './rule-arguments.ts';

export type { Directable } from './applied-directives.ts';

export type RuleReader = (place: Directable, coordinate: string) => Annotations;

export interface RuleReaderOptions {
  readonly directiveName: string;
  readonly known: KnownNames;
  readonly rules: RuleMap;
}

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
  const read = createDirectiveReader(schema, { handled, directive, known, rules });

  const misspelt = new Map<string, boolean>();
  const seen = new Map<Directable, Annotations>();
  return (place, coordinate) => {
    const nodes = directiveNodes(place);
    const names = namesInExtensions(place);
    const inMap = coded.size === 0 ? undefined : coded.get(coordinate);
    if (nodes.length === 0 && names.length === 0) return inMap ?? NOTHING;
    const before = seen.get(place);
    if (before !== undefined) return before;
    const written = annotationsOf(place, coordinate, nodes, names);
    const annotations = inMap === undefined ? written : both(written, inMap);
    seen.set(place, annotations);
    return annotations;
  };

  function refuseMisspelt(name: string, coordinate: string, node: DirectiveNode | undefined): void {
    if (handled.has(name)) return;
    let isMeantAsRule = misspelt.get(name);
    if (isMeantAsRule === undefined) {
      const isDeclared = (schema.getDirective(name) ?? undefined) !== undefined;
      isMeantAsRule = looksLikeRule(name, handled, isDeclared);
      misspelt.set(name, isMeantAsRule);
    }
    if (isMeantAsRule) throw configError(coordinate, `has @${name}, which nothing enforces`, node);
  }

  function annotationsOf(
    place: Directable,
    coordinate: string,
    nodes: readonly DirectiveNode[],
    names: readonly string[],
  ): Annotations {
    for (const node of nodes) refuseMisspelt(node.name.value, coordinate, node);
    for (const name of names) refuseMisspelt(name, coordinate, undefined);

    const applications: Application[] = [];
    let isPublic = false;
    let publicNode: DirectiveNode | undefined;
    const add = (said: Said, node: DirectiveNode | undefined): void => {
      if (said === 'public') {
        isPublic = true;
        publicNode ??= node;
      } else if (!applications.some((other) => isSame(other, said))) {
        const { rule, stepUp, from, onDeny } = said;
        applications.push({ rule, stepUp, from, onDeny, coordinate, node });
      }
    };

    for (const node of nodes) {
      if (handled.has(node.name.value)) add(read.node(node, coordinate), node);
    }
    const inCode = names.filter((name) => handled.has(name));
    if (inCode.length > 0) {
      for (const { name, args } of directivesInCode(schema, place, inCode, coordinate)) {
        add(read.coded(name, args, coordinate), undefined);
      }
    }
    return applications.length === 0 && !isPublic ? NOTHING : { applications, isPublic, publicNode };
  }
}

/** Whether one says nothing that the other does not say. */
function isSame(a: Application, b: Exclude<Said, 'public'>): boolean {
  const isAlike = a.rule === b.rule && a.from === b.from && a.onDeny === b.onDeny;
  return isAlike && JSON.stringify(a.stepUp) === JSON.stringify(b.stepUp);
}

function both(a: Annotations, b: Annotations): Annotations {
  return {
    applications: [...a.applications, ...b.applications],
    isPublic: a.isPublic || b.isPublic,
    publicNode: a.publicNode,
  };
}
