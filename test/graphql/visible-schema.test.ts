import { deny, type Principal } from 'doorward';
import { assertProtected, coverage, protectSchema, visibleSchema } from 'doorward/graphql';
import fc from 'fast-check';
import {
  extendSchema,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  graphql,
  isAbstractType,
  isLeafType,
  isObjectType,
  parse,
  printSchema,
  validate,
  validateSchema,
} from 'graphql';
import { describe, expect, test } from 'vitest';
import { executeOn, object, type Rules, root, somePrincipal, someRules, world } from './small-world.ts';
import { admin, anonymous, ask, build, editor, principal, protectedSchema, roleTable, viewer } from './support.ts';

const typeDefs = `
  type Query {
    posts(drafts: Boolean @auth(requires: "editor"), page: Int): [Post!]
    revenue: Int @auth(requires: "admin")
    revenues: Int
    hit: Hit
    notes: [Note!] @auth(owner: "x", from: RESULT)
    settings: Settings
    vault: Int @auth(maxAge: 60)
    masked: Int @auth(requires: "admin", onDeny: NULL)
  }
  type Mutation { purge: Int @auth(requires: "admin") create(input: PostInput!): Int @auth(permissions: ["create"]) }
  type Subscription { audited: Int @auth(requires: "admin") }
  interface Node { id: ID }
  type Post implements Node { id: ID title: String draft: Int @auth(policy: [["slow"]]) }
  type Note { text: String }
  type Secret implements Node @auth(requires: "admin") { id: ID key: String }
  type Settings { smtp: String @auth(requires: "admin") host: String @auth(requires: "admin") }
  union Hit = Post | Secret
  input PostInput { title: String! authorId: ID @auth(permissions: ["manage_users"]) }
  type Extra { node: Node @auth }
  extend type Query { extra: Extra }
`;
const policies = { slow: async () => false };
const schema = protectedSchema(typeDefs, {}, { policies });
const visible = async (who: Principal | undefined, of = schema): Promise<GraphQLSchema> => visibleSchema(of, who);
const problems = async (who: Principal | undefined, source: string): Promise<readonly string[]> =>
  validate(await visible(who), parse(source)).map(({ message }) => message);

