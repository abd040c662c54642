import { mergeTypeDefs } from '@graphql-tools/merge';
import { makeExecutableSchema } from '@graphql-tools/schema';
import { isDoorwardError, type Principal } from 'doorward';
import { authDirectives, protectSchema } from 'doorward/graphql';
import { buildASTSchema, type DocumentNode, type GraphQLSchema, parse } from 'graphql';
import { describe, expect, test } from 'vitest';
import { anonymous, ask, type Resolvers, roleTable, viewer } from './support.ts';

/** How Apollo Federation declares them: not repeatable. */
const SUBGRAPH = `
  directive @authenticated on FIELD_DEFINITION | OBJECT | INTERFACE | SCALAR | ENUM
  directive @requiresScopes(scopes: [[federation__Scope!]!]!) on FIELD_DEFINITION | OBJECT | INTERFACE | SCALAR | ENUM
  directive @policy(policies: [[federation__Policy!]!]!) on FIELD_DEFINITION | OBJECT | INTERFACE | SCALAR | ENUM
  scalar federation__Scope
  scalar federation__Policy
`;
const policies = { yes: () => true, no: () => false };
const resolvers = { Query: { a: () => 'a', b: () => 'b' } };

const protect = (schema: GraphQLSchema): GraphQLSchema => protectSchema(schema, { pdp: roleTable(), policies });
const made = (typeDefs: readonly (string | DocumentNode)[], more: Resolvers = resolvers): GraphQLSchema =>
  protect(
    makeExecutableSchema({
      typeDefs: [...typeDefs],
      resolvers: more,
      resolverValidationOptions: { requireResolversToMatchSchema: 'ignore' },
    }),
  );

function problemOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (isDoorwardError(error) && error.code === 'CONFIG_INVALID') return error.message;
    throw error;
  }
  return 'no error';
}

function withScopes(...scopes: readonly string[]): Principal {
  return { ...viewer, id: `v-${scopes.join()}`, scopes };
}

describe.each([
  ['as authDirectives declares them', authDirectives()],
  ['as a subgraph declares them', SUBGRAPH],
  [
    'by the names that nobody imported',
    SUBGRAPH.replaceAll(/@(\w+)/g, '@federation__$1'),
    (sdl: string) => sdl.replaceAll(/@(\w+)/g, '@federation__$1'),
  ],
])('the directives of Apollo Federation, %s', (_, declarations, named = (sdl: string) => sdl) => {
  const build = (sdl: string): GraphQLSchema => made([declarations, named(sdl)]);

  test('@requiresScopes takes all scopes of any list', async () => {
    const schema = build('type Query { a: String @requiresScopes(scopes: [["x", "y"], ["z"]]) b: String }');
    const outcome = async (who: Principal | undefined) => (await ask(schema, who, '{ a b }')).errors;
    expect(await outcome(withScopes('x', 'y'))).toEqual([]);
    expect(await outcome(withScopes('z'))).toEqual([]);
    expect(await outcome(withScopes('x'))).toEqual(['a: FORBIDDEN']);
    expect(await outcome(viewer)).toEqual(['a: FORBIDDEN']);
    expect(await outcome(anonymous)).toEqual(['a: UNAUTHENTICATED']);
  });

  test('@policy takes all policies of any list', async () => {
    const schema = build(
      'type Query { a: String @policy(policies: [["yes", "no"], ["yes"]]) b: String @policy(policies: [["yes", "no"]]) }',
    );
    expect(await ask(schema, viewer, '{ a b }')).toMatchObject({ data: { a: 'a', b: null }, errors: ['b: FORBIDDEN'] });
  });

  test('they add up with each other, on a type, an interface and what is returned', async () => {
    const schema = build(`
      type Query @requiresScopes(scopes: [["x"]]) { a: Money @authenticated b: String }
      scalar Money @requiresScopes(scopes: [["y"]])
    `);
    expect((await ask(schema, withScopes('x'), '{ a b }')).errors).toEqual(['a: FORBIDDEN']);
    expect((await ask(schema, withScopes('y'), '{ a b }')).errors).toEqual(['a: FORBIDDEN', 'b: FORBIDDEN']);
    expect((await ask(schema, withScopes('x', 'y'), '{ a b }')).errors).toEqual([]);
  });

  test.each([
    ['requiresScopes(scopes: [[]])', 'scopes must not be empty'],
    ['requiresScopes(scopes: [])', 'scopes must not be empty'],
    ['requiresScopes(scopes: ["a", "b"])', 'scopes must be a list of lists'],
    ['requiresScopes(scopes: "a")', 'scopes must be a list of lists'],
    ['requiresScopes(scopes: [["a"], "b"])', 'scopes must be a list of lists'],
    ['requiresScopes(scopes: [[""]])', 'scope'],
    ['policy(policies: [["q"]])', 'names an unknown policy: q'],
    ['policy(policies: [["toString"]])', 'names an unknown policy: toString'],
    ['policy(policies: [["yes"], []])', 'policies must not be empty'],
    ['policy(policies: ["yes", "no"])', 'policies must be a list of lists'],
  ])('DIR-05 @%s does not build', (application, problem) => {
    const message = problemOf(() => build(`type Query {\n  a: String\n  b: String @${application}\n}`));
    expect(message).toContain(problem);
    expect(message).toMatch(/^Query\.b .*\(SDL line 3\)$/);
  });
});

