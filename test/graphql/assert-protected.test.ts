import { addResolversToSchema, mergeSchemas } from '@graphql-tools/schema';
import { MapperKind, mapSchema, printSchemaWithDirectives } from '@graphql-tools/utils';
import { assertProtected } from 'doorward/graphql';
import { buildSchema, extendSchema, type GraphQLSchema, lexicographicSortSchema, parse } from 'graphql';
import { describe, expect, test } from 'vitest';
import { build, protectedSchema, type Resolvers } from './support.ts';

const typeDefs = `
  type Query { secret: String @auth(requires: "admin") open: String node: Node }
  interface Node { id: ID } type User implements Node @auth { id: ID }
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
const replaced = (resolvers: Resolvers) => addResolversToSchema({ schema: guarded(), resolvers });

describe('DIR-09 the schema that is served', () => {
  test('passes as protectSchema made it, and after changes that keep it whole', () => {
    expect(problem(guarded())).toBe('no error');
    expect(problem(lexicographicSortSchema(guarded()))).toBe('no error');
    expect(problem(mapSchema(guarded(), {}))).toBe('no error');
    expect(problem(mergeSchemas({ schemas: [guarded()] }))).toBe('no error');
    expect(problem(extendSchema(guarded(), parse('extend type Query { more: String }')))).toBe('no error');
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
  ])('fails when it was %s', (_, schema, expected) => {
    expect(problem(schema())).toMatch(new RegExp(expected));
  });
});
