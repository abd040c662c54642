import type { GraphQLArgument, GraphQLDirective } from 'graphql';
import { AUTH_ARGUMENTS } from '../directives.ts';
import { configError } from './config-error.ts';

/** Lists of alternatives: joined ones let through more. */
const LISTS: ReadonlySet<string> = new Set(['roles', 'scopes', 'policy', 'acr']);

/** Someone else's `@auth` declaration works too, as far as it says nothing that is not understood. */
export function checkDeclaration(directive: GraphQLDirective): void {
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
export function checkDefaults(
  directive: GraphQLDirective | undefined,
  values: Readonly<Record<string, unknown>>,
  refuse: (problem: string) => never,
): void {
  for (const arg of directive?.args ?? []) {
    if (values[arg.name] === undefined && hasDefault(arg)) refuse(`lost the default of ${arg.name}`);
  }
}

/** graphql 16 keeps a default in `defaultValue`, graphql 17 in `default`. */
export function hasDefault(arg: GraphQLArgument): boolean {
  return Reflect.get(arg, 'defaultValue') !== undefined || Reflect.get(arg, 'default') !== undefined;
}
