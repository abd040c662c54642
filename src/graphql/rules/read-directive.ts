import type { DirectiveNode, GraphQLDirective, GraphQLSchema } from 'graphql';
import { isPlainObject } from '../../core/config-invalid.ts';
import { argumentsOf, readable } from './applied-directives.ts';
import { configError } from './config-error.ts';
import { checkDefaults } from './declaration.ts';
import type { DirectiveKind } from './directive-names.ts';
import type { RuleTable } from './rule.ts';
import { type Application, type KnownNames, readArguments, readFederated, refuseFlatLists } from './rule-arguments.ts';
import { refuseMaybeMerged, refuseMerged, writtenIn } from './written-directive.ts';

/** What one directive says of the place where it stands, whichever that is. */
export type Said = 'public' | Pick<Application, 'rule' | 'stepUp' | 'from' | 'onDeny'>;

export interface DirectiveReader {
  node(node: DirectiveNode, coordinate: string): Said;
  /** One that was written in code, with arguments that may be anything. */
  coded(name: string, args: unknown, coordinate: string): Said;
}

export interface DirectiveReaderOptions {
  readonly handled: ReadonlyMap<string, DirectiveKind>;
  /** As the schema declares it. */
  readonly directive: GraphQLDirective | undefined;
  readonly known: KnownNames;
  readonly rules: RuleTable;
}

const AUTHENTICATED = { stepUp: undefined, from: undefined, onDeny: undefined };

/** Makes the functions that read directives. What many places say in the same words is read once. */
export function createDirectiveReader(
  schema: GraphQLSchema,
  { handled, directive, known, rules }: DirectiveReaderOptions,
): DirectiveReader {
  const said = new Map<string, Said>();

  return {
    node(node, coordinate) {
      const name = node.name.value;
      const refuse = refusal(coordinate, name, node);
      const written = readable(() => writtenIn(node), coordinate, node);
      // What only the text shows: merging makes one list of two, and coercion a list of a value.
      refuseMerged(written, refuse);
      refuseMaybeMerged(node, written, schema.getDirective(name) ?? undefined, refuse);
      const before = said.get(written.text);
      if (before !== undefined) return before;
      refuseFlatLists(node, refuse);
      const read = meaning(name, argumentsOf(schema, node, coordinate), refuse);
      said.set(written.text, read);
      return read;
    },
    coded: (name, args, coordinate) => meaning(name, args, refusal(coordinate, name, undefined)),
  };

  function meaning(name: string, args: unknown, refuse: (problem: string) => never): Said {
    const values = isPlainObject(args)
      ? Object.fromEntries(Object.entries(args))
      : refuse('has no object of arguments');
    const kind = handled.get(name);
    switch (kind) {
      case 'auth':
        checkDefaults(directive, values, refuse);
        return readArguments(values, directive, rules, known, refuse);
      case 'requiresScopes':
      case 'policy':
        return { ...AUTHENTICATED, rule: readFederated(values, kind, rules, known, refuse) };
      case 'authenticated':
      case 'public':
        if (Object.keys(values).length > 0) refuse('takes no arguments');
        return kind === 'public' ? kind : { ...AUTHENTICATED, rule: rules.authenticated };
      default:
        return refuse('is no directive that is enforced');
    }
  }
}

function refusal(coordinate: string, name: string, node: DirectiveNode | undefined): (problem: string) => never {
  return (problem) => {
    throw configError(coordinate, `@${name} ${problem}`, node);
  };
}
