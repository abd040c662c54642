import { isDoorwardError } from 'doorward';
import {
  assertProtected,
  type CoordinatesOf,
  definePolicies,
  defineRules,
  type ProtectSchemaOptions,
  protectSchema,
  type RuleMap,
} from 'doorward/graphql';
import {
  GraphQLEnumType,
  GraphQLID,
  GraphQLInputObjectType,
  GraphQLInterfaceType,
  GraphQLList,
  GraphQLObjectType,
  type GraphQLResolveInfo,
  GraphQLScalarType,
  GraphQLSchema,
  GraphQLString,
  GraphQLUnionType,
} from 'graphql';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { admin, anonymous, ask, build, editor, principal, roleTable, type TestContext, viewer } from './support.ts';

/** A schema without SDL, with every kind of place that a rule may stand at. */
function codeFirst(): GraphQLSchema {
  const Node = new GraphQLInterfaceType({ name: 'Node', fields: { id: { type: GraphQLID } } });
  const Money = new GraphQLScalarType({ name: 'Money' });
  const Role = new GraphQLEnumType({
    name: 'Role',
    values: { ADMIN: { value: 'admin' }, VIEWER: { value: 'viewer' } },
  });
  const User = new GraphQLObjectType({
    name: 'User',
    interfaces: [Node],
    isTypeOf: () => true,
    fields: {
      id: { type: GraphQLID },
      email: { type: GraphQLString },
      salary: { type: Money },
      role: { type: Role },
    },
  });
  const Found = new GraphQLUnionType({ name: 'Found', types: [User] });
  const PostInput = new GraphQLInputObjectType({
    name: 'PostInput',
    fields: { title: { type: GraphQLString }, authorId: { type: GraphQLID } },
  });
  const user = { id: 'v1', email: 'v@example.org', salary: 7, role: 'viewer' };
  return new GraphQLSchema({
    types: [User],
    query: new GraphQLObjectType({
      name: 'Query',
      fields: {
        hello: { type: GraphQLString, resolve: () => 'hello' },
        user: { type: User, args: { id: { type: GraphQLID } }, resolve: () => user },
        users: { type: new GraphQLList(User), resolve: () => [user, { ...user, id: 'x1' }] },
        node: { type: Node, resolve: () => user },
        found: { type: Found, resolve: () => user },
        byRole: { type: GraphQLString, args: { role: { type: Role } }, resolve: () => 'byRole' },
      },
    }),
    mutation: new GraphQLObjectType({
      name: 'Mutation',
      fields: {
        createPost: {
          type: GraphQLString,
          args: { input: { type: PostInput }, authorId: { type: GraphQLID }, kind: { type: GraphQLString } },
          resolve: () => 'made',
        },
      },
    }),
  });
}

type Options = Partial<ProtectSchemaOptions<TestContext>>;

const protect = (rules: RuleMap, options: Options = {}): GraphQLSchema =>
  protectSchema(codeFirst(), { pdp: roleTable(), ...options, rules });

function problemOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (isDoorwardError(error) && error.code === 'CONFIG_INVALID') return error.message;
    throw error;
  }
  return 'no error';
}

// What compiles is tested apart: this is what a program without types may hand over.
const problem = (rules: object, options: object = {}): string => problemOf(() => protect(rules, options));

