import { type DirectiveNode, type GraphQLSchema, Kind, type ValueNode } from 'graphql';
import { configError } from './config-error.ts';

/** What a directive says, whatever it is called. */
export type DirectiveKind = 'auth' | 'public' | FederatedKind;
/** The directives of Apollo Federation that say who may read something. */
export type FederatedKind = 'authenticated' | 'requiresScopes' | 'policy';

export const FEDERATED: readonly FederatedKind[] = ['authenticated', 'requiresScopes', 'policy'];
/** What people write for a rule and this library does not read; compared without case and underscores. */
const FOREIGN: ReadonlySet<string> = new Set([
  'public',
  'policy',
  'policies',
  'requirescope',
  'requirescopes',
  'requiresscope',
  'requiresscopes',
]);

/** The directives that are enforced, by name; a subgraph that imports none has them as `@federation__policy`. */
export function handledDirectives(directiveName: string): ReadonlyMap<string, DirectiveKind> {
  return new Map<string, DirectiveKind>([
    ['public', 'public'],
    ...FEDERATED.flatMap((kind): [string, DirectiveKind][] => [
      [kind, kind],
      [`federation__${kind}`, kind],
    ]),
    [directiveName, 'auth'],
  ]);
}

/** Whether a directive that nothing enforces was surely meant as a rule: a rule with a typing error is none. */
export function looksLikeRule(name: string, handled: ReadonlyMap<string, DirectiveKind>, isDeclared: boolean): boolean {
  const folded = (name.split('__').at(-1) ?? name).toLowerCase().replaceAll('_', '');
  if (/^_*auth/i.test(name) || folded.startsWith('auth') || FOREIGN.has(folded)) return true;
  const names = [...handled.keys()].map((each) => each.toLowerCase());
  // Declared under this very name it is a directive of its own, however much it resembles one of these.
  return names.includes(folded) || (!isDeclared && names.some((each) => isOneEditApart(each, folded)));
}

/** Refuses `@link(import: [{ name: "@policy", as: "@other" }])`: what is applied then is `@other`, which is no rule. */
export function refuseRenamedImports(schema: GraphQLSchema): void {
  const nodes = [schema.astNode, ...schema.extensionASTNodes].flatMap((node) => node?.directives ?? []);
  for (const node of nodes.filter(({ name }) => name.value === 'link')) {
    for (const [name, alias] of importsOf(node)) {
      if (!FEDERATED.some((kind) => name === `@${kind}`) || alias === name) continue;
      throw configError('schema', `imports ${name} as ${alias}, which nothing enforces`, node);
    }
  }
}

function importsOf(link: DirectiveNode): readonly (readonly [name: string, alias: string])[] {
  const imports = link.arguments?.find(({ name }) => name.value === 'import')?.value;
  const items = imports?.kind === Kind.LIST ? imports.values : [];
  return items.flatMap((item) => {
    if (item.kind !== Kind.OBJECT) return [];
    const text = (field: string): string => textOf(item.fields.find(({ name }) => name.value === field)?.value);
    const name = text('name');
    return [[name, text('as') || name] as const];
  });
}

function textOf(value: ValueNode | undefined): string {
  return value?.kind === Kind.STRING ? value.value : '';
}

/** Whether one letter more, less, changed, or two neighbours swapped make one text of the other. */
function isOneEditApart(a: string, b: string): boolean {
  const shorter = Math.min(a.length, b.length);
  let start = 0;
  while (start < shorter && a[start] === b[start]) start++;
  let end = 0;
  while (end < shorter - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  const [left, right] = [a.slice(start, a.length - end), b.slice(start, b.length - end)];
  if (left.length <= 1 && right.length <= 1) return true;
  return left.length === 2 && right === `${left[1]}${left[0]}`;
}