describe('GQL-08 what a caller can never see', () => {
  test('is an unknown field, which no suggestion names', async () => {
    expect(await problems(viewer, '{ revenue }')).toEqual([
      'Cannot query field "revenue" on type "Query". Did you mean "revenues"?',
    ]);
    expect(await problems(viewer, '{ revenu }')).toEqual([
      'Cannot query field "revenu" on type "Query". Did you mean "revenues"?',
    ]);
    expect(await problems(admin, '{ revenu }')).toEqual([
      'Cannot query field "revenu" on type "Query". Did you mean "revenue" or "revenues"?',
    ]);
    expect(await problems(viewer, '{ hit { ... on Secret { key } } }')).toEqual(['Unknown type "Secret".']);
    expect(await problems(viewer, '{ posts(drafts: true) { id } }')).toEqual([
      'Unknown argument "drafts" on field "Query.posts".',
    ]);
    expect(await problems(editor, 'mutation { create(input: { title: "x", authorId: 1 }) }')).toEqual([
      // graphql 16 and 17 say it in other words.
      expect.stringMatching(/^Field "authorId" is not defined by|not to include unknown field "authorId", found/),
    ]);
    expect(await problems(admin, 'mutation { create(input: { title: "x", authorId: 1 }) purge }')).toEqual([]);
  });

  test('stands nowhere in the schema, in no description of it and in no syntax tree', async () => {
    const all = await visible(viewer);
    expect(all.getSubscriptionType()).toBeUndefined();
    const nodes = Object.values(all.getTypeMap()).map(({ astNode, extensionASTNodes }) => [astNode, extensionASTNodes]);
    const text = printSchema(all) + JSON.stringify(nodes, (key, value) => (key === 'loc' ? undefined : value));
    for (const name of ['revenue"', 'purge', 'audited', 'Secret', 'smtp', 'Settings', 'drafts', 'authorId']) {
      expect([name, text.includes(name)]).toEqual([name, false]);
    }
  });

  test('does not include what depends on the object, the result, a policy or the login', async () => {
    expect(
      await problems(viewer, '{ posts(page: 1) { draft } notes { text } vault masked hit { ... on Post { id } } }'),
    ).toEqual([]);
  });

  test('is for an anonymous caller whatever has a rule', async () => {
    const text = printSchema(await visible(anonymous));
    expect(text).toContain('posts(page: Int): [Post!]');
    for (const name of ['vault', 'notes', 'draft:', 'Mutation', 'masked', 'Extra']) expect(text).not.toContain(name);
  });

  test('may be everything: then Query has a field that is null', async () => {
    const closed = protectedSchema('type Query { a: Int @auth } type Mutation { b: Int @auth }');
    const nothing = await visible(anonymous, closed);
    expect(printSchema(nothing)).toMatch(/^type Query {[^}]*_empty: Boolean\n}/m);
    expect(validateSchema(nothing)).toEqual([]);
    expect((await graphql({ schema: nothing, source: '{ __typename _empty }' })).data).toEqual({
      __typename: 'Query',
      _empty: null,
    });
    expect(() => assertProtected(nothing)).not.toThrow();
  });

  test('leaves no union without a member that an interface still leads to', async () => {
    const whole = protectedSchema(`
      type Query { i: I }
      interface I { u: U @auth kid: I @auth }
      type A implements I @auth { u: U kid: I }
      type B implements I { u: U kid: I y: Int }
      type C { z: Int @auth a: A }
      union U = A | C
    `);
    const part = await visible(anonymous, whole);
    expect(validateSchema(part)).toEqual([]);
    expect(() => assertProtected(part)).not.toThrow();
    expect(Object.keys((part.getType('B') as GraphQLObjectType).getFields())).toContain('y');
  });

  test('is also what a decision point does not answer for, since that is denied', async () => {
    const down = protectedSchema(
      'type Query { a: Int @auth(permissions: ["read"]) b: Int }',
      {},
      {
        pdp: { decide: () => deny('timeout') },
      },
    );
    expect(printSchema(await visible(admin, down))).not.toContain('a: Int');
  });

  test('is nothing in a dry run', async () => {
    const dry = protectedSchema('type Query { a: Int @auth }', {}, { enforce: 'dry-run' });
    expect(await visible(anonymous, dry)).toBe(dry);
  });
});

