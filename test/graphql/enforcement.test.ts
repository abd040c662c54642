import { addResolversToSchema, makeExecutableSchema } from '@graphql-tools/schema';
import { authDirectives, protectSchema } from 'doorward/graphql';
import { describe, expect, test } from 'vitest';
import {
  admin,
  anonymous,
  ask,
  build,
  editor,
  nobody,
  principal,
  protectedSchema,
  roleTable,
  viewer,
} from './support.ts';

const SECRET = 'SECRET';
/** Every answer that must not leak is checked as a whole. */
const expectNoSecret = (answer: { text: string }): void => expect(answer.text).not.toContain(SECRET);

describe('a guarded field', () => {
  test.each([
    ['allowed', admin, { secret: SECRET }, [], 1],
    ['denied', viewer, { secret: null }, ['secret: FORBIDDEN'], 0],
    ['without roles', nobody, { secret: null }, ['secret: FORBIDDEN'], 0],
    ['anonymous', anonymous, { secret: null }, ['secret: UNAUTHENTICATED'], 0],
  ])('DIR-01 %s: answer and how often its resolver ran', async (_, who, data, errors, runs) => {
    let ran = 0;
    const secret = () => {
      ran += 1;
      return SECRET;
    };
    const schema = protectedSchema('type Query { secret: String @auth(requires: "admin") }', { Query: { secret } });
    expect(await ask(schema, who, '{ secret }')).toMatchObject({ data, errors });
    expect(ran).toBe(runs);
  });

  test('GQL-14 stands beside public ones: these answer, it denies', async () => {
    const schema = protectedSchema('type Query { open: String secret: String @auth }', {
      Query: { open: () => 'open', secret: () => SECRET },
    });
    const answer = await ask(schema, anonymous, '{ open secret __typename }');
    expect(answer).toMatchObject({
      data: { open: 'open', secret: null, __typename: 'Query' },
      errors: ['secret: UNAUTHENTICATED'],
    });
  });

  test('DIR-01 says nothing but a code: no rule, no role, no permission', async () => {
    const schema = protectedSchema('type Query { secret: String @auth(roles: ["admin"], permissions: ["delete"]) }');
    const { text } = await ask(schema, viewer, '{ secret }');
    expect(JSON.parse(text).errors).toEqual([
      {
        message: 'Not authorized',
        locations: [{ line: 1, column: 3 }],
        path: ['secret'],
        extensions: { code: 'FORBIDDEN' },
      },
    ]);
  });

  test('row 20 is denied under an alias, and reported under it', async () => {
    const schema = protectedSchema('type Query { secret: String @auth }', { Query: { secret: () => SECRET } });
    const answer = await ask(schema, anonymous, '{ x: secret }');
    expectNoSecret(answer);
    expect(answer.errors).toEqual(['x: UNAUTHENTICATED']);
  });

  test('row 19 is denied beside introspection', async () => {
    const schema = protectedSchema('type Query { secret: String @auth }', { Query: { secret: () => SECRET } });
    expectNoSecret(await ask(schema, anonymous, '{ __schema { __typename } secret }'));
  });

  test('row 25 is denied whatever directives the query puts on it', async () => {
    const schema = protectedSchema('type Query { secret: String @auth }', { Query: { secret: () => SECRET } });
    const taken = await ask(schema, anonymous, '{ secret @skip(if: false) ...on Query @include(if: true) { secret } }');
    expectNoSecret(taken);
    expect(taken.errors).toEqual(['secret: UNAUTHENTICATED']);
    expect((await ask(schema, anonymous, '{ secret @skip(if: true) __typename }')).errors).toEqual([]);
  });

  test('GQL-11 row 12 is denied under aliases that name what every object inherits', async () => {
    const schema = protectedSchema('type Query { me: User @auth } type User { id: ID }', {
      Query: { me: () => ({ id: SECRET }) },
    });
    const answer = await ask(schema, anonymous, '{ __proto__: me { id } constructor: me { id } toString: me { id } }');
    expectNoSecret(answer);
    expect(answer.errors).toHaveLength(3);
    expect(Object.hasOwn(Object.prototype, 'id')).toBe(false);
    const allowed = await ask(schema, viewer, '{ __proto__: me { id } constructor: me { id } }');
    expect(allowed.text).toBe('{"data":{"__proto__":{"id":"SECRET"},"constructor":{"id":"SECRET"}}}');
  });

  test('DIR-04 without a resolver is guarded like the rest: property, getter, method, promise', async () => {
    class Doc {
      plain = SECRET;
      get computed() {
        return SECRET;
      }
      called() {
        return SECRET;
      }
      later = Promise.resolve(SECRET);
    }
    const schema = protectedSchema(
      'type Query { doc: Doc } type Doc @auth(requires: "admin") { plain: String computed: String called: String later: String }',
    );
    const query = '{ doc { plain computed called later } }';
    const contextValue = { auth: { principal: viewer, environment: () => ({ time: 0 }) } };
    const { graphql } = await import('graphql');
    const run = (who: typeof viewer) =>
      graphql({
        schema,
        source: query,
        rootValue: { doc: new Doc() },
        contextValue: { auth: { ...contextValue.auth, principal: who } },
      });
    expect(JSON.stringify(await run(viewer))).not.toContain(SECRET);
    expect((await run(admin)).data?.doc).toEqual({
      plain: SECRET,
      computed: SECRET,
      called: SECRET,
      later: SECRET,
    });
  });

  test('DIR-07 that is non-null in a list nulls its parent only, and its siblings resolve once', async () => {
    const resolved: string[] = [];
    const schema = protectedSchema(
      'type Query { users: [User] } type User { id: ID! email: String! @auth(owner: "id") }',
      {
        Query: { users: () => [{ id: 'v1' }, { id: 'v2' }, { id: 'v3' }] },
        User: {
          id: ({ id }: { id: string }) => {
            resolved.push(id);
            return id;
          },
          email: ({ id }: { id: string }) => `${id}@example.org`,
        },
      },
    );
    expect(await ask(schema, viewer, '{ users { id email } }')).toMatchObject({
      data: { users: [{ id: 'v1', email: 'v1@example.org' }, null, null] },
      errors: ['users.1.email: FORBIDDEN', 'users.2.email: FORBIDDEN'],
    });
    expect(resolved).toEqual(['v1', 'v2', 'v3']);
  });

  test('DIR-08 denied second in a mutation: the first ran, it did not', async () => {
    const ran: string[] = [];
    const run = (name: string) => () => {
      ran.push(name);
      return name;
    };
    const schema = protectedSchema(
      'type Query { a: Int } type Mutation { one: String two: String @auth(permissions: ["delete"]) three: String }',
      { Mutation: { one: run('one'), two: run('two'), three: run('three') } },
    );
    const answer = await ask(schema, viewer, 'mutation { one two three }');
    expect(answer).toMatchObject({ data: { one: 'one', two: null, three: 'three' }, errors: ['two: FORBIDDEN'] });
    expect(ran).toEqual(['one', 'three']);
  });

  test('row 17 sees at once that a principal is gone, whatever was decided for it before', async () => {
    const schema = protectedSchema('type Query { me: String @auth }', { Query: { me: () => SECRET } });
    expect((await ask(schema, viewer, '{ me }')).errors).toEqual([]);
    expect((await ask(schema, undefined, '{ me }')).errors).toEqual(['me: UNAUTHENTICATED']);
  });

  test('a context without auth, with a broken one, or none at all is anonymous', async () => {
    const { graphql } = await import('graphql');
    const schema = protectedSchema('type Query { secret: String @auth }', { Query: { secret: () => SECRET } });
    const broken = {
      get auth(): never {
        throw new Error('no session store');
      },
    };
    for (const contextValue of [
      undefined,
      null,
      {},
      { auth: {} },
      { auth: { principal: 'admin' } },
      { auth: null },
      broken,
    ]) {
      const result = await graphql({ schema, source: '{ secret }', contextValue });
      expect(result.errors?.map(({ extensions }) => extensions.code)).toEqual(['UNAUTHENTICATED']);
    }
  });

  test.each(['admin', { admin: true }, null, undefined, 5])(
    'roles that are no list (%j) hold no role',
    async (roles) => {
      const schema = protectedSchema(
        `type Query { a: String @auth(roles: ["admin"]) b: String @auth(rule: { not: { role: "viewer" } }) }`,
        { Query: { a: () => SECRET, b: () => SECRET } },
      );
      expectNoSecret(await ask(schema, { id: 'x', roles, attributes: {} } as never, '{ a b }'));
    },
  );
});

