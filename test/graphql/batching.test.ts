import DataLoader from 'dataloader';
import { type AccessRequest, allow, type Decision, deny, type PolicyDecisionPoint, type Principal } from 'doorward';
import type { DecisionPointInput, DecisionPointPolicy } from 'doorward/graphql';
import { contractRoles } from 'doorward/rbac';
import { execute, graphql, parse } from 'graphql';
import { describe, expect, test } from 'vitest';
import {
  anonymous,
  ask,
  build,
  contextOf,
  principal,
  protectedSchema,
  type Resolvers,
  type TestContext,
} from './support.ts';

interface Item {
  readonly id: string;
  readonly ownerId: string;
  readonly title: string;
}

const ada = principal('ada');
const bob = principal('bob');

/** Half of them are ada's. */
const itemsOf = (count: number): readonly Item[] =>
  Array.from({ length: count }, (_, index) => ({
    id: `i${index}`,
    ownerId: index % 2 === 0 ? 'ada' : 'bob',
    title: `t${index}`,
  }));

/** Owners read, and whoever the id of a permission names may do it. */
function decisionOn({ subject, action, resource }: AccessRequest): Decision {
  if (resource.type === 'graphql') return subject.roles.includes(action) ? allow('permission') : deny('no_permission');
  return resource.attributes.ownerId === subject.id ? allow('rule') : deny('rule');
}

interface Remote extends PolicyDecisionPoint {
  /** The questions of each call. */
  readonly calls: (readonly AccessRequest[])[];
}

/** Answers after a while, and keeps how it was asked. */
function remote(answer: (requests: readonly AccessRequest[]) => unknown = (all) => all.map(decisionOn)): Remote {
  const calls: (readonly AccessRequest[])[] = [];
  return {
    calls,
    decide: () => Promise.reject(new Error('must be asked for all at once')),
    decideAll: async (requests) => {
      calls.push(requests);
      await new Promise((resolve) => setTimeout(resolve, 2));
      return answer(requests) as readonly Decision[];
    },
  };
}

const asItem = ({ resource }: Pick<DecisionPointInput, 'resource'>): AccessRequest['resource'] => {
  const { id, ownerId } = resource as Item;
  return { type: 'Item', id, attributes: { ownerId } };
};

function policies(pdp: PolicyDecisionPoint): Readonly<Record<string, DecisionPointPolicy<TestContext>>> {
  return { read: { action: 'read', resource: asItem, pdp } };
}

const typeDefs = `
  type Item { id: ID title: String @auth(policy: [["read"]]) note: String @auth(permissions: ["read"]) }
  type Query {
    items: [Item]
    again: [Item]
    mine: [Item] @auth(policy: [["read"]], from: RESULT, onDeny: FILTER)
  }
`;