describe('row 6 two modules that annotate one field', () => {
  const modules = [
    'type Query { a: String @requiresScopes(scopes: [["x"]]) b: String @policy(policies: [["yes"]]) }',
    'type Query { a: String @requiresScopes(scopes: [["y"]]) b: String @policy(policies: [["no"]]) }',
  ];
  const extended = [modules[0] ?? '', (modules[1] ?? '').replace('type', 'extend type')];
  const MERGED = /^Query\.a @requiresScopes was written in two places and merged into one.*\(SDL line 1\)$/;

  test.each([
    ['typed twice', modules],
    ['extended', extended],
  ])('%s, must satisfy both where they are repeatable', async (_, typeDefs) => {
    const schema = made([authDirectives(), ...typeDefs]);
    expect((await ask(schema, withScopes('x'), '{ a b }')).errors).toEqual(['a: FORBIDDEN', 'b: FORBIDDEN']);
    expect((await ask(schema, withScopes('y'), '{ a }')).errors).toEqual(['a: FORBIDDEN']);
    expect((await ask(schema, withScopes('x', 'y'), '{ a }')).errors).toEqual([]);
  });

  test.each([
    ['typed twice', modules],
    ['extended', extended],
  ])('%s, do not build where merging made one list of two', (_, typeDefs) => {
    expect(problemOf(() => made([SUBGRAPH, ...typeDefs]))).toMatch(MERGED);
    expect(problemOf(() => made([SUBGRAPH, ...typeDefs.map((sdl) => parse(sdl))]))).toMatch(MERGED);
  });

  test('nor where they lie at the same offsets of two files', () => {
    const padded = ['type Query { a: String @requiresScopes(scopes: [["x"],    ["z"]]) }', modules[1] ?? ''];
    expect(problemOf(() => made([SUBGRAPH, ...padded]))).toMatch(MERGED);
  });

  test('nor where the merging did not know that they are repeatable', () => {
    const merged = mergeTypeDefs([...modules]);
    expect(problemOf(() => made([authDirectives(), merged]))).toMatch(MERGED);
    const auth = modules.map((sdl) =>
      sdl.replaceAll('requiresScopes', 'auth').replaceAll('policy(policies', 'auth(policy'),
    );
    expect(problemOf(() => made([authDirectives(), mergeTypeDefs(auth)]))).toMatch(
      /^Query\.a @auth was written in two/,
    );
  });

  test('nor where both places are in one file', () => {
    expect(problemOf(() => made([SUBGRAPH, mergeTypeDefs([extended.join(' ')])]))).toMatch(MERGED);
  });

  test('nor where the nodes do not say where they are from, and there are alternatives', () => {
    const bare = (sdl: string) => parse(sdl, { noLocation: true });
    expect(problemOf(() => made([bare(SUBGRAPH), ...modules.map(bare)]))).toMatch(
      /^Query\.a @requiresScopes has alternatives that may have been merged from two places/,
    );
    const single = bare('type Query { a: String @requiresScopes(scopes: [["x", "y"]]) }');
    expect(problemOf(() => made([bare(SUBGRAPH), single]))).toBe('no error');
    const alternatives = bare('type Query { a: String @requiresScopes(scopes: [["x"], ["y"]]) }');
    expect(problemOf(() => made([bare(SUBGRAPH), alternatives]))).toContain('parse the SDL with locations');
    expect(problemOf(() => made([authDirectives(), alternatives]))).toBe('no error');
  });

  test('one of which says nothing, build', async () => {
    const schema = made([SUBGRAPH, modules[0] ?? '', 'type Query { a: String }']);
    expect((await ask(schema, viewer, '{ a b }')).errors).toEqual(['a: FORBIDDEN']);
  });

  test('of @auth as graphql-tools documents it, where merging kept the last role', () => {
    const documented = `directive @auth(requires: String = "admin") on OBJECT | FIELD_DEFINITION`;
    const roles = [
      'type Query { a: String @auth(requires: "admin") }',
      'type Query { a: String @auth(requires: "viewer") }',
    ];
    expect(problemOf(() => made([documented, ...roles], {}))).toMatch(/^Query\.a @auth was written in two places/);
    const bare = ['type Query { a: String @auth }', 'type Query { a: String @auth(requires: "viewer") }'];
    expect(problemOf(() => made([documented, ...bare], {}))).toMatch(/^Query\.a @auth was written in two places/);
    expect(problemOf(() => made([documented, roles[0] ?? ''], {}))).toBe('no error');
  });

  test('of a type and its extension, kept apart by buildASTSchema, must satisfy both', async () => {
    const sdl =
      'type Query @requiresScopes(scopes: [["x"]]) { a: String } extend type Query @requiresScopes(scopes: [["y"]])';
    const schema = protect(buildASTSchema(parse(SUBGRAPH + sdl), { assumeValidSDL: true }));
    expect((await ask(schema, withScopes('x'), '{ a }')).errors).toEqual(['a: FORBIDDEN']);
    expect((await ask(schema, withScopes('x', 'y'), '{ a }')).errors).toEqual([]);
  });
});

