import diagnostics from 'node:diagnostics_channel';
import { allow, DECISION_CHANNEL, type Decision, type DecisionEvent, isPromise } from 'doorward';
import { protectSchema } from 'doorward/graphql';
import { execute, GraphQLObjectType, isObjectType, parse } from 'graphql';
import { describe, expect, test } from 'vitest';
import {
  admin,
  ask,
  build,
  contextOf,
  principal,
  protectedSchema,
  type Resolvers,
  roleTable,
  viewer,
} from './support.ts';

const typeDefs = `
  type Query { posts: [Post!]! @auth(permissions: ["read"]) open: String plain: String }
  type Post @auth { id: ID! @auth(permissions: ["read"]) author: Author @auth(policy: [["yes"]]) }
  type Author { name: String @auth(permissions: ["read"]) }
`;
const people = new Map(Array.from({ length: 50 }, (_, id) => [id, { name: `n${id}` }]));

/** A DataLoader in a few lines: what is asked for in one turn is one batch. */
function batching() {
  const batches: number[] = [];
  let pending: (() => void)[] = [];
  const load = (id: number) =>
    new Promise((resolve) => {
      pending.push(() => resolve(people.get(id)));
      if (pending.length > 1) return;
      queueMicrotask(() =>
        process.nextTick(() => {
          batches.push(pending.length);
          for (const deliver of pending) deliver();
          pending = [];
        }),
      );
    });
  return { batches, load };
}

describe('a field without rules', () => {
  test('keeps the very function it had, and one that had none has none', () => {
    const bare = build(typeDefs, { Query: { open: () => 'open' } });
    const open = bare.getQueryType()?.getFields().open?.resolve;
    const schema = protectSchema(bare, { pdp: roleTable(), policies: { yes: () => true } });
    expect(open).toBeTypeOf('function');
    const fields = schema.getQueryType()?.getFields();
    expect(fields?.open?.resolve).toBe(open);
    expect(fields?.plain?.resolve).toBeUndefined();
    expect(fields?.posts?.resolve).toBeTypeOf('function');
  });

  test('the schema given stays as it was', () => {
    const schema = build(typeDefs);
    const before = schema.getQueryType()?.getFields().posts?.resolve;
    protectSchema(schema, { pdp: roleTable(), policies: { yes: () => true } });
    expect(schema.getQueryType()?.getFields().posts?.resolve).toBe(before);
  });

  test('descriptions, arguments, deprecations and isTypeOf stay', () => {
    const isTypeOf = () => true;
    const schema = protectedSchema('type Query { "words" a(x: Int = 1): Int @auth @deprecated(reason: "old") }', {
      Query: { __isTypeOf: isTypeOf },
    });
    const query = schema.getQueryType();
    const field = query?.getFields().a;
    expect(field).toMatchObject({
      description: 'words',
      deprecationReason: 'old',
      args: [{ name: 'x' }],
    });
    expect(field?.astNode?.name.value).toBe('a');
    expect(query?.isTypeOf).toBe(isTypeOf);
    expect(isObjectType(query) && query instanceof GraphQLObjectType).toBe(true);
  });
});