describe('DIR-14 the questions of one turn', () => {
  test('about 1,000 items, and about permissions, are one call', async () => {
    const pdp = remote();
    const items = itemsOf(1_000);
    const schema = protectedSchema(
      typeDefs,
      { Query: { items: () => items, again: async () => items } },
      { pdp, policies: policies(pdp) },
    );
    const { data, errors } = await ask(
      schema,
      principal('ada', 'read'),
      '{ items { title x: title note } again { title } }',
    );
    expect(errors).toHaveLength(1_500);
    expect(data).toMatchObject({
      items: items.map(({ ownerId, title }) => ({ title: ownerId === 'ada' ? title : null })),
    });
    expect(pdp.calls.map((requests) => requests.length)).toEqual([1_001]);
  });

  test('about the items of a result are one call, and what is denied is left out', async () => {
    const pdp = remote();
    const schema = protectedSchema(typeDefs, { Query: { mine: () => itemsOf(1_000) } }, { policies: policies(pdp) });
    const { data, errors } = await ask(schema, ada, '{ mine { id } }');
    expect(errors).toEqual([]);
    expect(data).toEqual({ mine: itemsOf(1_000).flatMap(({ id, ownerId }) => (ownerId === 'ada' ? { id } : [])) });
    expect(pdp.calls.map((requests) => requests.length)).toEqual([1_000]);
  });

  test.each(['field', 'operation'] as const)('about a list of inputs are one call (%s)', async (enforce) => {
    const pdp = remote();
    const written: unknown[] = [];
    const schema = protectedSchema(
      `input New { id: ID ownerId: ID @auth(policy: [["read"]]) title: String }
       type Mutation { write(items: [New]): Int }
       type Query { ok: Int }`,
      { Mutation: { write: (_, { items }: { items: readonly unknown[] }) => written.push(...items) } },
      { policies: policies(pdp), enforce },
    );
    const write = 'mutation ($items: [New]) { write(items: $items) }';
    const own = itemsOf(200).filter(({ ownerId }) => ownerId === 'ada');
    expect(await ask(schema, ada, write, { items: own })).toMatchObject({ data: { write: 100 }, errors: [] });
    // The executor makes the arguments anew after an operation was judged, and new objects are asked about again.
    const toWrite = enforce === 'field' ? [100] : [100, 100];
    expect(pdp.calls.map((requests) => requests.length)).toEqual(toWrite);

    const { data, errors } = await ask(schema, ada, write, { items: itemsOf(50) });
    expect(data).toEqual({ write: null });
    expect(errors).toHaveLength(1);
    expect(written).toHaveLength(100);
    expect(pdp.calls.map((requests) => requests.length)).toEqual([...toWrite, 50]);
  });

  test('are not asked about inputs that the caller may not give at all', async () => {
    const pdp = remote();
    const schema = protectedSchema(
      `input New { id: ID ownerId: ID @auth(policy: [["read"]]) }
       type Mutation { write(items: [New]): Int @auth(roles: ["admin"]) }
       type Query { ok: Int }`,
      { Mutation: { write: () => 1 } },
      { policies: policies(pdp) },
    );
    const write = 'mutation { write(items: [{ ownerId: "ada" }, { ownerId: "ada" }]) }';
    expect((await ask(schema, ada, write)).errors).toHaveLength(1);
    expect(pdp.calls).toEqual([]);
  });

  test('are asked once for each that differs', async () => {
    const pdp = remote();
    const [one, two] = itemsOf(2);
    const schema = protectedSchema(
      typeDefs,
      { Query: { items: () => Array.from({ length: 500 }, (_, index) => (index % 2 === 0 ? one : two)) } },
      { policies: policies(pdp) },
    );
    const { errors } = await ask(schema, ada, '{ items { title } more: items { title } }');
    expect(errors).toHaveLength(500);
    expect(pdp.calls.map((requests) => requests.map(({ resource }) => resource.id))).toEqual([['i0', 'i1']]);
  });

  test('of two callers are two calls, and no answer is that of the other', async () => {
    const pdp = remote();
    const schema = protectedSchema(typeDefs, { Query: { items: () => itemsOf(20) } }, { policies: policies(pdp) });
    const titles = async (who: Principal): Promise<unknown> => (await ask(schema, who, '{ items { title } }')).data;
    const [forAda, forBob, again] = await Promise.all([titles(ada), titles(bob), titles({ ...ada })]);
    const expected = (id: string): unknown => ({
      items: itemsOf(20).map(({ ownerId, title }) => ({ title: ownerId === id ? title : null })),
    });
    expect([forAda, forBob, again]).toEqual([expected('ada'), expected('bob'), expected('ada')]);
    expect(pdp.calls.map((requests) => new Set(requests.map(({ subject }) => subject.id)).size)).toEqual([1, 1, 1]);
  });

  test('are not asked for an anonymous caller', async () => {
    const pdp = remote();
    const schema = protectedSchema(typeDefs, { Query: { items: () => itemsOf(5) } }, { pdp, policies: policies(pdp) });
    expect((await ask(schema, anonymous, '{ items { title note } }')).errors).toHaveLength(10);
    expect(pdp.calls).toEqual([]);
  });

  test('are one call for those that depend on a permission, though the first answer is still awaited', async () => {
    const pdp = remote();
    const schema = protectedSchema(
      typeDefs,
      {
        Query: {
          items: () => itemsOf(100),
          again: () => new Promise((resolve) => setImmediate(resolve, itemsOf(100))),
        },
      },
      { pdp, policies: policies(pdp) },
    );
    const caller = principal('ada', 'read');
    const { errors } = await ask(schema, caller, '{ items { note } again { note } }');
    expect(errors).toEqual([]);
    expect(pdp.calls).toHaveLength(1);
    expect(pdp.calls[0]).toHaveLength(1);
    // What is known is answered at once.
    const args = { schema, document: parse('{ items { note } }'), contextValue: contextOf(caller) };
    expect(execute(args)).not.toBeInstanceOf(Promise);
  });

  const good = allow('rule');
  test.each<[string, (requests: readonly AccessRequest[]) => unknown, number]>([
    ['too few', (all) => all.slice(1).map(() => good), 0],
    ['too many', (all) => [...all, all[0]].map(() => good), 0],
    ['none', () => [], 0],
    ['no list', (all) => ({ length: all.length, 0: good }), 0],
    ['true', () => true, 0],
    ['holes', (all) => new Array(all.length), 0],
    ['inherited', (all) => all.map(() => Object.create(good)), 0],
    ['promises', (all) => all.map(async () => good), 0],
    ['a rejection', () => Promise.reject(new Error('down')), 0],
    [
      'a throw',
      () => {
        throw new Error('down');
      },
      0,
    ],
    ['nothing at all, ever', () => new Promise(() => {}), 0],
    ['garbage about one', (all) => all.map((_, index) => (index === 3 ? { allowed: 'true' } : good)), 9],
    ['an error about one', (all) => all.map((_, index) => (index === 3 ? new Error('?') : good)), 9],
  ])('whose answer is %s: what nobody said yes to is denied', async (what, answer, allowed) => {
    const pdp = remote(answer);
    const schema = protectedSchema(
      `type Item { a: String @auth(policy: [["read"]]) b: String @auth(rule: { not: { policy: "read" } }) }
       type Query { items: [Item] }`,
      { Query: { items: () => itemsOf(10).map((item) => ({ ...item, a: 'open', b: 'SECRET' })) } },
      { policies: policies(pdp), policyTimeoutMs: what === 'nothing at all, ever' ? 30 : 10_000 },
    );
    const { data, text } = await ask(schema, ada, '{ items { a b } }');
    const shown = (data as { items: { a: unknown }[] }).items.filter(({ a }) => a === 'open');
    expect(shown).toHaveLength(allowed);
    expect(text).not.toContain('SECRET');
    expect(pdp.calls).toHaveLength(1);
  });

  test('that nobody answered in time are told to the host once', async () => {
    const told: unknown[] = [];
    const pdp = remote(() => new Promise(() => {}));
    const schema = protectedSchema(
      typeDefs,
      { Query: { items: () => itemsOf(50) } },
      {
        policies: policies(pdp),
        policyTimeoutMs: 10,
        onError: (error, coordinate) => told.push([String(error), coordinate]),
      },
    );
    expect((await ask(schema, ada, '{ items { title } }')).errors).toHaveLength(50);
    expect(told).toEqual([['Error: A decision point did not answer in time', 'Item.title']]);
  });

  test('are asked one by one where the decision point takes no more', async () => {
    let asked = 0;
    const pdp: PolicyDecisionPoint = {
      decide: async (request) => {
        asked += 1;
        return decisionOn(request);
      },
    };
    const schema = protectedSchema(typeDefs, { Query: { items: () => itemsOf(10) } }, { policies: policies(pdp) });
    expect((await ask(schema, ada, '{ items { title } }')).errors).toHaveLength(5);
    expect(asked).toBe(10);
  });

  test('are asked at once where the decision point says that it answers at once', async () => {
    const pdp: PolicyDecisionPoint = {
      isSynchronous: true,
      decide: decisionOn,
      decideAll: () => {
        throw new Error('nothing is collected');
      },
    };
    const schema = protectedSchema(typeDefs, { Query: { items: () => itemsOf(10) } }, { policies: policies(pdp) });
    const result = execute({ schema, document: parse('{ items { title } }'), contextValue: contextOf(ada) });
    expect(result).not.toBeInstanceOf(Promise);
    expect(result).toMatchObject({
      data: { items: itemsOf(10).map(({ ownerId, title }) => ({ title: ownerId === 'ada' ? title : null })) },
    });
  });
});

