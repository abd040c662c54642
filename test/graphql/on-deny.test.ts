import { describe, expect, test } from 'vitest';
import { admin, anonymous, ask, principal, protectedSchema, type Resolvers, viewer } from './support.ts';

const posts = [
  { id: 1, authorId: 'v1', title: 'mine' },
  { id: 2, authorId: 'x', title: 'SECRET' },
  { id: 3, authorId: 'v1', title: 'mine too' },
];
const ownOrUpdate = 'rule: { any: [{ permission: "update" }, { owner: "authorId" }] }, from: RESULT';

const schemaOf = (field: string, resolver: () => unknown, options: object = {}) =>
  protectedSchema(
    `type Query { ${field} } type Post { id: ID title: String }`,
    { Query: { [field.split(/\W/)[0] ?? '']: resolver } } as Resolvers,
    options,
  );

describe('from: RESULT', () => {
  test('decides on what the field resolved to', async () => {
    const schema = protectedSchema(
      `type Query { post(id: Int!): Post @auth(${ownOrUpdate}) } type Post { title: String }`,
      { Query: { post: async (_: unknown, { id }: { id: number }) => posts[id - 1] } },
    );
    expect((await ask(schema, viewer, '{ post(id: 1) { title } }')).data).toEqual({ post: { title: 'mine' } });
    expect((await ask(schema, viewer, '{ post(id: 2) { title } }')).errors).toEqual(['post: FORBIDDEN']);
    expect((await ask(schema, admin, '{ post(id: 2) { title } }')).errors).toEqual([]);
  });

  test('does not run the resolver for an anonymous caller', async () => {
    let ran = 0;
    const schema = schemaOf(`post: Post @auth(${ownOrUpdate}, onDeny: NULL)`, () => ++ran);
    expect((await ask(schema, anonymous, '{ post { id } }')).errors).toEqual(['post: UNAUTHENTICATED']);
    expect(ran).toBe(0);
  });

  test('ERROR in a list costs the item, not the list', async () => {
    const schema = schemaOf(`posts: [Post] @auth(${ownOrUpdate})`, () => posts);
    const answer = await ask(schema, viewer, '{ posts { title } }');
    expect(answer).toMatchObject({
      data: { posts: [{ title: 'mine' }, null, { title: 'mine too' }] },
      errors: ['posts.1: FORBIDDEN'],
    });
  });

  test('nothing found is nothing to decide on', async () => {
    const schema = schemaOf(`post: Post @auth(${ownOrUpdate})`, () => null);
    expect(await ask(schema, viewer, '{ post { id } }')).toMatchObject({ data: { post: null }, errors: [] });
  });
});

describe('onDeny: NULL', () => {
  test('hides without a word: the hidden and the missing answer alike', async () => {
    const schema = protectedSchema(
      `type Query { post(id: Int!): Post @auth(${ownOrUpdate}, onDeny: NULL) } type Post { title: String }`,
      { Query: { post: (_: unknown, { id }: { id: number }) => posts[id - 1] } },
    );
    const hidden = await ask(schema, viewer, '{ post(id: 2) { title } }');
    const missing = await ask(schema, viewer, '{ post(id: 9) { title } }');
    expect(hidden.text).toBe(missing.text);
    expect(hidden).toMatchObject({ data: { post: null }, errors: [] });
  });

  test('before the resolver: it does not run', async () => {
    let ran = 0;
    const schema = schemaOf('post: Post @auth(permissions: ["update"], onDeny: NULL)', () => ++ran);
    expect(await ask(schema, viewer, '{ post { id } }')).toMatchObject({ data: { post: null }, errors: [] });
    expect(ran).toBe(0);
  });

  test('in a list is per item', async () => {
    const schema = schemaOf(`posts: [Post]! @auth(${ownOrUpdate}, onDeny: NULL)`, () => posts);
    expect(await ask(schema, viewer, '{ posts { id } }')).toMatchObject({
      data: { posts: [{ id: '1' }, null, { id: '3' }] },
      errors: [],
    });
  });

  test('an anonymous caller gets the error all the same', async () => {
    const schema = schemaOf('post: Post @auth(permissions: ["update"], onDeny: NULL)', () => ({}));
    expect((await ask(schema, anonymous, '{ post { id } }')).errors).toEqual(['post: UNAUTHENTICATED']);
  });

  test('of one rule does not hide the error of another', async () => {
    const schema = schemaOf(
      'post: Post @auth(policy: [["no"]], onDeny: NULL) @auth(requires: "admin") @auth(policy: [["no"]])',
      () => ({ id: 1 }),
      { policies: { no: () => false } },
    );
    expect((await ask(schema, viewer, '{ post { id } }')).errors).toEqual(['post: FORBIDDEN']);
    expect((await ask(schema, admin, '{ post { id } }')).errors).toEqual(['post: FORBIDDEN']);
  });
});