describe('rules on types', () => {
  const users = `
    type Query { user: User users: [User] post: Post node(id: ID): Node found: [Found] }
    interface Node { id: ID }
    union Found = User | Post
    type User implements Node @auth(permissions: ["manage_users"]) { id: ID name: String }
    type Post implements Node { id: ID author: User }
  `;
  const user = { __typename: 'User', id: 'u', name: SECRET };
  const post = { __typename: 'Post', id: 'p', author: user };
  const resolvers = {
    Query: { user: () => user, users: () => [user], post: () => post, node: () => user, found: () => [user, post] },
  };

  test.each([
    ['a root field', '{ user { name } }', { user: null }],
    ['a list', '{ users { name } }', { users: null }],
    ['a nested field', '{ post { id author { name } } }', { post: { id: 'p', author: null } }],
    ['an interface', '{ node { id } }', { node: null }],
    ['an interface and a fragment', '{ node { ... on User { name } } }', { node: null }],
    ['a union', '{ found { ... on User { name } ... on Post { id } } }', { found: [null, { id: 'p' }] }],
    ['nothing but __typename, of an interface', '{ node { __typename } }', { node: null }],
    ['nothing but __typename, of a union', '{ found { __typename } }', { found: [null, { __typename: 'Post' }] }],
    ['nothing but __typename, of the type', '{ user { __typename } }', { user: null }],
  ])('DIR-02 hold when the type is reached through %s', async (_, query, data) => {
    const schema = protectedSchema(users, resolvers);
    const answer = await ask(schema, viewer, query);
    expectNoSecret(answer);
    expect(answer.data).toEqual(data);
    expect(answer.errors.map((error) => error.split(': ')[1])).toEqual(['FORBIDDEN']);
    expect((await ask(schema, anonymous, query)).errors[0]).toContain('UNAUTHENTICATED');
    expect((await ask(schema, admin, query)).errors).toEqual([]);
  });

  test('row 1 decide by the type at run time: one implementation is denied, the other answers', async () => {
    const schema = protectedSchema(
      `type Query { t: I u: I } interface I { id: ID name: String }
       type T implements I @auth(requires: "admin") { id: ID name: String } type U implements I { id: ID name: String }`,
      {
        Query: {
          t: () => ({ __typename: 'T', id: 1, name: SECRET }),
          u: () => ({ __typename: 'U', id: 2, name: 'u' }),
        },
      },
    );
    const answer = await ask(schema, anonymous, '{ t { id name } u { id name } }');
    expectNoSecret(answer);
    expect(answer).toMatchObject({ data: { t: null, u: { id: '2', name: 'u' } }, errors: ['t: UNAUTHENTICATED'] });
  });

  test('row 2 on one field of an implementation deny that field alone', async () => {
    const schema = protectedSchema(
      `type Query { i: I } interface I { id: ID name: String }
       type T implements I { id: ID @auth name: String }`,
      { Query: { i: () => ({ __typename: 'T', id: SECRET, name: 'kept' }) } },
    );
    const answer = await ask(schema, anonymous, '{ i { id name } }');
    expect(answer).toMatchObject({ data: { i: { id: null, name: 'kept' } }, errors: ['i.id: UNAUTHENTICATED'] });
  });

  test.each([
    ['the type', '{ t { secret } }'],
    ['a fragment on the interface', '{ i { ... on T { secret } } }'],
    ['a named fragment', '{ i { ...f } } fragment f on T { secret }'],
    ['the interface', '{ i { secret } }'],
  ])('DIR-03 row 3 on an interface field hold in every implementation, reached by %s', async (_, query) => {
    const schema = protectedSchema(
      `type Query { t: T i: I } interface I { secret: String @auth(requires: "admin") } type T implements I { secret: String }`,
      { Query: { t: () => ({ secret: SECRET }), i: () => ({ __typename: 'T', secret: SECRET }) } },
    );
    const answer = await ask(schema, viewer, query);
    expectNoSecret(answer);
    expect(answer.errors).toHaveLength(1);
  });

  test('DIR-03 on an interface hold in every implementation, and through interfaces of interfaces', async () => {
    const schema = protectedSchema(
      `type Query { t: T } interface Base @auth(requires: "admin") { id: ID }
       interface I implements Base { id: ID name: String } type T implements I & Base { id: ID name: String }`,
      { Query: { t: () => ({ id: SECRET, name: SECRET }) } },
    );
    expectNoSecret(await ask(schema, viewer, '{ t { id name } }'));
  });

  test('on a union guard the fields that return it', async () => {
    const schema = protectedSchema(
      'type Query { found: [F] a: A } union F @auth(requires: "admin") = A type A { x: String }',
      { Query: { found: () => [{ __typename: 'A', x: SECRET }], a: () => ({ x: 'open' }) } },
    );
    const answer = await ask(schema, viewer, '{ found { ... on A { x } } a { x } }');
    expect(answer).toMatchObject({ data: { found: null, a: { x: 'open' } }, errors: ['found: FORBIDDEN'] });
  });

  test('on a scalar or an enum guard every field of that type', async () => {
    const schema = protectedSchema(
      `type Query { ssn: Ssn kinds: [Kind!] open: String }
       scalar Ssn @auth(requires: "admin") enum Kind @auth(permissions: ["delete"]) { A }`,
      { Query: { ssn: () => SECRET, kinds: () => ['A'], open: () => 'open' } },
    );
    expect(await ask(schema, viewer, '{ ssn kinds open }')).toMatchObject({
      data: { ssn: null, kinds: null, open: 'open' },
      errors: ['ssn: FORBIDDEN', 'kinds: FORBIDDEN'],
    });
  });

  test('on an extension of the type count too', async () => {
    const { extendSchema, parse } = await import('graphql');
    const schema = protectSchema(
      extendSchema(
        build('type Query { u: U } type U { x: String }', { Query: { u: () => ({ x: SECRET }) } }),
        parse('extend type U @auth'),
      ),
      { pdp: roleTable() },
    );
    expectNoSecret(await ask(schema, anonymous, '{ u { x } }'));
  });

  test('an implementation that joined after the schema was protected is refused', async () => {
    const { extendSchema, parse } = await import('graphql');
    const schema = extendSchema(
      protectedSchema('type Query { i: I } interface I { x: String } type T implements I @auth { x: String }', {
        Query: { i: () => ({ __typename: 'Late', x: SECRET }) },
      }),
      parse('type Late implements I { x: String }'),
    );
    expectNoSecret(await ask(schema, admin, '{ i { x } }'));
  });

  test("an unknown type at run time is still the executor's error to report", async () => {
    const schema = protectedSchema(
      'type Query { i: I } interface I { x: String } type T implements I @auth { x: String }',
      { Query: { i: () => ({ __typename: 'Typo', x: 'x' }) } },
    );
    expect((await ask(schema, admin, '{ i { x } }')).text).toContain('does not exist inside the schema');
  });

  test('a type resolver that takes its time is guarded too', async () => {
    const schema = protectedSchema(
      'type Query { i: I } interface I { x: String } type T implements I @auth(requires: "admin") { x: String }',
      { Query: { i: () => ({ x: SECRET }) }, I: { __resolveType: async () => 'T' } },
    );
    expect((await ask(schema, viewer, '{ i { __typename } }')).data).toEqual({ i: null });
    expect((await ask(schema, admin, '{ i { __typename } }')).data).toEqual({ i: { __typename: 'T' } });
  });
});