describe('what resolvers load', () => {
  /** Posts whose authors, and the authors' teams, are loaded one by one. */
  function batches(protect: (typeDefs: string, resolvers: Resolvers) => ReturnType<typeof build>) {
    const seen: number[] = [];
    const loader = new DataLoader<string, { readonly id: string }>(async (ids) => {
      seen.push(ids.length);
      return ids.map((id) => ({ id }));
    });
    const schema = protect(
      `type Team { id: ID @auth(permissions: ["read"]) }
       type Author { id: ID @auth(permissions: ["read"]) team: Team @auth(policy: [["any"]]) }
       type Post { author: Author @auth(policy: [["any"]]) @auth(permissions: ["read"]) }
       type Query { posts: [Post] @auth(permissions: ["read"]) }`,
      {
        Query: { posts: () => Array.from({ length: 50 }, (_, index) => ({ id: `p${index}` })) },
        Post: { author: ({ id }: { id: string }) => loader.load(`a-${id}`) },
        Author: { team: ({ id }: { id: string }) => loader.load(`t-${id}`) },
      },
    );
    return { seen, schema };
  }
  const source = '{ posts { author { id team { id } } } }';

  const points: [string, PolicyDecisionPoint][] = [
    ['decides at once', contractRoles],
    ['is remote', { ...remote((all) => all.map(() => allow('rule'))) }],
  ];
  test.each(points)('is batched as without guards where the decision point %s', async (_, pdp) => {
    const any: DecisionPointPolicy = {
      action: 'read',
      resource: ({ resource }) => ({ type: 'Any', id: (resource as Item).id, attributes: {} }),
    };
    const bare = batches((sdl, resolvers) => build(sdl, resolvers));
    const guarded = batches((sdl, resolvers) => protectedSchema(sdl, resolvers, { pdp, policies: { any } }));
    const contextValue = contextOf(principal('v', 'viewer'));
    const [first, second] = await Promise.all(
      [bare, guarded].map(({ schema }) => graphql({ schema, source, contextValue })),
    );
    expect(second?.errors).toBeUndefined();
    expect(second).toEqual(first);
    expect(guarded.seen).toEqual(bare.seen);
    expect(bare.seen).toEqual([50, 50]);
  });
});