describe('a decision that is there at once', () => {
  const posts = Array.from({ length: 50 }, (_, id) => ({ id }));

  test('lets execution answer at once', () => {
    const schema = protectedSchema(typeDefs, { Query: { posts: () => posts } }, { policies: { yes: () => true } });
    const result = execute({
      schema,
      document: parse('{ posts { id author { name } } }'),
      contextValue: contextOf(viewer),
    });
    expect(isPromise(result)).toBe(false);
    expect(JSON.stringify(result)).not.toContain('errors');
  });

  test.each(['ERROR', 'NULL', 'MASK'])('denies at once too, with %s', (onDeny) => {
    const schema = protectedSchema(
      `type Query { a: String @auth(policy: [["no"]], onDeny: ${onDeny}) b(x: Int @auth): String l: [Int] @auth(policy: [["no"]], from: RESULT, onDeny: FILTER) }`,
      { Query: { a: () => 'a', b: () => 'b', l: () => [1] } },
      { policies: { no: () => false }, masks: onDeny === 'MASK' ? { 'Query.a': () => '*' } : {} },
    );
    const result = execute({ schema, document: parse('{ a b(x: 1) l }'), contextValue: contextOf(viewer) });
    expect(isPromise(result)).toBe(false);
  });

  test('leaves batching as it is', async () => {
    const run = async (guarded: boolean) => {
      const { batches, load } = batching();
      const resolvers = { Query: { posts: () => posts }, Post: { author: ({ id }: { id: number }) => load(id) } };
      const schema = guarded
        ? protectedSchema(typeDefs, resolvers, { policies: { yes: () => true } })
        : build(typeDefs, resolvers);
      await ask(schema, viewer, '{ posts { author { name } } }');
      return batches;
    };
    expect(await run(true)).toEqual(await run(false));
    expect(await run(true)).toEqual([50]);
  });
});

describe('a decision that takes its time', () => {
  const slow = (asked: string[]) => ({
    decide: ({ action }: { action: string }) => {
      asked.push(action);
      return new Promise<Decision>((resolve) => setTimeout(() => resolve(allow('rule')), asked.length));
    },
  });

  test('is made once for all fields of an operation, and batching is left as it is', async () => {
    const asked: string[] = [];
    const { batches, load } = batching();
    const schema = protectedSchema(
      `type Query { posts: [Post] } type Post { id: ID author: Author @auth(permissions: ["read"]) } type Author { name: String @auth(permissions: ["read"]) }`,
      {
        Query: { posts: () => Array.from(people.keys(), (id) => ({ id })) },
        Post: { author: ({ id }: { id: number }) => load(id) },
      },
      { pdp: slow(asked) },
    );
    const answer = await ask(schema, viewer, '{ posts { author { name } } }');
    expect(answer.errors).toEqual([]);
    expect(asked).toEqual(['read']);
    expect(batches).toEqual([50]);
  });

  test('is a plain value once it is known', async () => {
    const asked: string[] = [];
    const schema = protectedSchema(
      'type Query { a: String @auth(permissions: ["read"]) }',
      { Query: { a: () => 'a' } },
      { pdp: slow(asked) },
    );
    const contextValue = contextOf(viewer);
    const run = () => execute({ schema, document: parse('{ a }'), contextValue });
    const first = run();
    expect(isPromise(first)).toBe(true);
    await first;
    expect(isPromise(run())).toBe(false);
    expect(asked).toEqual(['read']);
  });
});

describe('what is decided after something that takes its time', () => {
  const later = async () => true;
  const policies = { later, 'later too': later, no: () => false };

  test.each([
    '@auth(permissions: ["read"], owner: "author")',
    '@auth(permissions: ["read"]) @auth(policy: [["no"]])',
    '@auth(policy: [["later"]]) @auth(policy: [["no"]])',
    '@auth(policy: [["later"]]) @auth(policy: [["later too"]]) @auth(policy: [["no"]])',
    '@auth(policy: [["later"]]) @auth(requires: "admin", onDeny: NULL)',
    '@auth(policy: [["later"]]) @auth(policy: [["no"]], onDeny: NULL)',
    '@auth(policy: [["later"]]) @auth(policy: [["no"]], from: RESULT)',
    '@auth(permissions: ["read"], maxAge: 5)',
    '@auth(policy: [["later"]], maxAge: 5)',
  ])('is decided: %s', async (rules) => {
    const sdl = `type Query { note: Note } type Note { author: String text: String ${rules} again: String ${rules} }`;
    const resolvers = { Query: { note: () => ({ author: 'someone', text: 'SECRET', again: 'SECRET' }) } };
    const pdp = { decide: async () => allow('permission') };
    const schema = protectedSchema(sdl, resolvers, { pdp, policies });
    const { data, text } = await ask(schema, principal('p1', 'viewer'), '{ note { text again x: text } }');
    expect(data).toEqual({ note: { text: null, again: null, x: null } });
    expect(text).not.toContain('SECRET');
  });
});

