import { getEventListeners } from 'node:events';
import { allow, deny, type PolicyDecisionPoint, type Principal } from 'doorward';
import { type AuthContext, type ProtectSchemaOptions, protectSchema } from 'doorward/graphql';
import { execute, type GraphQLSchema, graphql, parse, subscribe } from 'graphql';
import { describe, expect, test } from 'vitest';
import { build, principal, type Resolvers } from '../graphql/support.ts';
import { processorTime } from '../running-time.ts';

const pdp: PolicyDecisionPoint = { decide: () => allow('permission') };
const user: Principal = { ...principal('u1', 'viewer'), authentication: { time: 0 } } as Principal;

interface Context {
  readonly auth: AuthContext;
}

function contextOf(who: Principal | undefined, more: Partial<AuthContext> = {}): Context {
  return { auth: { principal: who, environment: () => ({ time: 0 }), ...more } };
}

function guard(
  sdl: string,
  resolvers: Resolvers = {},
  options: Partial<ProtectSchemaOptions<Context>> = {},
): GraphQLSchema {
  return protectSchema<Context>(build(sdl, resolvers), { pdp, ...options } as ProtectSchemaOptions<Context>);
}

describe('a request costs no more than its size', () => {
  // The attacks took a hundred times the bound, or all memory.
  test('with many inputs that ask for a login each', async () => {
    const sdl = `type Query { save(rows: [Row!]!): Int } input Row { a: Int @auth(maxAge: 60) }`;
    const schema = guard(sdl, { Query: { save: () => 1 } });
    const document = parse('query ($rows: [Row!]!) { save(rows: $rows) }');
    const rows = Array.from({ length: 60_000 }, () => ({ a: 1 }));
    let errors: unknown;
    const spent = await processorTime(async () => {
      errors = (await execute({ schema, document, variableValues: { rows }, contextValue: contextOf(user) })).errors;
    });
    expect(errors).toMatchObject([{ extensions: { code: 'UNAUTHENTICATED', max_age: 60 } }]);
    expect(spent).toBeLessThan(5_000);
  }, 120_000);

  test('of an operation on an interface of many types', async () => {
    const types = Array.from({ length: 800 }, (_, n) => `type T${n} implements Node { id: ID next: Node }`);
    const sdl = `type Query { node: Node } interface Node @auth { id: ID next: Node } ${types.join(' ')}`;
    const schema = guard(sdl, {}, { enforce: 'operation' });
    const next = Array.from({ length: 100 }, (_, n) => `a${n}: next { id }`).join(' ');
    const document = parse(`{ node { ${next} } }`);
    let errors: unknown;
    const spent = await processorTime(async () => {
      errors = (await execute({ schema, document, contextValue: contextOf(undefined) })).errors;
    });
    expect(errors).toMatchObject([{ extensions: { code: 'UNAUTHENTICATED' } }]);
    expect(spent).toBeLessThan(5_000);
  }, 120_000);
});

describe.each(['field', 'operation'] as const)('what callers give is not looked at (%s)', (enforce) => {
  const sdl = `
    type Query {
      closed(a: ID @auth(policy: [["look"]])): Int @auth(permissions: ["run"])
      one(a: ID @auth(permissions: ["give"]) @auth(policy: [["look"]])): Int
      other(a: ID @auth(permissions: ["give"]), rows: [Row!]): Int
    }
    input Row { a: ID @auth(policy: [["look"]]) }
  `;

  test.each(['{ closed(a: "1") }', '{ one(a: "1") }', '{ other(a: "1", rows: [{ a: "1" }, { a: "2" }]) }'])(
    'before a decision point elsewhere said that they may give it: %s',
    async (source) => {
      const looked: unknown[] = [];
      const schema = guard(sdl, {}, {
        enforce,
        pdp: { decide: async () => deny('no_permission') },
        policies: { look: ({ resource }: { resource: unknown }) => looked.push(resource) > 0 },
      } as never);
      const { errors } = await graphql({ schema, source, contextValue: contextOf(user) });
      expect(errors).toMatchObject([{ extensions: { code: 'FORBIDDEN' } }]);
      expect(looked).toEqual([]);
    },
  );
});

test('a source that fails leaves nothing behind on the signal of its connection', async () => {
  const { signal } = new AbortController();
  const sdl = 'type Query { a: Int } type Subscription { n: Int @auth }';
  const source = async function* () {
    yield { n: 1 };
    throw new Error('broken');
  };
  const schema = guard(sdl, { Subscription: { n: { subscribe: source } } });
  const stream = (await subscribe({
    schema,
    document: parse('subscription { n }'),
    contextValue: contextOf(user, { signal }),
  })) as AsyncIterableIterator<unknown>;
  expect(await stream.next()).toMatchObject({ value: { data: { n: 1 } } });
  expect(getEventListeners(signal, 'abort')).toHaveLength(1);
  await expect(stream.next()).rejects.toThrow('broken');
  expect(getEventListeners(signal, 'abort')).toHaveLength(0);
});

test.each(['field', 'operation', 'dry-run'] as const)(
  'a principal that cannot be told is nobody, and nobody hears why: %s',
  async (enforce) => {
    const contextValue = {
      auth: {
        get principal(): never {
          throw new Error('hunter2');
        },
        environment: () => ({ time: 0 }),
      },
    };
    const sdl = 'type Query { a: Int @auth b: Int @auth(policy: [["yes"]]) }';
    const schema = guard(sdl, { Query: { a: () => 1, b: () => 1 } }, {
      enforce,
      policies: { yes: () => true },
    } as never);
    const text = JSON.stringify(await graphql({ schema, source: '{ a b }', contextValue }));
    expect(text).not.toContain('hunter2');
    if (enforce !== 'dry-run') expect(JSON.parse(text)).toMatchObject({ data: { a: null, b: null } });
  },
);

test.each([
  ['list: [Int]', () => [Promise.reject(new Error('not there')), 2]],
  ['list: [[Int]]', async () => [[1, Promise.reject(new Error('not there'))]]],
])('what a mask leaves out of %s may fail without ending the process', async (field, list) => {
  const unhandled: unknown[] = [];
  const listen = (error: unknown): void => {
    unhandled.push(error);
  };
  process.on('unhandledRejection', listen);
  try {
    const schema = guard(
      `type Query { ${field} @auth(requires: "admin", onDeny: MASK) }`,
      { Query: { list } },
      { masks: { 'Query.list': () => [] } },
    );
    expect(await graphql({ schema, source: '{ list }', contextValue: contextOf(user) })).toEqual({
      data: { list: [] },
    });
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect(unhandled).toEqual([]);
  } finally {
    process.off('unhandledRejection', listen);
  }
});