describe('a subgraph', () => {
  const LINK = `directive @link(url: String!, as: String, import: [link__Import]) repeatable on SCHEMA scalar link__Import`;
  const url = 'https://specs.apollo.dev/federation/v2.9';
  const link = (imports: string) =>
    problemOf(() =>
      made([SUBGRAPH, LINK, `extend schema\n@link(url: "${url}", import: [${imports}]) type Query { a: String }`]),
    );

  test('that imports a directive under another name does not build', () => {
    expect(link('"@key", "@policy", "@requiresScopes", { name: "@key", as: "@primary" }')).toBe('no error');
    expect(link('{ name: "@policy", as: "@policy" }, { name: "@policy" }')).toBe('no error');
    expect(link('{ name: "@policy", as: "@rule" }')).toBe(
      'schema imports @policy as @rule, which nothing enforces (SDL line 2)',
    );
    expect(link('{ as: "@hidden", name: "@authenticated" }')).toContain('imports @authenticated as @hidden');
  });

  test('gets @auth without the declarations that it has', async () => {
    const declarations = authDirectives({ federated: false });
    const schema = made([declarations, SUBGRAPH, 'type Query { a: String @auth(scopes: [["x"]]) @authenticated }']);
    expect((await ask(schema, viewer, '{ a }')).errors).toEqual(['a: FORBIDDEN']);
    expect((await ask(schema, withScopes('x'), '{ a }')).errors).toEqual([]);
  });
});