describe('onDeny: FILTER', () => {
  const field = `posts: [Post!]! @auth(${ownOrUpdate}, onDeny: FILTER)`;

  test.each<[string, () => unknown]>([
    ['an array', () => posts],
    ['a promise', async () => posts],
    ['an array of promises', () => posts.map((post) => Promise.resolve(post))],
    ['a set', () => new Set(posts)],
    [
      'a generator',
      function* () {
        yield* posts;
      },
    ],
  ])('DIR-14 leaves out of %s what the caller may not see', async (_, resolver) => {
    const schema = schemaOf(field, resolver);
    const answer = await ask(schema, viewer, '{ posts { id title } }');
    expect(answer.text).not.toContain('SECRET');
    expect(answer).toMatchObject({ data: { posts: [{ id: '1' }, { id: '3' }] }, errors: [] });
    expect((await ask(schema, admin, '{ posts { id } }')).data).toEqual({
      posts: [{ id: '1' }, { id: '2' }, { id: '3' }],
    });
  });

  test('leaves errors of items to the executor', async () => {
    const schema = schemaOf(`posts: [Post] @auth(${ownOrUpdate}, onDeny: FILTER)`, () => [
      Promise.reject(new Error('not found')),
      ...posts.map(async (post) => post),
      new Error('broken'),
    ]);
    expect(await ask(schema, viewer, '{ posts { id } }')).toMatchObject({
      data: { posts: [null, { id: '1' }, { id: '3' }, null] },
      errors: ['posts.0: not found', 'posts.3: broken'],
    });
  });

  test('reaches into lists of lists', async () => {
    const schema = schemaOf(`posts: [[Post!]!] @auth(${ownOrUpdate}, onDeny: FILTER)`, () => [posts, [posts[1]]]);
    expect((await ask(schema, viewer, '{ posts { id } }')).data).toEqual({ posts: [[{ id: '1' }, { id: '3' }], []] });
  });

  test('DIR-14 decides 1,000 items with one question to the decision point', async () => {
    const asked: string[] = [];
    const schema = schemaOf(
      field,
      () => Array.from({ length: 1000 }, (_, id) => ({ id, authorId: id % 2 ? 'v1' : 'x' })),
      {
        pdp: {
          decide: ({ action }: { action: string }) => ({
            allowed: asked.push(action) === 0,
            effect: 'deny',
            reason: 'no_permission',
          }),
        },
      },
    );
    const { data } = await ask(schema, viewer, '{ posts { id } }');
    expect((data as { posts: unknown[] }).posts).toHaveLength(500);
    expect(asked).toEqual(['update']);
  });

  test('waits for policies that take their time', async () => {
    const schema = schemaOf('posts: [Post] @auth(policy: [["odd"]], from: RESULT, onDeny: FILTER)', () => posts, {
      policies: { odd: async ({ result }: { result: { id: number } }) => result.id % 2 === 1 },
    });
    expect((await ask(schema, viewer, '{ posts { id } }')).data).toEqual({ posts: [{ id: '1' }, { id: '3' }] });
  });
});

