import SchemaBuilder from '@pothos/core';
import { assertProtected, protectSchema } from 'doorward/graphql';
import { expect, test } from 'vitest';
import { anonymous, ask, roleTable, viewer } from './support.ts';

interface Author {
  readonly id: string;
  readonly email: string;
}

test('a Pothos schema is guarded by coordinate', async () => {
  const builder = new SchemaBuilder<{ Objects: { Author: Author } }>({});
  builder.objectType('Author', {
    fields: (t) => ({ id: t.exposeID('id'), email: t.exposeString('email', { nullable: true }) }),
  });
  const authors: readonly Author[] = [
    { id: 'v1', email: 'v@example.org' },
    { id: 'x1', email: 'x@example.org' },
  ];
  builder.queryType({
    fields: (t) => ({
      hello: t.string({ nullable: true, resolve: () => 'hello' }),
      authors: t.field({ type: ['Author'], nullable: true, resolve: () => [...authors] }),
    }),
  });
  builder.mutationType({
    fields: (t) => ({
      rename: t.string({ nullable: true, args: { id: t.arg.id({ required: true }) }, resolve: () => 'renamed' }),
    }),
  });
  const schema = protectSchema(builder.toSchema(), {
    pdp: roleTable(),
    unprotected: 'deny',
    onUnprotected: () => {},
    rules: {
      'Query.hello': 'public',
      'Query.authors': { permissions: ['read'] },
      'Author.email': { owner: 'id', onDeny: 'NULL' },
      'Mutation.rename': { rule: { any: [{ owner: 'id' }, { role: 'admin' }] } },
    },
  });
  assertProtected(schema);
  expect((await ask(schema, anonymous, '{ hello authors { email } }')).errors).toEqual(['authors: UNAUTHENTICATED']);
  expect((await ask(schema, viewer, '{ authors { email } }')).data).toEqual({
    authors: [{ email: 'v@example.org' }, { email: null }],
  });
  const source = 'mutation ($id: ID!) { rename(id: $id) }';
  expect((await ask(schema, viewer, source, { id: 'x1' })).errors).toEqual(['rename: FORBIDDEN']);
  expect((await ask(schema, viewer, source, { id: 'v1' })).data).toEqual({ rename: 'renamed' });
});