describe('a visible schema', () => {
  test('is guarded as before', async () => {
    const resolvers = { Query: { hit: () => ({ __typename: 'Secret', key: 'KEY' }), posts: () => [{ draft: 5 }] } };
    const whole = protectedSchema(typeDefs, resolvers, { policies });
    const answer = await ask(await visible(viewer, whole), viewer, '{ hit { __typename } posts { draft } }');
    expect(answer.errors).toEqual(['hit: FORBIDDEN', 'posts.0.draft: FORBIDDEN']);
    const nobody = await ask(await visible(anonymous, whole), anonymous, '{ hit { __typename } }');
    expect(nobody.errors).toEqual(['hit: UNAUTHENTICATED']);
    // Also for another caller than the one it was made for.
    const other = await ask(await visible(admin, whole), viewer, '{ revenue hit { __typename } }');
    expect(other.errors).toEqual(['revenue: FORBIDDEN', 'hit: FORBIDDEN']);
  });

  test('keeps what is given by default, so that resolvers get the same arguments', async () => {
    const sdl = 'type Query { a(filter: Filter = null): String } input Filter @auth(requires: "admin") { x: Int }';
    const resolvers = { Query: { a: (_: unknown, args: object) => JSON.stringify(args) } };
    const whole = protectedSchema(sdl, resolvers);
    const answer = await ask(await visible(viewer, whole), viewer, '{ a }');
    expect(answer).toEqual(await ask(whole, viewer, '{ a }'));
    expect(answer.data).toEqual({ a: '{"filter":null}' });
  });

  test('passes assertProtected, until a guard is replaced in it', async () => {
    const part = await visible(viewer);
    expect(() => assertProtected(part)).not.toThrow();
    expect(coverage(part)).toEqual(coverage(schema));
    const replaced = await visible(viewer, protectedSchema(typeDefs, {}, { policies }));
    const { notes } = (replaced.getType('Query') as ReturnType<typeof Object>).getFields();
    notes.resolve = () => [];
    expect(() => assertProtected(replaced)).toThrow('Query.notes lost its guard');
    const retyped = await visible(viewer, protectedSchema(typeDefs, {}, { policies }));
    (retyped.getType('Hit') as ReturnType<typeof Object>).resolveType = () => 'Post';
    expect(() => assertProtected(retyped)).toThrow('Hit lost its guard');
  });

  test('can not be protected again', async () => {
    const part = await visible(viewer);
    expect(() => protectSchema(part, { pdp: roleTable() })).toThrow('is protected already');
  });

  test('is one object for all of whom the same rules hold, whatever their names', async () => {
    expect(await visible(viewer)).toBe(await visible(principal('other', 'viewer')));
    expect(await visible(viewer)).not.toBe(await visible(admin));
    expect(await visible(anonymous)).toBe(await visible(undefined));
    expect(await visible(principal('n', 'no such role'))).toBe(await visible(principal('m')));
  });

  test('keeps no more schemas than it may, the last used ones', async () => {
    const whole = protectedSchema(typeDefs, {}, { policies });
    const limited = (who: Principal | undefined) => visibleSchema(whole, who, { maxSchemas: 2 });
    const [first, second] = [limited(viewer), limited(admin)];
    expect(limited(viewer)).toBe(first);
    await limited(anonymous);
    expect(limited(viewer)).toBe(first);
    expect(limited(admin)).not.toBe(second);
  });

  test('asks the decision point of each permission once, together with the operation if told of its moment', async () => {
    const pdp = roleTable();
    const whole = protectedSchema(typeDefs, { Mutation: { create: () => 1 } }, { policies, pdp });
    const source = 'mutation { create(input: { title: "x" }) }';
    const one = principal('e', 'editor');
    await ask(visibleSchema(whole, one, { environment: () => ({ time: 0 }) }) as GraphQLSchema, one, source);
    expect(pdp.asked.toSorted()).toEqual(['create', 'manage_users']);
    const two = principal('e', 'editor');
    await ask(visibleSchema(whole, two) as GraphQLSchema, two, source);
    expect(pdp.asked.length).toBe(5);
  });

  test('waits for a remote decision point', async () => {
    const local = roleTable();
    const pdp = { ...local, decide: async (request: Parameters<typeof local.decide>[0]) => local.decide(request) };
    const whole = protectedSchema(typeDefs, {}, { policies, pdp });
    const made = visibleSchema(whole, editor);
    expect(made).toBeInstanceOf(Promise);
    expect(printSchema(await made)).toBe(printSchema(await visible(editor)));
  });

  test('of a visible schema is one of the whole', async () => {
    expect(await visible(admin, await visible(viewer))).toBe(await visible(admin));
  });

  test('is refused for a schema that is not protected, or lost a guard', () => {
    expect(() => visibleSchema(build(typeDefs), viewer)).toThrow('schema is not protected');
    const gap = extendSchema(schema, parse('extend type Query { more: Int @auth }'));
    expect(() => visibleSchema(gap, viewer)).toThrow('Query.more has rules and no guard');
    expect(() => visibleSchema(schema, viewer, { maxSchemas: 0 })).toThrow('maxSchemas must be');
    expect(() => visibleSchema(schema, viewer, { max: 1 } as object)).toThrow('max is not a known option');
  });
});