describe('decisions are remembered', () => {
  test('per principal object: another object of the same person is asked anew', async () => {
    const pdp = roleTable();
    const schema = protectedSchema('type Query { a: String @auth(permissions: ["read"]) }', {}, { pdp });
    await ask(schema, viewer, '{ a b: a c: a }');
    expect(pdp.asked).toEqual(['read']);
    await ask(schema, { ...viewer }, '{ a }');
    expect(pdp.asked).toEqual(['read', 'read']);
  });

  test('never for someone else, not even in a context that both share', async () => {
    const schema = protectedSchema('type Query { a: String @auth(permissions: ["delete"]) }', {
      Query: { a: () => 'SECRET' },
    });
    const contextValue = contextOf(admin);
    const run = () => execute({ schema, document: parse('{ a }'), contextValue });
    expect(JSON.stringify(run())).toContain('SECRET');
    contextValue.auth.principal = viewer;
    expect(JSON.stringify(run())).not.toContain('SECRET');
    contextValue.auth.principal = undefined;
    expect(JSON.stringify(run())).not.toContain('SECRET');
  });

  test('per schema: two decision points do not answer for each other', async () => {
    const sdl = 'type Query { a: String @auth(permissions: ["delete"]) }';
    const open = protectedSchema(sdl, { Query: { a: () => 'SECRET' } }, { pdp: { decide: () => allow('rule') } });
    const closed = protectedSchema(sdl, { Query: { a: () => 'SECRET' } });
    expect((await ask(open, viewer, '{ a }')).text).toContain('SECRET');
    expect((await ask(closed, viewer, '{ a }')).text).not.toContain('SECRET');
  });

  test('one question for one permission, however many rules name it', async () => {
    const pdp = roleTable();
    const schema = protectedSchema(
      `type Query { a: Int @auth(permissions: ["read"]) b: Int @auth(permissions: ["read", "delete"])
       c: Int @auth(rule: { any: [{ permission: "delete" }, { permission: "read" }] }) }`,
      {},
      { pdp },
    );
    await ask(schema, viewer, '{ a b c }');
    expect(pdp.asked.sort()).toEqual(['delete', 'read']);
  });
});

describe('decisions are published', () => {
  async function published(sdl: string, resolvers: Resolvers, source: string): Promise<string[]> {
    const events: string[] = [];
    const listen = (message: unknown): void => {
      const { point, request, decision } = message as DecisionEvent;
      events.push(
        `${point} ${request.subject.id} ${request.resource.attributes.rule} ${decision.effect} ${decision.reason}`,
      );
    };
    const schema = protectedSchema(sdl, resolvers, { policies: { even: ({ args }) => Number(args.n) % 2 === 0 } });
    diagnostics.subscribe(DECISION_CHANNEL, listen);
    try {
      await ask(schema, principal('p1', 'viewer'), source);
    } finally {
      diagnostics.unsubscribe(DECISION_CHANNEL, listen);
    }
    return events;
  }

  test('once for each decision that is made, not for each field that it opens', async () => {
    const sdl =
      'type Query { a: Int @auth(permissions: ["read"]) b: Int @auth(permissions: ["read"]) c: Int @auth(permissions: ["delete"]) }';
    expect(await published(sdl, {}, '{ a x: a b c }')).toEqual([
      'Query.a p1 permission("read") allow permission',
      'Query.c p1 permission("delete") deny no_permission',
    ]);
  });

  test('for every call where a call is what is decided', async () => {
    const sdl = 'type Query { a(n: Int): Int @auth(policy: [["even"]]) }';
    expect(await published(sdl, {}, '{ a(n: 1) b: a(n: 2) }')).toEqual([
      'Query.a p1 authenticated allow rule',
      'Query.a p1 policy("even") deny rule',
      'Query.a p1 policy("even") allow rule',
    ]);
  });
});
