import { addResolversToSchema, makeExecutableSchema, mergeSchemas } from '@graphql-tools/schema';
import { MapperKind, mapSchema, printSchemaWithDirectives } from '@graphql-tools/utils';
import { assertProtected } from 'doorward/graphql';
import {
  buildSchema,
  extendSchema,
  GraphQLInterfaceType,
  GraphQLList,
  GraphQLObjectType,
  GraphQLSchema,
  graphql,
  lexicographicSortSchema,
  parse,
} from 'graphql';
import { describe, expect, test } from 'vitest';
import { build, protectedSchema, type Resolvers } from './support.ts';

const typeDefs = `
  type Query { secret: String @auth(requires: "admin") open: String node: Node }
  interface Node { id: ID } type User implements Node @auth { id: ID }
  type Robot implements Node { id: ID }
  input Filter { by: String @auth all: Boolean }
  extend type Query { find(filter: Filter): [String] @auth(rule: { not: { owner: "x" } }, from: RESULT) }
  type Subscription { tick: Int @auth }
`;
const guarded = (options = {}): GraphQLSchema => protectedSchema(typeDefs, {}, options);
const problem = (schema: GraphQLSchema): string => {
  try {
    assertProtected(schema);
  } catch (error) {
    return (error as Error).message;
  }
  return 'no error';
};
/** The same schema with one type made anew, as tools do that know nothing of what stands on it. */
const remade = (name: string, change: (type: GraphQLObjectType) => GraphQLObjectType | GraphQLInterfaceType) =>
  mapSchema(guarded(), {
    [MapperKind.COMPOSITE_TYPE]: (type) => (type.name === name ? change(type as GraphQLObjectType) : type),
  });
const replaced = (resolvers: Resolvers) => addResolversToSchema({ schema: guarded(), resolvers });

describe('DIR-09 the schema that is served', () => {
  test('passes as protectSchema made it, and after changes that keep it whole', () => {
    expect(problem(guarded())).toBe('no error');
    expect(problem(lexicographicSortSchema(guarded()))).toBe('no error');
    expect(problem(mapSchema(guarded(), {}))).toBe('no error');
    expect(problem(mergeSchemas({ schemas: [guarded()] }))).toBe('no error');
    expect(problem(extendSchema(guarded(), parse('extend type Query { more: String }')))).toBe('no error');
    expect(problem(new GraphQLSchema(guarded().toConfig()))).toBe('no error');
    expect(problem(remade('User', (type) => new GraphQLObjectType({ ...type.toConfig(), description: 'x' })))).toBe(
      'no error',
    );
    expect(problem(addResolversToSchema({ schema: guarded(), resolvers: { Query: { open: () => 'x' } } }))).toBe(
      'no error',
    );
    expect(problem(protectedSchema(typeDefs, {}, { enforce: 'operation' }))).toBe('no error');
    const rehearsed = protectedSchema(typeDefs, {}, { enforce: 'dry-run' });
    expect(problem(rehearsed)).toContain('is protected for a dry run');
    expect(() => assertProtected(rehearsed, { allowDryRun: true })).not.toThrow();
    expect(() => assertProtected(rehearsed, { allowDryRuns: true } as object)).toThrow('is not a known option');
  });

  test.each<[string, () => GraphQLSchema, string]>([
    ['never protected', () => build(typeDefs), 'schema is not protected'],
    ['printed and built again', () => buildSchema(printSchemaWithDirectives(guarded())), 'schema is not protected'],
    ['given other resolvers', () => replaced({ Query: { secret: () => 'SECRET' } }), 'Query.secret lost its guard'],
    [
      'given another source of events',
      () => replaced({ Subscription: { tick: { subscribe: () => {} } } }),
      'Subscription.tick lost its guard',
    ],
    ['given another type resolver', () => replaced({ Node: { __resolveType: () => 'User' } }), 'Node lost its guard'],
    [
      'extended by a field with a rule',
      () => extendSchema(guarded(), parse('extend type Query { more: Int @auth }')),
      'Query.more has rules and no guard',
    ],
    [
      'extended by a rule on a type',
      () => extendSchema(guarded(), parse('extend type Query @auth')),
      'Query.secret has other rules|Query.open has rules and no guard',
    ],
    [
      'extended by a rule on a guarded type',
      () => extendSchema(guarded(), parse('extend type User @auth(requires: "admin")')),
      'User.id has other rules',
    ],
    [
      'extended by a field of a guarded type',
      () => extendSchema(guarded(), parse('extend type User { mail: String }')),
      'User.mail has rules and no guard',
    ],
    [
      'extended where all is denied that has no rule',
      () => extendSchema(guarded({ unprotected: 'deny' }), parse('extend type Query { more: Int }')),
      'Query.more has rules and no guard',
    ],
    [
      'stripped of its guards',
      () => mapSchema(guarded(), { [MapperKind.OBJECT_FIELD]: (config) => ({ ...config, resolve: () => 'SECRET' }) }),
      'lost its guard',
    ],
    [
      'stripped of its extensions',
      () => mapSchema(guarded(), { [MapperKind.OBJECT_FIELD]: (config) => ({ ...config, extensions: {} }) }),
      'has rules and no guard',
    ],
    [
      'given a rule on a field of an input type that had one before',
      () => extendSchema(guarded(), parse('extend input Filter { deep: String @auth(requires: "admin") }')),
      'Filter has other rules',
    ],
    [
      'stripped of its directives, extensions and guards',
      () => {
        const protectedOne = guarded();
        const plain = makeExecutableSchema({ typeDefs: 'type Query { secret: String open: String }' });
        return new GraphQLSchema({ ...plain.toConfig(), extensions: protectedOne.extensions });
      },
      'Query.secret has rules and no guard',
    ],
    [
      'given an interface that has neither guard nor extensions',
      () =>
        remade('Node', (type) => {
          const { extensions: _, resolveType: __, ...config } = (type as unknown as GraphQLInterfaceType).toConfig();
          return new GraphQLInterfaceType(config);
        }),
      'Node lost its guard',
    ],
    [
      'given another test of what an object is',
      () => replaced({ Robot: { __isTypeOf: () => true } }),
      'Robot has another isTypeOf',
    ],
    [
      'given another type for an interface that knows none of it',
      () => extendSchema(guarded(), parse('type Ghost implements Node { id: ID }')),
      'Ghost is a Node that was unknown',
    ],
    [
      'renamed in a type',
      () => remade('User', (type) => new GraphQLObjectType({ ...type.toConfig(), name: 'Person' })),
      'Person.id was User.id when it was protected',
    ],
    [
      'renamed in a field',
      () =>
        mapSchema(guarded(), {
          [MapperKind.ROOT_FIELD]: (config, name) => (name === 'secret' ? ['hidden', config] : config),
        }),
      'Query.hidden was Query.secret when it was protected',
    ],
    [
      'given a list where a rule looks at what a field resolved to',
      () =>
        mapSchema(guarded(), {
          [MapperKind.ROOT_FIELD]: (config, name) =>
            name === 'find' ? { ...config, type: new GraphQLList(config.type) } : config,
        }),
      'Query.find has other rules',
    ],
    [
      'served through resolvers that hand every operation to it',
      () => {
        const inner = guarded();
        const delegate = (source: string) => async () => (await graphql({ schema: inner, source })).data;
        return build(typeDefs, { Query: { secret: delegate('{ secret }') } });
      },
      'schema is not protected',
    ],
  ])('fails when it was %s', (_, schema, expected) => {
    expect(problem(schema())).toMatch(new RegExp(expected));
  });
});