describe('whatever rules there are', () => {
  const cases = (
    run: (whole: GraphQLSchema, who: Principal | undefined, rules: Rules) => Promise<void>,
    numRuns: number,
  ) =>
    fc.assert(
      fc.asyncProperty(someRules, somePrincipal, fc.boolean(), (rules, who, isAsync) =>
        run(world(rules, isAsync), who, rules),
      ),
      { numRuns },
    );

  test('the schema is valid, and passes assertProtected', async () => {
    await cases(async (whole, who) => {
      const part = await visibleSchema(whole, who);
      expect(validateSchema(part).map(({ message }) => message)).toEqual([]);
      expect(() => assertProtected(part)).not.toThrow();
    }, 100);
  }, 120_000);

  test('what is hidden never gives a value', async () => {
    let hidden = 0;
    const round = () =>
      cases(async (whole, who) => {
        const part = await visibleSchema(whole, who);
        for (const type of Object.values(whole.getTypeMap()).filter(isObjectType)) {
          if (type.name.startsWith('__')) continue;
          const shown = part.getType(type.name);
          for (const field of Object.values(type.getFields())) {
            if (isObjectType(shown) && shown.getFields()[field.name] !== undefined) continue;
            // A type that nothing visible leads to is hidden without having been denied.
            if (shown === undefined && !isDenied(whole, type.name)) continue;
            hidden++;
            const coordinate = `${type.name}.${field.name}`;
            const args = coordinate === 'Mutation.m' ? '(in: { r: 2 })' : '';
            for (const n of [0, 1, 2, 3]) {
              const value = type.name.length === 1 ? object(type.name as 'A', n) : root(n);
              const source = `{ ${field.name}${args}${selection(whole, getNamedType(field.type), 2)} }`;
              const { data } = await executeOn(whole, type.name, [source, value, who]);
              expect([coordinate, /VALUE|RED|[78]/.test(JSON.stringify(data))]).toEqual([coordinate, false]);
            }
          }
        }
      }, 40);
    // Random rules may hide little, by chance.
    for (let rounds = 0; rounds < 5 && hidden <= 30; rounds++) await round();
    expect(hidden).toBeGreaterThan(30);
  }, 120_000);

  test('a document that is valid on it has the same result on the whole', async () => {
    let compared = 0;
    await cases(async (whole, who) => {
      const part = await visibleSchema(whole, who);
      // An object of a hidden type is refused on the visible schema; the whole one may tell its `__typename`.
      if (lostPossibleTypes(whole, part)) return;
      const query = part.getQueryType();
      if (query === null || query === undefined || query.getFields()._empty) return;
      const source = selection(part, query, 4);
      expect(validate(whole, parse(source))).toEqual([]);
      for (const n of [0, 1]) {
        const visibly = await executeOn(part, 'Query', [source, root(n), who]);
        expect(visibly).toEqual(await executeOn(whole, 'Query', [source, root(n), who]));
        compared++;
      }
    }, 120);
    expect(compared).toBeGreaterThan(40);
  }, 120_000);
});

function isDenied(whole: GraphQLSchema, name: string): boolean {
  return coverage(whole).some(
    ({ coordinate, rules }) => coordinate.startsWith(`${name}.`) && rules.some(({ via }) => via === 'TYPE'),
  );
}

function lostPossibleTypes(whole: GraphQLSchema, part: GraphQLSchema): boolean {
  return Object.values(part.getTypeMap())
    .filter(isAbstractType)
    .some((type) => {
      const original = whole.getType(type.name);
      const possible = isAbstractType(original) ? whole.getPossibleTypes(original) : [];
      return possible.some(({ name }) => part.getType(name) === undefined);
    });
}

/** Everything that can be asked of a type, to a depth; fields that need arguments are left out. */
function selection(schema: GraphQLSchema, type: GraphQLNamedType, depth: number): string {
  if (isLeafType(type)) return '';
  if (isAbstractType(type)) {
    const parts = schema.getPossibleTypes(type).map((each) => `... on ${each.name} ${selection(schema, each, depth)}`);
    return `{ ${parts.join(' ')} }`;
  }
  if (!isObjectType(type)) return '';
  const fields = Object.values(type.getFields()).map(({ name, type: fieldType }) => {
    const named = getNamedType(fieldType);
    if (isLeafType(named)) return name;
    const alias = `${type.name}_${name}`;
    return depth === 0 ? '' : `${alias}: ${name} ${selection(schema, named, depth - 1)}`;
  });
  return `{ ${fields.join(' ')} ${fields.some((field) => field !== '') ? '' : '__typename'} }`;
}