describe('onDeny: MASK', () => {
  const typeDefs = `
    type Query { users: [User!]! @auth(permissions: ["read"]) }
    type User @auth(permissions: ["read"]) {
      id: ID!
      email: String! @auth(rule: { any: [{ owner: "id" }, { permission: "manage_users" }] }, onDeny: MASK)
    }
  `;
  const resolvers = {
    Query: {
      users: () => [
        { id: 'v1', email: 'v@example.org' },
        { id: 'x', email: 'SECRET@example.org' },
      ],
    },
  };
  const masks = { 'User.email': (email: unknown) => String(email).replace(/^.*@/, '***@') };

  test('shows what the mask makes of the value, and the value to those who may see it', async () => {
    const schema = protectedSchema(typeDefs, resolvers, { masks });
    const emails = async (who: typeof viewer) =>
      ((await ask(schema, who, '{ users { email } }')).data as { users: unknown }).users;
    expect(await emails(viewer)).toEqual([{ email: 'v@example.org' }, { email: '***@example.org' }]);
    expect(await emails(admin)).toEqual([{ email: 'v@example.org' }, { email: 'SECRET@example.org' }]);
  });

  test('waits for the value', async () => {
    const later = { ...resolvers, User: { email: async ({ email }: { email: string }) => email } };
    const schema = protectedSchema(typeDefs, later, { masks });
    expect((await ask(schema, viewer, '{ users { email } }')).text).not.toContain('SECRET');
  });

  test('does not soften a rule that denies with an error', async () => {
    const schema = protectedSchema(typeDefs, resolvers, { masks });
    expect((await ask(schema, principal('x'), '{ users { email } }')).errors).toEqual(['users: FORBIDDEN']);
  });

  test('a mask that fails shows nothing', async () => {
    const told: unknown[] = [];
    const fails = () => {
      throw new Error('cannot mask SECRET@example.org');
    };
    const schema = protectedSchema(typeDefs, resolvers, {
      masks: { 'User.email': fails },
      onError: (error) => told.push(error),
    });
    const answer = await ask(schema, viewer, '{ users { email } }');
    expect(answer.text).not.toContain('SECRET');
    expect(answer.errors).toEqual(['users.1.email: FORBIDDEN']);
    expect(told).toHaveLength(1);
  });

  test('an error of the resolver stays an error', async () => {
    const schema = protectedSchema(typeDefs, { ...resolvers, User: { email: () => new Error('broken') } }, { masks });
    expect((await ask(schema, principal('z', 'viewer'), '{ users { id email } }')).errors).toEqual([
      'users.0.email: broken',
    ]);
  });

  test('with from: RESULT masks each item', async () => {
    const schema = protectedSchema(
      'type Query { phones: [String] @auth(policy: [["own"]], from: RESULT, onDeny: MASK) }',
      { Query: { phones: () => ['1', '2', null] } },
      { policies: { own: ({ result }) => result === '1' }, masks: { 'Query.phones': () => '***' } },
    );
    expect((await ask(schema, viewer, '{ phones }')).data).toEqual({ phones: ['1', '***', null] });
  });

  test('of an interface field takes the mask of the interface, or of the type', async () => {
    const schema = protectedSchema(
      `type Query { all: [I] } interface I { x: String @auth(requires: "admin", onDeny: MASK) }
       type A implements I { x: String } type B implements I { x: String }`,
      {
        Query: {
          all: () => [
            { __typename: 'A', x: 'SECRET' },
            { __typename: 'B', x: 'SECRET' },
          ],
        },
      },
      { masks: { 'I.x': () => 'i', 'B.x': () => 'b' } },
    );
    expect((await ask(schema, viewer, '{ all { x } }')).data).toEqual({ all: [{ x: 'i' }, { x: 'b' }] });
  });
});
