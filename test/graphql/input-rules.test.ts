import { describe, expect, test } from 'vitest';
import { admin, anonymous, ask, principal, protectedSchema, viewer } from './support.ts';

const typeDefs = `
  type Query { ok: Int }
  type Mutation {
    createPost(title: String, authorId: ID @auth(rule: { any: [{ permission: "manage_users" }, { owner: "authorId" }] }), input: PostInput): String
    import(posts: [[PostInput!]]): String
    wrap(outer: Outer): String
    search(limit: Int = 10 @auth(permissions: ["update"])): String
    tag(kind: Kind, kinds: [Kind]): String
  }
  input PostInput {
    title: String
    authorId: ID @auth(rule: { any: [{ permission: "manage_users" }, { owner: "authorId" }] })
    children: [PostInput]
    meta: MetaInput
    pinned: Boolean = false
  }
  input Outer { inner: Inner }
  input Inner { posts: [PostInput] outer: Outer }
  input MetaInput @auth(permissions: ["update"]) { x: Int }
  enum Kind @auth(permissions: ["update"]) { A }
`;

function run(who: typeof viewer | undefined, source: string, variables: Record<string, unknown> = {}) {
  const ran: unknown[] = [];
  const resolver = (_: unknown, args: unknown) => {
    ran.push(args);
    return 'done';
  };
  const schema = protectedSchema(typeDefs, {
    Mutation: { createPost: resolver, import: resolver, wrap: resolver, search: resolver, tag: resolver },
  });
  return ask(schema, who, source, variables).then((answer) => ({ errors: answer.errors, ran: ran.length }));
}

const passed = { errors: [], ran: 1 };
const denied = (field: string) => ({ errors: [`${field}: FORBIDDEN`], ran: 0 });

describe('DIR-13 a rule on an argument', () => {
  test('is asked only where the argument is given', async () => {
    expect(await run(viewer, 'mutation { createPost(title: "t") }')).toEqual(passed);
    expect(await run(anonymous, 'mutation { createPost(title: "t") }')).toEqual(passed);
    expect(await run(anonymous, 'mutation { createPost(authorId: "v1") }')).toEqual({
      errors: ['createPost: UNAUTHENTICATED'],
      ran: 0,
    });
  });

  test('looks at the arguments, and stops the resolver', async () => {
    expect(await run(viewer, 'mutation { createPost(authorId: "v1") }')).toEqual(passed);
    expect(await run(viewer, 'mutation { createPost(authorId: "other") }')).toEqual(denied('createPost'));
    expect(await run(admin, 'mutation { createPost(authorId: "other") }')).toEqual(passed);
  });

  test('reaches variables, and defaults of variables', async () => {
    const source = 'mutation($a: ID) { createPost(authorId: $a) }';
    expect(await run(viewer, source, { a: 'other' })).toEqual(denied('createPost'));
    expect(await run(viewer, source)).toEqual(passed);
    expect(await run(viewer, 'mutation($a: ID = "other") { createPost(authorId: $a) }')).toEqual(denied('createPost'));
  });

  test('counts an explicit null as given', async () => {
    expect(await run(viewer, 'mutation { createPost(authorId: null) }')).toEqual(denied('createPost'));
  });

  test('reaches the default of the argument itself', async () => {
    expect(await run(viewer, 'mutation { search }')).toEqual(denied('search'));
    expect(await run(admin, 'mutation { search(limit: 3) }')).toEqual(passed);
  });

  test('may come from its type', async () => {
    expect(await run(viewer, 'mutation { tag }')).toEqual(passed);
    expect(await run(viewer, 'mutation { tag(kind: A) }')).toEqual(denied('tag'));
    expect(await run(viewer, 'mutation { tag(kinds: [A]) }')).toEqual(denied('tag'));
    expect(await run(admin, 'mutation { tag(kind: A, kinds: [A]) }')).toEqual(passed);
  });
});

