import { makeExecutableSchema } from '@graphql-tools/schema';
import { isDoorwardError } from 'doorward';
import { authDirectives, protectSchema } from 'doorward/graphql';
import { buildASTSchema, GraphQLObjectType, GraphQLSchema, GraphQLString, parse } from 'graphql';
import { describe, expect, test } from 'vitest';
import { build, protectedSchema, roleTable } from './support.ts';

function problemOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (isDoorwardError(error) && error.code === 'CONFIG_INVALID') return error.message;
    throw error;
  }
  return 'no error';
}

const problem = (typeDefs: string, options: object = {}): string =>
  problemOf(() => protectedSchema(typeDefs, {}, { policies: { p: () => true }, ...options }));

/** SDL that nobody validated, as `assumeValidSDL` servers have it. */
const unvalidated = (typeDefs: string): string =>
  problemOf(() => protectSchema(buildASTSchema(parse(typeDefs), { assumeValidSDL: true }), { pdp: roleTable() }));

describe('refuses to build', () => {
  test.each([
    ['roles: []', 'roles must not be empty'],
    ['permissions: []', 'permissions must not be empty'],
    ['scopes: []', 'scopes must not be empty'],
    ['scopes: [[]]', 'scopes must not be empty'],
    ['policy: [[]]', 'policy must not be empty'],
    ['policy: [["p"], []]', 'policy must not be empty'],
    ['scopes: ["a", "b"]', 'scopes must be a list of lists'],
    ['scopes: "a"', 'scopes must be a list of lists'],
    ['policy: "p"', 'policy must be a list of lists'],
    ['policy: [["p"], "p"]', 'policy must be a list of lists'],
    ['roles: ["boss"]', 'unknown role: boss'],
    ['requires: "boss"', 'unknown role: boss (known: '],
    ['requires: ""', 'role must be a string that is not empty'],
    ['requires: null', 'requires must be a string'],
    ['roles: null', 'roles must be a list'],
    ['rule: null', 'exactly one key'],
    ['permissions: ["fly"]', 'unknown permission: fly'],
    ['permissions: ["__proto__"]', 'unknown permission: __proto__'],
    ['policy: [["q"]]', 'unknown policy: q'],
    ['policy: [["toString"]]', 'unknown policy: toString'],
    ['rule: {}', 'exactly one key'],
    ['rule: { role: "admin", policy: "p" }', 'exactly one key'],
    ['rule: { role: "admin", policy: null }', 'exactly one key'],
    ['rule: { not: {} }', 'exactly one key'],
    ['rule: { all: [] }', 'all must not be empty'],
    ['rule: { any: [] }', 'any must not be empty'],
    ['rule: { any: [{ role: "boss" }] }', 'unknown role: boss'],
    ['rule: { policy: "q" }', 'unknown policy: q'],
    ['owner: ""', 'owner must be a string'],
    ['owner: "a..b"', 'not a path'],
    ['owner: "__proto__.id"', 'not a path'],
    ['owner: "constructor"', 'not a path'],
    ['owner: "a.prototype"', 'not a path'],
    ['owner: "a[0]"', 'not a path'],
    ['owner: "id"', 'has no argument id'],
    ['from: PARENT, policy: [["p"]]', 'has no PARENT'],
    ['policy: [["p"]], onDeny: FILTER', 'can FILTER only'],
    ['policy: [["p"]], from: RESULT, onDeny: FILTER', 'can FILTER only'],
    ['policy: [["p"]], onDeny: MASK', 'no function in masks'],
  ])('DIR-05 row 18 @auth(%s), with the coordinate and the line', (argument, expected) => {
    const message = problem(`type Query {\n  a: String\n  b: String @auth(${argument})\n}`);
    expect(message).toContain(expected);
    expect(message).toMatch(/^Query\.b .*\(SDL line 3\)$/);
  });

  test('DIR-05 an argument that nothing handles, in a declaration or where no declaration is checked', () => {
    const declared = 'directive @auth(requires: String, role: String) on FIELD_DEFINITION type Query { a: Int @auth }';
    expect(unvalidated(declared)).toBe('@auth declares an argument that nothing handles: role');
    expect(unvalidated('type Query { a: Int @auth(reqires: "admin") }')).toContain('nothing handles: reqires');
  });

  test('a rule that would run a mutation before it denies', () => {
    const mutation = (argument: string) =>
      problem(`type Query { a: Int } type Mutation { m: String @auth(${argument}) }`);
    expect(mutation('policy: [["p"]], from: RESULT')).toContain('would run before it is denied');
    expect(mutation('requires: "admin", onDeny: MASK')).toContain('would run before it is denied');
    expect(
      problem(
        'type Query { a: Int } interface M { m: Int @auth(policy: [["p"]], from: RESULT) } type Mutation implements M { m: Int }',
      ),
    ).toContain('Mutation.m is a mutation');
  });

  test.each([
    ['type Query { a: String! @auth(onDeny: NULL, requires: "admin") }', 'Query.a can not be NULL'],
    ['type Query { a: [Int!] @auth(onDeny: NULL, requires: "admin", from: RESULT) }', 'Query.a can not be NULL'],
    [
      'type Query { a: A } interface I { x: Int @auth(onDeny: NULL, requires: "admin") } type A implements I { x: Int! }',
      'A.x can not be NULL',
    ],
    [
      'type Query { a: Int } type Subscription { s: Int @auth(onDeny: NULL, requires: "admin") }',
      'before the first event there is nothing',
    ],
    ['type Query { a: A } type A @auth(onDeny: NULL) { x: Int }', 'A can deny with an error only'],
    ['type Query { a: A } type A @auth(from: RESULT) { x: Int }', 'A has a rule with from'],
    ['type Query { a(x: Int @auth(onDeny: NULL)): Int }', 'Query.a(x:) can deny with an error only'],
    ['type Query { a(x: Int @auth(from: ARGS)): Int }', 'Query.a(x:) has a rule with from'],
    ['scalar S @auth(onDeny: NULL) type Query { a: S }', 'S can deny with an error only'],
  ])('a denial that cannot be: %s', (typeDefs, expected) => {
    expect(problem(typeDefs)).toContain(expected);
  });

  test.each([
    ['type Query { a: String @auth @public }', 'Query.a is @public and has a rule'],
    ['type Query { a: A } type A @public @auth { x: Int }', 'A is @public and has a rule'],
    ['type Query { a: A } type A @auth { x: Int @public }', 'A.x is @public and has a rule'],
    [
      'type Query { a: A } interface I { x: Int @auth } type A implements I { x: Int @public }',
      'A.x is @public and has a rule',
    ],
    [
      'type Query { a: A } interface I @auth { x: Int } type A implements I @public { x: Int }',
      'A is @public and has a rule',
    ],
    [
      'type Query { a: I } interface I { x: Int @public } type A implements I { x: Int }',
      'has no effect on an interface',
    ],
  ])('what is public and guarded: %s', (typeDefs, expected) => {
    expect(problem(typeDefs)).toContain(expected);
  });

  const NO_RULES = [
    ...['authh', 'Auth', 'AUTH', 'authorized', 'Authenticated', 'Public', 'Policy', 'policies', 'requiresscopes'],
    ...['requireScopes', 'requiresScope', 'fed__policy', 'fed__requiresScopes', 'federation__auth'],
  ];
  test.each(NO_RULES)('row 4 a directive that looks like a rule and is none: @%s', (name) => {
    expect(unvalidated(`type Query {\n a: Int @${name}\n}`)).toBe(
      `Query.a has @${name}, which nothing enforces (SDL line 2)`,
    );
  });

  test.each(['aut', 'atuh', 'uath', 'ath', 'aith', 'polcy', 'polciy', 'pulbic', 'publik', 'requiresSocpes', 'guadr'])(
    'row 4 a typing error where nothing is validated: @%s',
    (name) => {
      const schema = buildASTSchema(parse(`type Query {\n a: Int @${name}\n}`), { assumeValidSDL: true });
      const directiveName = name === 'guadr' ? 'guard' : 'auth';
      expect(problemOf(() => protectSchema(schema, { pdp: roleTable(), directiveName }))).toBe(
        `Query.a has @${name}, which nothing enforces (SDL line 2)`,
      );
    },
  );

  test('a directive that is declared and only resembles one is somebody else’s', () => {
    const typeDefs = (declaration: string) => `${declaration} type Query { a: Int @oauth @key @published }`;
    expect(unvalidated(typeDefs(''))).toBe('Query.a has @oauth, which nothing enforces (SDL line 1)');
    expect(unvalidated(typeDefs('directive @oauth on FIELD_DEFINITION directive @published on FIELD_DEFINITION'))).toBe(
      'no error',
    );
  });

  test('row 4 a directive by the name that protectSchema was not told', () => {
    const guard = (typeDefs: string, directiveName: string) =>
      problemOf(() => protectSchema(makeExecutableSchema({ typeDefs }), { pdp: roleTable(), directiveName }));
    const auth = 'directive @auth(requires: String) on FIELD_DEFINITION type Query { a: Int @auth(requires: "admin") }';
    expect(guard(auth, 'guard')).toBe('Query.a has @auth, which nothing enforces (SDL line 1)');
    expect(guard(auth.replaceAll('@auth', '@guard'), 'guard')).toBe('no error');
  });

  test.each([
    ['type Query { a: E } enum E { A @auth }', 'E.A'],
    ['schema @auth { query: Query } type Query { a: Int }', 'schema'],
    ['directive @x(a: Int @auth) on FIELD type Query { a: Int }', '@x(a:)'],
  ])('a rule in a place where nothing enforces it: %s', (typeDefs, coordinate) => {
    expect(unvalidated(typeDefs)).toContain(`${coordinate} has a rule in a place where nothing enforces it`);
  });

  test.each([
    ['type Query { a: A } type A { x(y: In): Int } input In { z: Int @authh }', 'In.z'],
    ['type Query { a: Int } interface I { x(y: Int @authh): Int }', 'I.x(y:)'],
    ['type Query { a: Int } interface I { x: Int @authh }', 'I.x'],
    ['type Query { a: Int } union U @authh = Query', 'U'],
    ['type Query { a: E } enum E { A @authh }', 'E.A'],
  ])('finds it anywhere: %s', (typeDefs, coordinate) => {
    expect(unvalidated(typeDefs)).toContain(`${coordinate} has @authh`);
  });

  test('a mask that belongs to no field, or that is no function, and options that are none', () => {
    expect(problem('type Query { a: Int }', { masks: { 'Query.a': () => 0 } })).toContain('masks.Query.a');
    expect(problem('type Query { a: Int }', { masks: { 'Query.a': '***' } })).toContain(
      'masks.Query.a must be a function',
    );
    expect(problem('type Query { a: Int }', { policies: { p: true } })).toContain('policies.p must be a function');
    expect(problem('type Query { a: Int }', { unprotected: 'denied' })).toContain('unprotected must be');
    expect(problem('type Query { a: Int }', { policyTimeoutMs: 0 })).toContain('policyTimeoutMs');
    expect(problem('type Query { a: Int }', { policyTimeoutMs: Number.POSITIVE_INFINITY })).toContain(
      'policyTimeoutMs',
    );
    expect(problem('type Query { a: Int }', { pdp: undefined })).toContain('pdp');
    expect(problemOf(() => authDirectives({ directiveName: 'a b' }))).toContain('directiveName');
    expect(problemOf(() => authDirectives({ directiveName: 'policy' }))).toContain('directiveName');
    expect(problemOf(() => authDirectives({ directive: 'x' } as object))).toBe('directive is not a known option');
  });

  test('two ways of masking one field', () => {
    const typeDefs =
      'type Query { a: Int @auth(requires: "admin", onDeny: MASK) @auth(requires: "editor", from: RESULT, onDeny: MASK) }';
    expect(problem(typeDefs, { masks: { 'Query.a': () => 0 } })).toContain('masked as a whole and from: RESULT');
  });

  test('row 18 a rule of which the function is missing', () => {
    expect(problem('type Query { a: Int @auth(policy: [["p"]]) }', { policies: { p: undefined } })).toContain(
      'policies.p must be a function',
    );
    expect(problem('type Query { a: Int @auth(policy: [["p"]]) }', { policies: {} })).toContain('unknown policy: p');
    expect(problem('type Query { a: Int }', { rules: undefined })).toBe('rules must not be undefined, but left out');
    const masks = { 'Query.a': undefined };
    expect(problem('type Query { a: Int @auth(roles: ["admin"], onDeny: MASK) }', { masks })).toContain(
      'masks.Query.a',
    );
  });

  test('what only one of two places says of a public field, with the line', () => {
    expect(problem('type Query { a: A } type A @auth {\n x: Int @public\n}')).toMatch(/^A\.x is @public .*SDL line 2/);
    expect(problem('type Query { a: I } interface I {\n x: Int @public\n} type A implements I { x: Int }')).toMatch(
      /^I\.x is @public, .*SDL line 2/,
    );
  });

  test('a schema that is protected already', () => {
    const schema = protectedSchema('type Query { a: Int @auth }');
    expect(problemOf(() => protectSchema(schema, { pdp: roleTable() }))).toBe('schema is protected already');
  });

  test('arguments of directives that take none', () => {
    expect(unvalidated('type Query { a: Int @public(to: "admin") }')).toContain('Query.a @public takes no arguments');
    expect(unvalidated('type Query { a: Int @requiresScopes(scopes: [["a"]], roles: ["admin"]) }')).toContain(
      'has an argument that nothing handles: roles',
    );
    expect(unvalidated('type Query { a: Int @authenticated(as: "admin") }')).toContain('takes no arguments');
  });

  test('a directive that cannot be read', () => {
    expect(problem('type Query {\n a: Int @auth(roles: 5)\n}')).toMatch(
      /^Query\.a has a directive that cannot be read: .*\(SDL line 2\)$/,
    );
  });
});