describe('rules by coordinate', () => {
  test.each<[string, RuleMap, string, string]>([
    ['Query', { Query: { roles: ['admin'] } }, '{ hello }', 'hello'],
    ['a field', { 'Query.hello': { requires: 'admin' } }, '{ hello }', 'hello'],
    ['an object type', { User: { roles: ['admin'] } }, '{ user { id } }', 'user'],
    ['an object type, by its interface', { User: { roles: ['admin'] } }, '{ node { id } }', 'node'],
    ['an object type, by a union', { User: { roles: ['admin'] } }, '{ found { __typename } }', 'found'],
    ['an interface', { Node: { roles: ['admin'] } }, '{ user { email } }', 'user'],
    ['the field of an interface', { 'Node.id': { roles: ['admin'] } }, '{ user { id } }', 'user.id'],
    ['a union', { Found: { roles: ['admin'] } }, '{ found { __typename } }', 'found'],
    ['a scalar', { Money: { roles: ['admin'] } }, '{ user { salary } }', 'user.salary'],
    ['an enum, as output', { Role: { roles: ['admin'] } }, '{ user { role } }', 'user.role'],
    ['an enum, as input', { Role: { roles: ['admin'] } }, '{ byRole(role: ADMIN) }', 'byRole'],
    ['an argument', { 'Query.user(id:)': { roles: ['admin'] } }, '{ user(id: 1) { id } }', 'user'],
    [
      'an input type',
      { PostInput: { roles: ['admin'] } },
      'mutation { createPost(input: { title: "a" }) }',
      'createPost',
    ],
    [
      'an input field',
      { 'PostInput.authorId': { rule: { any: [{ role: 'admin' }, { owner: 'authorId' }] } } },
      'mutation { createPost(input: { authorId: "x" }) }',
      'createPost',
    ],
  ])('on %s are enforced', async (_, rules, source, path) => {
    const schema = protect(rules);
    expect((await ask(schema, viewer, source)).errors).toEqual([`${path}: FORBIDDEN`]);
    expect((await ask(schema, anonymous, source)).errors).toEqual([`${path}: UNAUTHENTICATED`]);
    expect((await ask(schema, admin, source)).errors).toEqual([]);
    assertProtected(schema);
  });

  test('say all that @auth says', async () => {
    const rules: RuleMap<'mine'> = {
      'Query.users': { policy: [['mine']], from: 'RESULT', onDeny: 'FILTER' },
      'User.email': [{ owner: 'id', onDeny: 'MASK' }, {}],
      'User.salary': { scopes: [['money', 'read'], ['all']], onDeny: 'NULL' },
      'User.role': { permissions: ['read', 'update'] },
      'Query.byRole': { maxAge: 60, acr: ['aal2'] },
    };
    const schema = protectSchema(codeFirst(), {
      pdp: roleTable(),
      policies: { mine: ({ result, principal }) => (result as { id: string }).id === principal.id },
      masks: { 'User.email': () => '***' },
      rules,
    });
    const source = '{ users { id email salary } }';
    const own = { id: 'v1', email: 'v@example.org', salary: null };
    expect(await ask(schema, viewer, source)).toMatchObject({ data: { users: [own] }, errors: [] });
    expect((await ask(schema, viewer, '{ user { email } }')).data).toEqual({ user: { email: 'v@example.org' } });
    expect((await ask(schema, editor, '{ user { email role } }')).data).toEqual({
      user: { email: '***', role: 'VIEWER' },
    });
    expect((await ask(schema, viewer, '{ user { role } }')).errors).toEqual(['user.role: FORBIDDEN']);
    expect((await ask(schema, { ...viewer, scopes: ['all'] }, '{ user { salary } }')).data).toEqual({
      user: { salary: 7 },
    });
    expect((await ask(schema, viewer, '{ byRole }')).errors).toEqual(['byRole: UNAUTHENTICATED']);
  });

  test('and those of the SDL must all hold', async () => {
    const schema = protectSchema(
      build('type Query { a: String @auth(roles: ["editor"]) b: String @public c: String d: String }', {
        Query: { a: () => 'a', b: () => 'b', c: () => 'c', d: () => 'd' },
      }),
      {
        pdp: roleTable(),
        unprotected: 'deny',
        onUnprotected: () => {},
        rules: { 'Query.a': { requires: 'admin' }, 'Query.c': 'public' },
      },
    );
    expect((await ask(schema, admin, '{ a b c d }')).errors).toEqual(['a: FORBIDDEN', 'd: FORBIDDEN']);
    expect((await ask(schema, editor, '{ a }')).errors).toEqual(['a: FORBIDDEN']);
    expect((await ask(schema, principal('both', 'admin', 'editor'), '{ a }')).errors).toEqual([]);
    expect((await ask(schema, anonymous, '{ b c }')).errors).toEqual([]);
    assertProtected(schema);
  });

  test('stand beside extensions.directives, and several of one place must all hold', async () => {
    const query = new GraphQLObjectType({
      name: 'Query',
      fields: { a: { type: GraphQLString, extensions: { directives: { auth: { roles: ['editor'] } } } } },
    });
    const rules: RuleMap = { 'Query.a': [{ roles: ['viewer'] }, { roles: ['admin'] }], Query: {} };
    const schema = protectSchema(new GraphQLSchema({ query }), { pdp: roleTable(), rules });
    const errors = async (...roles: readonly string[]) => (await ask(schema, principal('x', ...roles), '{ a }')).errors;
    expect(await errors('viewer', 'admin', 'editor')).toEqual([]);
    for (const lacking of [
      ['viewer', 'admin'],
      ['viewer', 'editor'],
      ['admin', 'editor'],
    ]) {
      expect(await errors(...lacking)).toEqual(['a: FORBIDDEN']);
    }
  });
});