describe('DIR-13 a rule on an input field', () => {
  test('is asked at every depth, through lists and variables, for the object that holds the value', async () => {
    const source = 'mutation($p: [[PostInput!]]) { import(posts: $p) }';
    const nested = (authorId: string) => ({
      p: [[{ authorId: 'v1', children: [{ title: 't' }, { children: [{ authorId }] }] }]],
    });
    expect(await run(viewer, source, nested('v1'))).toEqual(passed);
    expect(await run(viewer, source, nested('other'))).toEqual(denied('import'));
    expect(await run(admin, source, nested('other'))).toEqual(passed);
    expect(await run(viewer, 'mutation { import(posts: [[{ authorId: "v1" }, { authorId: "other" }]]) }')).toEqual(
      denied('import'),
    );
    expect(await run(viewer, 'mutation { import(posts: {authorId: "other"}) }')).toEqual(denied('import'));
  });

  test('is found through input types that have no rule of their own', async () => {
    const source = 'mutation($o: Outer) { wrap(outer: $o) }';
    const around = (authorId: string) => ({ o: { inner: { outer: { inner: { posts: [{ authorId }] } } } } });
    expect(await run(viewer, source, around('other'))).toEqual(denied('wrap'));
    expect(await run(viewer, source, around('v1'))).toEqual(passed);
  });

  test('is not asked where the field is absent', async () => {
    expect(await run(anonymous, 'mutation { createPost(input: { title: "t", children: [null] }) }')).toEqual(passed);
  });

  test('on the input type is asked where an object of it is given', async () => {
    expect(await run(viewer, 'mutation { createPost(input: { meta: { x: 1 } }) }')).toEqual(denied('createPost'));
    expect(await run(viewer, 'mutation { createPost(input: { meta: null }) }')).toEqual(passed);
    expect(await run(admin, 'mutation { createPost(input: { meta: {} }) }')).toEqual(passed);
  });

  test('denies with one error, however many values are denied', async () => {
    const posts = Array.from({ length: 50 }, () => ({ authorId: 'other' }));
    expect(await run(viewer, 'mutation($p: [[PostInput!]]) { import(posts: $p) }', { p: [posts] })).toEqual(
      denied('import'),
    );
  });

  test('sees only what was given: names that objects inherit are not present', async () => {
    const schema = protectedSchema(
      'type Query { a(toString: ID @auth(requires: "admin"), input: In): String } input In { constructor: ID @auth(requires: "admin"), x: Int }',
      { Query: { a: () => 'a' } },
    );
    expect((await ask(schema, anonymous, '{ a(input: { x: 1 }) }')).errors).toEqual([]);
    expect((await ask(schema, viewer, '{ a(toString: 1) }')).errors).toEqual(['a: FORBIDDEN']);
    expect((await ask(schema, viewer, '{ a(input: { constructor: 1 }) }')).errors).toEqual(['a: FORBIDDEN']);
  });
});

test('DIR-13 DIR-03 a rule on the argument of an interface field holds in its implementations', async () => {
  const schema = protectedSchema(
    `type Query { t: T } interface I { x(full: Boolean @auth(requires: "admin")): String } type T implements I { x(full: Boolean): String }`,
    { Query: { t: () => ({ x: 'SECRET' }) } },
  );
  expect((await ask(schema, viewer, '{ t { x(full: true) } }')).errors).toEqual(['t.x: FORBIDDEN']);
  expect((await ask(schema, viewer, '{ t { x } }')).errors).toEqual([]);
});

test('DIR-13 a policy on an input field is told the object that holds it', async () => {
  const seen: unknown[] = [];
  const schema = protectedSchema(
    'type Query { a(input: [In]): String } input In { id: ID @auth(policy: [["look"]]) }',
    { Query: { a: () => 'a' } },
    { policies: { look: ({ resource, args, coordinate }) => seen.push({ resource, args, coordinate }) > 0 } },
  );
  await ask(schema, principal('x'), '{ a(input: [{ id: 1 }, {}]) }');
  expect(seen).toEqual([{ resource: { id: '1' }, args: { input: [{ id: '1' }, {}] }, coordinate: 'Query.a' }]);
});
