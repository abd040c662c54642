import { addResolversToSchema } from '@graphql-tools/schema';
import { protectSchema } from 'doorward/graphql';
import {
  execute,
  GraphQLInputObjectType,
  GraphQLObjectType,
  GraphQLSchema,
  GraphQLString,
  isObjectType,
  parse,
  printSchema,
  validateSchema,
} from 'graphql';
import { describe, expect, test } from 'vitest';
import { build, contextOf, nobody, roleTable, viewer } from './support.ts';

const typeDefs = `
  "Starts here."
  type Query { node(filter: Filter = { name: "x" }, kind: Kind = A): Node things: [[Thing!]!]! mine: Post @auth(permissions: ["read"]) }
  type Mutation { send(filter: Filter!): Post }
  type Subscription { sent: Post }
  interface Node { id: ID! }
  interface Named implements Node { id: ID! name: String }
  union Thing = Post | Author
  type Post implements Node & Named { id: ID! name: String author: Author! @deprecated(reason: "old") }
  type Author @auth(permissions: ["read"]) { posts(first: Int = 3): [Post!] }
  enum Kind { A B @deprecated }
  input Filter { name: String nested: Filter }
`;
const options = { pdp: roleTable() };

describe('the protected schema', () => {
  test('is the same schema: every type, field, argument, default, description and order', () => {
    const schema = build(typeDefs);
    const guarded = protectSchema(schema, options);
    expect(printSchema(guarded)).toBe(printSchema(schema));
    expect(Object.keys(guarded.getTypeMap())).toEqual(Object.keys(schema.getTypeMap()));
    expect(validateSchema(guarded)).toEqual([]);
    expect(guarded.getDirectives()).toEqual(schema.getDirectives());
  });

  test('leads from no type back to a type without guards', () => {
    const schema = build(typeDefs);
    const guarded = protectSchema(schema, options);
    for (const [name, type] of Object.entries(guarded.getTypeMap())) {
      const isShared = type === schema.getType(name);
      const hasOutput = 'getFields' in type ? !(type instanceof GraphQLInputObjectType) : 'getTypes' in type;
      expect([name, isShared]).toEqual([name, !hasOutput || name.startsWith('__')]);
    }
    expect(guarded.getPossibleTypes(guarded.getType('Thing') as never)).toEqual([
      guarded.getType('Post'),
      guarded.getType('Author'),
    ]);
    expect(guarded.getImplementations(guarded.getType('Node') as never).objects).toEqual([guarded.getType('Post')]);
  });

  test('keeps what other libraries have put on a type, symbols and functions included', () => {
    const schema = build(typeDefs);
    const key = Symbol('key');
    const resolveReference = () => ({ id: '1' });
    Object.assign(schema.getType('Post') as object, { resolveReference, [key]: 1 });
    Object.assign(schema.getType('Thing') as object, { owner: 'team' });
    const guarded = protectSchema(schema, options);
    expect(guarded.getType('Post')).toMatchObject({ resolveReference, [key]: 1 });
    expect(guarded.getType('Thing')).toMatchObject({ owner: 'team' });
  });

  test('keeps extensions, SDL nodes and tests of types', () => {
    const isTypeOf = () => true;
    const query = new GraphQLObjectType({
      name: 'Query',
      isTypeOf,
      extensions: { complexity: 3 },
      fields: { a: { type: GraphQLString, extensions: { cost: 2 }, resolve: () => 'a' } },
    });
    const guarded = protectSchema(new GraphQLSchema({ query, extensions: { name: 'x' } }), {
      ...options,
      rules: { 'Query.a': { permissions: ['read'] } },
    }).getQueryType();
    expect(guarded?.isTypeOf).toBe(isTypeOf);
    expect({ ...guarded?.extensions }).toEqual({ complexity: 3 });
    expect({ ...guarded?.getFields().a?.extensions }).toMatchObject({ cost: 2 });
    const sdl = build(typeDefs);
    expect(protectSchema(sdl, options).getType('Post')?.astNode).toBe(sdl.getType('Post')?.astNode);
  });

  test('guards, whatever the schema given is changed to afterwards', async () => {
    const schema = build(typeDefs, { Query: { mine: () => ({ id: '1' }) } });
    const guarded = protectSchema(schema, options);
    addResolversToSchema({ schema, resolvers: { Query: { mine: () => ({ id: '2' }) } }, updateResolversInPlace: true });
    const document = parse('{ mine { id } }');
    const seen = await execute({ schema: guarded, document, contextValue: contextOf(nobody) });
    expect(seen).toMatchObject({ data: { mine: null }, errors: [{ extensions: { code: 'FORBIDDEN' } }] });
    expect(await execute({ schema: guarded, document, contextValue: contextOf(viewer) })).toMatchObject({
      data: { mine: { id: '1' } },
    });
  });

  test('stops a field whose own resolver is the default one as any other', async () => {
    const schema = protectSchema(
      build('type Query { a: A } type A { secret: String @auth(permissions: ["read"]) }'),
      options,
    );
    const document = parse('{ a { one: secret two: secret } }');
    const rootValue = { a: { secret: 's3cret' } };
    for (const who of [viewer, nobody, undefined, viewer]) {
      const result = await execute({ schema, document, rootValue, contextValue: contextOf(who) });
      expect(JSON.stringify(result).includes('s3cret')).toBe(who === viewer);
    }
    expect(isObjectType(schema.getType('A'))).toBe(true);
  });

  test('asks for the context of a field anew, also when the host swaps who is asking', async () => {
    const context = contextOf(viewer);
    const rootValue = {
      a: () => 'a',
      b: () => {
        context.auth.principal = nobody;
        return 'b';
      },
      c: () => 'c',
    };
    const rule = '@auth(permissions: ["read"])';
    const schema = protectSchema(
      build(`type Query { a: String ${rule} b: String ${rule} c: String ${rule} }`),
      options,
    );
    const { data } = await execute({ schema, document: parse('{ a b c }'), rootValue, contextValue: context });
    expect({ ...data }).toEqual({ a: 'a', b: 'b', c: null });
  });
});