describe('a mutation', () => {
  test('does not run when the type it returns is closed to the caller', async () => {
    let ran = 0;
    const schema = protectedSchema(
      'type Query { a: Int } type Mutation { make: Post! } type Post @auth(requires: "admin") { id: ID }',
      { Mutation: { make: () => ({ id: ++ran }) } },
    );
    expect((await ask(schema, viewer, 'mutation { make { id } }')).errors).toEqual(['make: FORBIDDEN']);
    expect(ran).toBe(0);
  });
});

describe('fields that no rule reaches', () => {
  const typeDefs = `
    type Query { open: String @public bare: String guarded: String @auth thing: Thing }
    type Thing @public { x: String y: String @auth(requires: "admin") }
  `;
  const resolvers = {
    Query: { open: () => 'open', bare: () => SECRET, guarded: () => 'guarded', thing: () => ({ x: 'x', y: 'y' }) },
  };

  test('are open by default, and named', async () => {
    const named: string[] = [];
    const schema = protectedSchema(typeDefs, resolvers, { onUnprotected: (fields) => named.push(...fields) });
    expect((await ask(schema, anonymous, '{ bare }')).errors).toEqual([]);
    expect(named).toEqual(['Query.bare', 'Query.thing']);
  });

  test('DIR-10 are denied to everyone when asked so, and named', async () => {
    const named: string[] = [];
    const schema = protectedSchema(typeDefs, resolvers, {
      unprotected: 'deny',
      onUnprotected: (fields) => named.push(...fields),
    });
    expect(await ask(schema, anonymous, '{ open bare __typename }')).toMatchObject({
      data: { open: 'open', bare: null, __typename: 'Query' },
      errors: ['bare: UNAUTHENTICATED'],
    });
    expect(await ask(schema, admin, '{ bare guarded thing { x } }')).toMatchObject({
      data: { bare: null, guarded: 'guarded', thing: null },
      errors: ['bare: FORBIDDEN', 'thing: FORBIDDEN'],
    });
    expect(named).toEqual(['Query.bare', 'Query.thing']);
  });

  test('DIR-10 a type that is public answers, but for the fields with rules', async () => {
    const schema = protectedSchema(typeDefs.replace('thing: Thing', 'thing: Thing @public'), resolvers, {
      unprotected: 'deny',
    });
    expect(await ask(schema, viewer, '{ thing { x y } }')).toMatchObject({
      data: { thing: { x: 'x', y: null } },
      errors: ['thing.y: FORBIDDEN'],
    });
  });

  test('DIR-10 an argument with a rule does not protect its field', async () => {
    const schema = protectedSchema(
      'type Query { a(x: Int @auth): String }',
      { Query: { a: () => SECRET } },
      { unprotected: 'deny' },
    );
    expectNoSecret(await ask(schema, admin, '{ a }'));
  });
});

