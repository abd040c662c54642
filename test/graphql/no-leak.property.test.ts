import { makeExecutableSchema } from '@graphql-tools/schema';
import { allow, deny } from 'doorward';
import { authDirectives, protectSchema } from 'doorward/graphql';
import fc from 'fast-check';
import { type ExecutionResult, execute, parse } from 'graphql';
import { expect, test } from 'vitest';
import { contextOf, principal } from './support.ts';

/** Every place of a small schema of all kinds of types may carry a permission of its own, `p<index>`. */
const places = [
  'type A',
  'A.x',
  'A.next',
  'type B',
  'B.x',
  'interface I',
  'I.x',
  'union U',
  'scalar S',
  'Query.a',
  'Query.i',
  'Query.u',
  'Query.list',
  'A.s',
] as const;
type Place = (typeof places)[number];

function sdl(guarded: ReadonlySet<Place>): string {
  const at = (place: Place): string => (guarded.has(place) ? `@auth(permissions: ["p${places.indexOf(place)}"])` : '');
  return `
    scalar S ${at('scalar S')}
    interface I ${at('interface I')} { x: String ${at('I.x')} }
    type A implements I ${at('type A')} { x: String ${at('A.x')} next: A ${at('A.next')} s: S ${at('A.s')} }
    type B implements I ${at('type B')} { x: String ${at('B.x')} }
    union U ${at('union U')} = A | B
    type Query { a: A ${at('Query.a')} i(b: Boolean): I ${at('Query.i')} u(b: Boolean): U ${at('Query.u')} list: [I] ${at('Query.list')} }
  `;
}

/** What must be permitted before the resolver of a field may run: said here a second time, by hand. */
const needs: Readonly<Record<string, readonly Place[]>> = {
  'A.x': ['type A', 'interface I', 'I.x', 'A.x'],
  'A.next': ['type A', 'interface I', 'A.next'],
  'A.s': ['type A', 'interface I', 'A.s', 'scalar S'],
  'B.x': ['type B', 'interface I', 'I.x', 'B.x'],
  'Query.a': ['Query.a', 'type A', 'interface I'],
  'Query.i': ['Query.i', 'interface I'],
  'Query.u': ['Query.u', 'union U'],
  'Query.list': ['Query.list', 'interface I'],
};

const queries = [
  '{ a { x s next { x next { x s } } } }',
  '{ i { x } j: i(b: true) { x ... on B { y: x } } }',
  '{ i { __typename ... on A { x s next { x } } } }',
  '{ u { ...F } v: u(b: true) { ... on B { x } ...F } list { x __typename } } fragment F on A { z: x s next { s } }',
  '{ list { ... on I { x } ... on A { next { next { s } } } } }',
];

test('no resolver of a guarded field runs without a decision that allows it, wherever rules are put and however it is asked', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(fc.constantFrom(...places)),
      fc.uniqueArray(fc.constantFrom(...places)),
      fc.constantFrom(...queries),
      fc.boolean(),
      fc.boolean(),
      async (guardedPlaces, permittedPlaces, query, isAnonymous, isAsync) => {
        const guarded = new Set(guardedPlaces);
        const permitted = new Set(permittedPlaces.map((place) => `p${places.indexOf(place)}`));
        const ran: string[] = [];
        const runs =
          (coordinate: string, value: (args: { b?: boolean }) => unknown) => (_: unknown, args: { b?: boolean }) => {
            ran.push(coordinate);
            return value(args);
          };
        const a = { __typename: 'A' };
        const b = { __typename: 'B' };
        const schema = makeExecutableSchema({
          typeDefs: [authDirectives(), sdl(guarded)],
          resolvers: {
            Query: {
              a: runs('Query.a', () => a),
              i: runs('Query.i', (args) => (args.b ? b : a)),
              u: runs('Query.u', (args) => (args.b ? b : a)),
              list: runs('Query.list', () => [a, b]),
            },
            A: { x: runs('A.x', () => 'x'), next: runs('A.next', () => a), s: runs('A.s', () => 's') },
            B: { x: runs('B.x', () => 'x') },
          },
        });
        const decided = ({ action }: { action: string }) =>
          permitted.has(action) ? allow('permission') : deny('no_permission');
        const pdp = { decide: isAsync ? async (request: { action: string }) => decided(request) : decided };
        const result: ExecutionResult = await execute({
          schema: protectSchema(schema, { pdp }),
          document: parse(query),
          contextValue: contextOf(isAnonymous ? undefined : principal('p')),
        });

        const isOpen = (coordinate: string): boolean =>
          (needs[coordinate] ?? [])
            .filter((place) => guarded.has(place))
            .every((place) => !isAnonymous && permitted.has(`p${places.indexOf(place)}`));
        expect(ran.filter((coordinate) => !isOpen(coordinate))).toEqual([]);
        for (const [place, name] of [
          ['type A', 'A'],
          ['type B', 'B'],
        ] as const) {
          const isHidden = guarded.has(place) && (isAnonymous || !permitted.has(`p${places.indexOf(place)}`));
          if (isHidden) expect(JSON.stringify(result.data)).not.toContain(`"__typename":"${name}"`);
        }
        const nothingDenied = [...guarded].every((place) => !isAnonymous && permitted.has(`p${places.indexOf(place)}`));
        if (nothingDenied) expect(result.errors).toBeUndefined();
      },
    ),
    { numRuns: 300 },
  );
});