describe('a map that cannot be meant does not build', () => {
  test.each([
    ['Query.nope', {}, 'is no coordinate of the schema'],
    ['Nope', {}, 'is no coordinate of the schema'],
    ['Nope.nope', {}, 'is no coordinate of the schema'],
    ['Query.user(nope:)', {}, 'is no coordinate of the schema'],
    ['PostInput.nope', {}, 'is no coordinate of the schema'],
    ['PostInput.title(x:)', {}, 'is no coordinate of the schema'],
    ['Money.name', {}, 'is no coordinate of the schema'],
    ['Query.user.id', {}, 'is no coordinate of the schema'],
    ['Query.user(id)', {}, 'is no coordinate: an argument is written Type.field(argument:)'],
    ['query', {}, 'is no coordinate of the schema'],
    ['', {}, 'is no coordinate of the schema'],
    ['*', {}, 'is no coordinate of the schema'],
    ['@auth', {}, 'is no coordinate of the schema'],
    ['constructor', {}, 'is no coordinate of the schema'],
    ['Query.constructor', {}, 'is no coordinate of the schema'],
    ['Query.__proto__', {}, 'is no coordinate of the schema'],
    ['Role.ADMIN', {}, 'is in an enum'],
    ['String', {}, 'is a type of GraphQL itself'],
    ['__Type', {}, 'is a type of GraphQL itself'],
    ['Node.id', 'public', 'cannot be public'],
    ['Node', 'public', 'cannot be public'],
    ['Money', 'public', 'cannot be public'],
    ['Query.user(id:)', 'public', 'cannot be public'],
    ['PostInput.title', 'public', 'cannot be public'],
    ['Query.hello', undefined, 'must be the arguments of a rule'],
    ['Query.hello', null, 'must be the arguments of a rule'],
    ['Query.hello', true, 'must be the arguments of a rule'],
    ['Query.hello', 'authenticated', 'must be the arguments of a rule'],
    ['Query.hello', () => true, 'must be the arguments of a rule'],
    ['Query.hello', new Map([['roles', ['admin']]]), 'must be the arguments of a rule'],
    ['Query.hello', Object.create({ roles: ['admin'] }), 'must be the arguments of a rule'],
    ['Query.hello', ['public'], 'must be the arguments of a rule'],
    ['Query.hello', [{}, undefined], 'must be the arguments of a rule'],
    ['Query.hello', [], 'must not be empty'],
    ['Query.hello', { roles: [] }, 'roles must not be empty'],
    ['Query.hello', { roles: undefined }, 'roles must be a list'],
    ['Query.hello', { roles: 'admin' }, 'roles must be a list'],
    ['Query.hello', { roles: ['boss'] }, 'names an unknown role: boss'],
    ['Query.hello', { permissions: ['fly'] }, 'names an unknown permission: fly'],
    ['Query.hello', { policy: [['p']] }, 'names an unknown policy: p (there is none)'],
    ['Query.hello', { scopes: [[]] }, 'scopes must not be empty'],
    ['Query.hello', { scopes: ['a', 'b'] }, 'scopes must be a list of lists'],
    ['Query.hello', { rule: { role: 'admin', scope: 'x' } }, 'exactly one key'],
    ['Query.hello', { role: 'admin' }, 'has an argument that nothing handles: role'],
    ['Query.hello', { from: 'args' }, 'from must be'],
    ['Query.hello', { maxAge: 0 }, 'maxAge'],
  ])('DIR-05 rules.%s %j', (coordinate, entry, expected) => {
    // A key `__proto__` of a literal would be no property.
    const rules = Object.fromEntries([[coordinate, entry]]);
    const message = problem(rules);
    expect(message).toContain(expected);
    expect(message.startsWith(`rules.${coordinate} `)).toBe(true);
  });

  test.each<[RuleMap, string]>([
    [{ 'Mutation.createPost': { policy: [['p']], from: 'RESULT' } }, 'Mutation.createPost is a mutation'],
    [{ 'Query.hello': { owner: 'id' } }, 'Query.hello has no argument id'],
    [{ 'Query.hello': { onDeny: 'MASK' } }, 'Query.hello has onDeny: MASK and no function'],
    [{ 'Query.hello': { onDeny: 'FILTER' } }, 'Query.hello can FILTER only'],
    [{ User: { from: 'PARENT', owner: 'id' } }, 'User has a rule with from, which is for fields'],
    [{ 'Query.user(id:)': { onDeny: 'NULL' } }, 'Query.user(id:) can deny with an error only'],
    [{ 'Query.hello': 'public', Query: {} }, 'Query.hello is @public and has a rule'],
    [{ User: 'public', Node: {} }, 'User is @public and has a rule of Node'],
  ])('as it would not in SDL: %j', (rules, expected) => {
    expect(problem(rules, { policies: { p: () => true } })).toContain(expected);
  });

  test('nor what is no plain object', () => {
    for (const rules of [null, [], 'public', new Map(), Object.create({ 'Query.hello': {} })]) {
      expect(problem(rules)).toBe('rules must be a plain object');
    }
  });

  test('public in the map beside a rule in SDL', () => {
    const schema = build('type Query { a: String @auth }');
    expect(problemOf(() => protectSchema(schema, { pdp: roleTable(), rules: { 'Query.a': 'public' } }))).toContain(
      'Query.a is @public and has a rule',
    );
  });
});