describe('the directive under another name', () => {
  test('row 4 is enforced', async () => {
    const schema = protectSchema(
      makeExecutableSchema({
        typeDefs: [
          authDirectives({ directiveName: 'guard' }),
          'type Query { secret: String @guard(requires: "admin") }',
        ],
        resolvers: { Query: { secret: () => SECRET } },
      }),
      { pdp: roleTable(), directiveName: 'guard' },
    );
    expectNoSecret(await ask(schema, viewer, '{ secret }'));
    expect((await ask(schema, admin, '{ secret }')).errors).toEqual([]);
  });

  test('row 4 leaves no @auth behind that nothing enforces', () => {
    const schema = build('type Query { secret: String @auth }');
    expect(() => protectSchema(schema, { pdp: roleTable(), directiveName: 'guard' })).toThrow(
      'Query.secret has @auth, which nothing enforces',
    );
  });
});

test('resolvers that are added before protecting are guarded, whoever wrote them', async () => {
  const schema = addResolversToSchema({
    schema: build('type Query { secret: String @auth(permissions: ["update"]) }'),
    resolvers: { Query: { secret: async () => SECRET } },
  });
  const guarded = protectSchema(schema, { pdp: roleTable() });
  expectNoSecret(await ask(guarded, principal('m', 'moderator'), '{ secret }'));
  expect((await ask(guarded, editor, '{ secret }')).data).toEqual({ secret: SECRET });
});
