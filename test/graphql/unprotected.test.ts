import type { ProtectSchemaOptions } from 'doorward/graphql';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ask, protectedSchema, type TestContext, viewer } from './support.ts';

const typeDefs = `
  type Query { open: String @public closed: String @auth bare: String list: [Item] }
  type Item { name: String }
`;
const resolvers = { Query: { open: () => 'o', closed: () => 'c', bare: () => 'b', list: () => [{ name: 'n' }] } };

/** A schema, and the process warnings that making it gave. */
async function built(options: Partial<ProtectSchemaOptions<TestContext>>, sdl = typeDefs) {
  const warnings: (Error & { code?: string })[] = [];
  const listen = (warning: Error): void => void warnings.push(warning);
  process.on('warning', listen);
  try {
    const schema = protectedSchema(sdl, sdl === typeDefs ? resolvers : {}, options);
    await new Promise((resolve) => setImmediate(resolve));
    return { schema, warnings: warnings.filter(({ code }) => code === 'DOORWARD_UNPROTECTED') };
  } finally {
    process.off('warning', listen);
  }
}

afterEach(() => vi.restoreAllMocks());

describe('fields without a rule and without @public', () => {
  it('are open in silence by default', async () => {
    const { schema, warnings } = await built({});
    expect(warnings).toEqual([]);
    expect((await ask(schema, viewer, '{ bare }')).data).toEqual({ bare: 'b' });
  });

  it('are open and named in one warning, with warn', async () => {
    const { schema, warnings } = await built({ unprotected: 'warn' });
    expect(warnings.map(({ message }) => message)).toEqual([
      '3 GraphQL fields have neither a rule nor @public (open to everybody): Query.bare, Query.list, Item.name',
    ]);
    expect(await ask(schema, undefined, '{ open bare list { name } }')).toMatchObject({ errors: [] });
    await ask(schema, undefined, '{ bare }');
    expect(warnings).toHaveLength(1);
  });

  it('DIR-10 are closed and named in one warning, with deny', async () => {
    const { schema, warnings } = await built({ unprotected: 'deny' });
    expect(warnings.map(({ message }) => message)).toEqual([
      '3 GraphQL fields have neither a rule nor @public (closed to everybody): Query.bare, Query.list, Item.name',
    ]);
    expect(await ask(schema, viewer, '{ open closed bare }')).toMatchObject({
      data: { open: 'o', closed: 'c', bare: null },
      errors: ['bare: FORBIDDEN'],
    });
  });

  it.each(['warn', 'deny'] as const)('go to onUnprotected in place of the warning, with %s', async (unprotected) => {
    const onUnprotected = vi.fn();
    const { warnings } = await built({ unprotected, onUnprotected });
    expect(warnings).toEqual([]);
    expect(onUnprotected.mock.calls).toEqual([[['Query.bare', 'Query.list', 'Item.name']]]);
  });

  it.each(['warn', 'deny'] as const)('are not warned of when there are none, with %s', async (unprotected) => {
    const { warnings } = await built({ unprotected }, 'type Query { open: String @public closed: String @auth }');
    expect(warnings).toEqual([]);
  });

  it('are counted where they are many', async () => {
    const fields = Array.from({ length: 60 }, (_, index) => `f${index}: String`).join(' ');
    const { warnings } = await built({ unprotected: 'warn' }, `type Query { ${fields} }`);
    expect(warnings[0]?.message).toMatch(/^60 GraphQL fields .* Query\.f0, .*, Query\.f49 and 10 more$/);
  });

  it('refuse the whole operation that asks for one of them', async () => {
    const { schema } = await built({ unprotected: 'deny', enforce: 'operation', onUnprotected: () => undefined });
    expect((await ask(schema, viewer, '{ open bare }')).errors).toEqual(['open: FORBIDDEN', 'bare: FORBIDDEN']);
  });

  it('have no other fate', async () => {
    await expect(built({ unprotected: 'open' as never })).rejects.toThrow('unprotected');
    await expect(built({ onUnprotected: 'log' as never })).rejects.toThrow('onUnprotected');
  });
});