describe('types', () => {
  // As GraphQL Code Generator writes them, in short.
  type Resolver<Result, Parent = object, Context = unknown, Args = object> =
    | ((parent: Parent, args: Args, context: Context, info: GraphQLResolveInfo) => Promise<Result> | Result)
    | { resolve: (parent: Parent, args: Args, context: Context, info: GraphQLResolveInfo) => Result };
  interface QueryResolvers {
    posts?: Resolver<string[]>;
    post?: Resolver<string, object, unknown, { id: string; draft?: boolean }>;
  }
  interface PostResolvers {
    title?: Resolver<string>;
    __isTypeOf?: (value: unknown) => boolean;
  }
  interface Resolvers {
    Query?: QueryResolvers;
    Post?: PostResolvers;
    Node?: { __resolveType?: () => string };
    DateTime?: GraphQLScalarType;
  }

  test('know the coordinates of resolvers and of input types', () => {
    expectTypeOf<CoordinatesOf<Resolvers>>().toEqualTypeOf<
      | 'Query'
      | 'Query.posts'
      | 'Query.post'
      | 'Query.post(id:)'
      | 'Query.post(draft:)'
      | 'Post'
      | 'Post.title'
      | 'Node'
      | 'DateTime'
    >();
    expectTypeOf<CoordinatesOf<{ PostInput: { title: string; authorId?: string | null } }>>().toEqualTypeOf<
      'PostInput' | 'PostInput.title' | 'PostInput.authorId'
    >();
  });

  test('a coordinate, a policy, an argument or a condition that is none does not compile', () => {
    const rules = defineRules<Resolvers, 'isDraft'>({
      Query: {},
      'Query.posts': { permissions: ['read'], onDeny: 'NULL' },
      'Query.post(id:)': { rule: { not: { any: [{ policy: 'isDraft' }, { all: [{ role: 'a' }, { scope: 'b' }] }] } } },
      'Post.title': [{ policy: [['isDraft']] }, { scopes: [['a']] }],
      DateTime: 'public',
    });
    const misspelt = [
      // @ts-expect-error no such field
      defineRules<Resolvers>({ 'Query.psots': {} }),
      // @ts-expect-error no such argument
      defineRules<Resolvers>({ 'Query.post(di:)': {} }),
      // @ts-expect-error no such policy
      defineRules<Resolvers, 'isDraft'>({ Query: { policy: [['isDaft']] } }),
      // @ts-expect-error no such policy in a condition
      defineRules<Resolvers, 'isDraft'>({ Query: { rule: { policy: 'isDaft' } } }),
      // @ts-expect-error two keys
      defineRules<Resolvers>({ Query: { rule: { role: 'a', scope: 'b' } } }),
      // @ts-expect-error a flat list does not say whether all or any
      defineRules<Resolvers>({ Query: { scopes: ['a', 'b'] } }),
      // @ts-expect-error no such argument of @auth
      defineRules<Resolvers>({ Query: { role: 'admin' } }),
      // @ts-expect-error a variable that is not set
      defineRules<Resolvers>({ Query: undefined }),
    ];
    expect([Object.keys(rules), misspelt].map((list) => list.length)).toEqual([5, 8]);
  });

  test('protectSchema knows the names of its policies', () => {
    const schema = (options: ProtectSchemaOptions<TestContext>) => problemOf(() => protectSchema(codeFirst(), options));
    const policies = definePolicies<TestContext>()({ mine: ({ context }) => context.auth.principal !== undefined });
    const pdp = roleTable();
    const typed = problemOf(() =>
      protectSchema(codeFirst(), {
        pdp,
        policies,
        auth: (context) => context.auth,
        rules: { 'Query.hello': { policy: [['mine']] } },
      }),
    );
    const inline = problemOf(() =>
      protectSchema(codeFirst(), {
        pdp,
        policies: { mine: ({ principal }) => principal.id === 'v1' },
        // @ts-expect-error no such policy
        rules: { 'Query.hello': { policy: [['mien']] } },
      }),
    );
    const defined = defineRules<{ Query: { hello: string } }, 'mine'>({ 'Query.hello': { policy: [['mine']] } });
    const handedOn = problemOf(() => protectSchema(codeFirst(), { pdp, policies, rules: defined }));
    expect([typed, inline, handedOn]).toEqual([
      'no error',
      'rules.Query.hello names an unknown policy: mien (known: mine)',
      'no error',
    ]);
    expect(schema({ pdp, policies })).toBe('no error');
  });
});