describe('a declaration of your own', () => {
  const documented = `
    directive @auth(requires: Role = ADMIN) on OBJECT | FIELD_DEFINITION
    enum Role { ADMIN VIEWER }
    type Query { a: String @auth b: String @auth(requires: VIEWER) u: U }
    type U @auth(requires: VIEWER) { x: String }
  `;
  const make = (typeDefs: string, resolvers = {}) => makeExecutableSchema({ typeDefs, resolvers });

  test('as graphql-tools documents it takes role names from the enum', async () => {
    const { ask, principal } = await import('./support.ts');
    const resolvers = { Query: { a: () => 'a', b: () => 'b', u: () => ({ x: 'x' }) } };
    const schema = protectSchema(make(documented, resolvers), { pdp: { decide: roleTable().decide } });
    expect(await ask(schema, principal('x', 'VIEWER'), '{ a b u { x } }')).toMatchObject({
      data: { a: null, b: 'b', u: { x: 'x' } },
      errors: ['a: FORBIDDEN'],
    });
    expect((await ask(schema, principal('x', 'ADMIN'), '{ a b }')).errors).toEqual(['b: FORBIDDEN']);
  });

  test('and from the values of the enum, for what is written and for the default', async () => {
    const { ask, principal } = await import('./support.ts');
    const resolvers = { Role: { ADMIN: 'admin', VIEWER: 'viewer' }, Query: { a: () => 'a', b: () => 'b' } };
    const schema = protectSchema(make(documented, resolvers), { pdp: roleTable() });
    expect((await ask(schema, principal('x', 'admin'), '{ a }')).errors).toEqual([]);
    expect((await ask(schema, principal('x', 'viewer'), '{ a b }')).errors).toEqual(['a: FORBIDDEN']);
    expect((await ask(schema, principal('x', 'ADMIN'), '{ a }')).errors).toEqual(['a: FORBIDDEN']);
  });

  test('whose enum has values that are no strings, or that are names of other values, is refused', () => {
    const numbers = make(documented, { Role: { ADMIN: 1, VIEWER: 2 } });
    expect(problemOf(() => protectSchema(numbers, { pdp: roleTable() }))).toMatch(
      /^Query\.(a|b) @auth requires|^U @auth requires/,
    );
    const swapped = make(documented, { Role: { ADMIN: 'VIEWER', VIEWER: 'ADMIN' } });
    expect(problemOf(() => protectSchema(swapped, { pdp: { decide: roleTable().decide } }))).toContain('ambiguous');
  });

  test('whose enum names no role that is known is refused', () => {
    expect(problemOf(() => protectSchema(make(documented), { pdp: roleTable() }))).toContain('unknown role: ');
  });

  test.each(['roles: [String!]', 'scopes: [[String!]!]', 'policy: [[String!]!]'])(
    'row 6 with (%s) that is not repeatable is refused, since merging would widen it',
    (argument) => {
      const sdl = `directive @auth(${argument}) on FIELD_DEFINITION type Query { a: Int }`;
      expect(problemOf(() => protectSchema(make(sdl), { pdp: roleTable() }))).toContain('must be declared repeatable');
      const repeatable = sdl.replace(') on', ') repeatable on');
      expect(problemOf(() => protectSchema(make(repeatable), { pdp: roleTable() }))).toBe('no error');
    },
  );

  test('in code, without SDL, is read from extensions, and its default is never lost', () => {
    const auth = build('type Query { a: Int }').getDirective('auth');
    const declared = make(documented).getDirective('auth');
    const schemaWith = (directive: typeof auth, args: object): GraphQLSchema =>
      new GraphQLSchema({
        directives: directive ? [directive] : [],
        query: new GraphQLObjectType({
          name: 'Query',
          fields: { a: { type: GraphQLString, extensions: { directives: { auth: args } } } },
        }),
      });
    const protect = (schema: GraphQLSchema) => problemOf(() => protectSchema(schema, { pdp: roleTable() }));
    expect(protect(schemaWith(auth, { roles: ['admin'] }))).toBe('no error');
    expect(protect(schemaWith(auth, { roles: 'admin' }))).toContain('roles must be a list');
    expect(protect(schemaWith(auth, { scopes: ['a'] }))).toContain('list of lists');
    expect(protect(schemaWith(declared, {}))).toContain('lost the default of requires');
  });
});
