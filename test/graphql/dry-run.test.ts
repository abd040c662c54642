import diagnostics from 'node:diagnostics_channel';
import { setTimeout as sleep } from 'node:timers/promises';
import { AUDIT_CHANNEL, allow, DECISION_CHANNEL, type DecisionEvent, deny, type PolicyDecisionPoint } from 'doorward';
import { assertProtected, type DryRunDenial, type ProtectSchemaOptions, protectSchema } from 'doorward/graphql';
import fc from 'fast-check';
import { type ExecutionResult, execute, graphql, parse, subscribe } from 'graphql';
import { describe, expect, it, vi } from 'vitest';
import {
  admin,
  anonymous,
  ask,
  build,
  contextOf,
  principal,
  protectedSchema,
  type Resolvers,
  roleTable,
  type TestContext,
  viewer,
} from './support.ts';

/** A schema in a dry run, and what it tells of denials. */
function rehearse(
  typeDefs: string,
  resolvers: Resolvers = {},
  options: Partial<ProtectSchemaOptions<TestContext>> = {},
) {
  const denials: DryRunDenial[] = [];
  const schema = protectedSchema(typeDefs, resolvers, {
    enforce: 'dry-run',
    onDryRun: (denial) => denials.push(denial),
    ...options,
  });
  return { schema, denials, told: () => denials.map(({ coordinate, onDeny }) => `${coordinate} ${onDeny}`) };
}

async function eventsDuring(work: () => Promise<unknown>): Promise<{ decisions: DecisionEvent[]; audits: unknown[] }> {
  const decisions: DecisionEvent[] = [];
  const audits: unknown[] = [];
  const onDecision = (event: unknown): void => void decisions.push(event as DecisionEvent);
  const onAudit = (event: unknown): void => void audits.push(event);
  diagnostics.subscribe(DECISION_CHANNEL, onDecision);
  diagnostics.subscribe(AUDIT_CHANNEL, onAudit);
  try {
    await work();
  } finally {
    diagnostics.unsubscribe(DECISION_CHANNEL, onDecision);
    diagnostics.unsubscribe(AUDIT_CHANNEL, onAudit);
  }
  return { decisions, audits };
}

describe('a dry run', () => {
  const typeDefs = `
    type Query {
      secret: String @auth(requires: "admin")
      items: [Item!]! @auth(owner: "ownerId", from: RESULT, onDeny: FILTER)
      item: Item @auth(owner: "ownerId", from: RESULT)
      find(all: Boolean @auth(requires: "admin")): String
      node: Node
      recent: String @auth(maxAge: 60)
    }
    type Mutation { drop: String @auth(requires: "admin") }
    type Item {
      ownerId: ID
      email: String @auth(owner: "ownerId", onDeny: MASK)
      note: String @auth(owner: "ownerId", onDeny: NULL)
    }
    interface Node { id: ID }
    type Vault implements Node @auth(requires: "admin") { id: ID }
  `;
  const items = [
    { ownerId: 'v1', email: 'a@b', note: 'n' },
    { ownerId: 'x', email: 'c@d', note: 'm' },
  ];
  const resolvers: Resolvers = {
    Query: {
      secret: () => 'secret',
      items: () => items,
      item: async () => items[1],
      find: () => 'found',
      node: () => ({ __typename: 'Vault', id: '1' }),
      recent: () => 'recent',
    },
    Mutation: { drop: () => 'dropped' },
  };
  const masks = { 'Item.email': () => '***' };

  it.each([
    ['ERROR', '{ secret }', { secret: 'secret' }, ['Query.secret ERROR']],
    ['an error after the resolver', '{ item { ownerId } }', { item: { ownerId: 'x' } }, ['Query.item ERROR']],
    ['FILTER', '{ items { ownerId } }', { items: [{ ownerId: 'v1' }, { ownerId: 'x' }] }, ['Query.items FILTER']],
    [
      'MASK and NULL',
      '{ item { email note } }',
      { item: { email: 'c@d', note: 'm' } },
      ['Item.email MASK', 'Item.note NULL', 'Query.item ERROR'],
    ],
    ['a rule on an argument', '{ find(all: null) }', { find: 'found' }, ['Query.find ERROR']],
    ['a rule on a type', '{ node { __typename } }', { node: { __typename: 'Vault' } }, ['Vault ERROR']],
    ['a demand on the login', '{ recent }', { recent: 'recent' }, ['Query.recent ERROR']],
    ['a mutation', 'mutation { drop }', { drop: 'dropped' }, ['Mutation.drop ERROR']],
  ])('lets everything through, and tells of %s', async (_, source, data, expected) => {
    const { schema, told } = rehearse(typeDefs, resolvers, { masks });
    expect(await ask(schema, { ...viewer }, source)).toMatchObject({ data, errors: [] });
    await sleep(1);
    expect(told().toSorted()).toEqual(expected);
  });

  it('tells nothing of what would be allowed', async () => {
    const { schema, denials } = rehearse(typeDefs, resolvers, { masks });
    expect((await ask(schema, admin, '{ secret find(all: true) node { id } }')).errors).toEqual([]);
    expect(denials).toEqual([]);
  });

  it('lets anonymous callers through, and tells that a rule denies them', async () => {
    const { schema, denials } = rehearse(typeDefs, resolvers, { masks });
    expect((await ask(schema, anonymous, '{ secret b: secret item { email } }')).errors).toEqual([]);
    await sleep(1);
    expect(denials.map(({ coordinate }) => coordinate).toSorted()).toEqual([
      'Item.email',
      'Query.item',
      'Query.secret',
    ]);
    for (const denial of denials) expect(denial).not.toHaveProperty('principal');
  });

  it('says which rule, who, and why', async () => {
    const { schema, denials } = rehearse(typeDefs, resolvers, { masks });
    const contextValue = { auth: { ...contextOf(viewer).auth, requestId: 'r1' } };
    await graphql({ schema, source: '{ secret }', contextValue });
    expect(denials).toEqual([
      {
        coordinate: 'Query.secret',
        rule: 'role("admin")',
        onDeny: 'ERROR',
        decision: deny('no_permission'),
        principal: viewer,
        requestId: 'r1',
      },
    ]);
  });

  it('does not tell of results that nobody would have got', async () => {
    const { schema, denials } = rehearse(
      'type Query { both: String @auth(requires: "admin") @auth(owner: "x", from: RESULT) }',
      { Query: { both: () => 'both' } },
    );
    expect((await ask(schema, { ...viewer }, '{ both }')).data).toEqual({ both: 'both' });
    expect(denials.map(({ rule }) => rule)).toEqual(['role("admin")']);
    await ask(schema, admin, '{ both }');
    expect(denials.map(({ rule }) => rule)).toEqual(['role("admin")', 'owner(x)']);
  });

  it('tells of a rule about the caller once per principal object and coordinate, of others each time', async () => {
    const { schema, told } = rehearse(
      `type Query { list: [Item] } type Item { a: String @auth(requires: "admin") b: String @auth(owner: "b") }`,
      {
        Query: {
          list: () => [
            { a: '1', b: 'x' },
            { a: '2', b: 'y' },
          ],
        },
      },
    );
    const who = { ...viewer };
    await ask(schema, who, '{ list { a b } }');
    await ask(schema, who, '{ list { a } }');
    expect(told().toSorted()).toEqual(['Item.a ERROR', 'Item.b ERROR', 'Item.b ERROR']);
    await ask(schema, { ...viewer }, '{ list { a } }');
    expect(told()).toHaveLength(4);
  });

  it('publishes decisions as not enforced, and asks nobody to log in again', async () => {
    const { schema } = rehearse(typeDefs, resolvers, { masks });
    const { decisions, audits } = await eventsDuring(() => ask(schema, { ...viewer }, '{ secret recent }'));
    expect(decisions.map(({ point, decision, enforced }) => [point, decision.allowed, enforced])).toEqual([
      ['Query.secret', false, false],
      ['Query.recent', true, false],
      ['Query.recent', false, false],
    ]);
    expect(audits).toEqual([]);
  });

  it('says nothing of the kind where decisions are enforced', async () => {
    const schema = protectedSchema('type Query { secret: String @auth(requires: "admin") }');
    const { decisions } = await eventsDuring(() => ask(schema, { ...viewer }, '{ secret }'));
    expect(decisions).toHaveLength(1);
    expect(decisions[0]).not.toHaveProperty('enforced');
  });

  it.each([
    [
      'a policy that throws',
      () => {
        throw new Error('p');
      },
    ],
    ['a policy that rejects', () => Promise.reject(new Error('p'))],
    ['a policy that never answers', () => new Promise<boolean>(() => undefined)],
  ])('is not noticed with %s', async (_, policy) => {
    const onError = vi.fn();
    const { schema } = rehearse(
      `type Query {
        early: String @auth(policy: [["p"]])
        late: [String] @auth(policy: [["p"]], from: RESULT)
      }`,
      { Query: { early: () => 'early', late: () => ['late'] } },
      { policies: { p: policy }, onError, policyTimeoutMs: 20 },
    );
    const answer = await ask(schema, viewer, '{ early late }');
    expect(answer).toMatchObject({ data: { early: 'early', late: ['late'] }, errors: [] });
    await sleep(40);
    expect(onError).toHaveBeenCalled();
  });

  it.each([
    [
      'throws',
      () => {
        throw new Error('hook');
      },
    ],
    ['rejects', () => Promise.reject(new Error('hook')) as never],
  ])('is not noticed when its listener %s', async (_, onDryRun) => {
    const onError = vi.fn();
    const { schema } = rehearse(typeDefs, resolvers, { masks, onDryRun, onError });
    expect((await ask(schema, viewer, '{ secret item { email } node { id } }')).errors).toEqual([]);
    await sleep(1);
    expect(onError).toHaveBeenCalled();
  });

  it('is not noticed when the host fails to say who is asking', async () => {
    const { schema, told } = rehearse(typeDefs, resolvers, {
      masks,
      auth: () => {
        throw new Error('auth');
      },
    });
    expect((await ask(schema, viewer, '{ secret item { email } }')).errors).toEqual([]);
    expect(told()).toContain('Query.secret ERROR');
  });

  it('does not wait for decisions', async () => {
    const answers: (() => void)[] = [];
    const pdp: PolicyDecisionPoint = {
      decide: () => new Promise((resolve) => answers.push(() => resolve(deny('no_permission')))),
    };
    const { schema, told } = rehearse(
      'type Query { a: String @auth(permissions: ["read"]) }',
      { Query: { a: () => 'a' } },
      { pdp },
    );
    const result = execute({ schema, document: parse('{ a }'), contextValue: contextOf(viewer) });
    expect(result).toEqual({ data: { a: 'a' } });
    expect(told()).toEqual([]);
    for (const answer of answers) answer();
    await sleep(1);
    expect(told()).toEqual(['Query.a ERROR']);
  });

  it('closes nothing that no rule reaches, and tells of it', async () => {
    const { schema, told } = rehearse(
      'type Query { bare: String }',
      { Query: { bare: () => 'bare' } },
      { unprotected: 'deny', onUnprotected: () => undefined },
    );
    expect((await ask(schema, viewer, '{ bare }')).data).toEqual({ bare: 'bare' });
    expect(told()).toEqual(['Query.bare ERROR']);
  });

  it('is what assertProtected finds whole, or not', () => {
    const { schema } = rehearse(typeDefs, resolvers, { masks });
    assertProtected(schema, { allowDryRun: true });
    const field = schema.getQueryType()?.getFields().secret;
    if (field !== undefined) field.resolve = () => 'secret';
    expect(() => assertProtected(schema, { allowDryRun: true })).toThrow('Query.secret');
  });
});

describe('what a resolver answers with', () => {
  const typeDefs = 'type Query { list: [String] @auth(owner: "x", from: RESULT, onDeny: FILTER) }';
  const listed = async (value: unknown) => {
    const { schema, denials } = rehearse(typeDefs, { Query: { list: () => value } });
    const answer = await ask(schema, viewer, '{ list }');
    await sleep(1);
    return { ...answer, count: denials.length };
  };

  it.each([
    [
      'a generator, which can be read once',
      () =>
        (function* () {
          yield* ['a', 'b'];
        })(),
    ],
    ['a set', () => new Set(['a', 'b'])],
    ['items that are promises', () => [Promise.resolve('a'), 'b']],
    ['a promise of promises', async () => [Promise.resolve('a'), 'b']],
  ])('is still there: %s', async (_, make) => {
    expect(await listed(make())).toMatchObject({ data: { list: ['a', 'b'] }, errors: [], count: 2 });
  });

  it('is asked for once, where asking runs a query', async () => {
    let queries = 0;
    const lazy = {
      // biome-ignore lint/suspicious/noThenProperty: query builders run when they are awaited
      then(resolve: (value: unknown) => void) {
        queries++;
        resolve(['a']);
      },
    };
    expect(await listed(lazy)).toMatchObject({ data: { list: ['a'] }, count: 1 });
    expect(queries).toBe(1);
  });

  it('fails as it failed', async () => {
    const failing = [Promise.reject(new Error('one item')), 'b', new Error('another'), null];
    const answer = await listed(failing);
    expect(answer).toMatchObject({ data: { list: [null, 'b', null, null] }, count: 1 });
    expect(answer.errors.toSorted()).toEqual(['list.0: one item', 'list.2: another']);
    expect((await listed(Promise.reject(new Error('all')))).errors).toEqual(['list: all']);
  });
});

describe('a dry run of a subscription', () => {
  it('starts, delivers every event, and does not end', async () => {
    async function* source() {
      for (const n of [1, 2, 3]) yield { ticked: { n, secret: 's' } };
    }
    const { schema, told } = rehearse(
      `type Query { q: String }
       type Subscription { ticked: Tick @auth(permissions: ["read"]) @auth(policy: [["odd"]], from: RESULT, onDeny: FILTER) }
       type Tick { n: Int secret: String @auth(requires: "admin") }`,
      { Subscription: { ticked: { subscribe: source } } },
      { policies: { odd: ({ result }) => (result as { n: number }).n % 2 === 1 } },
    );
    const document = parse('subscription { ticked { n secret } }');
    const who = principal('u1');
    const contextValue = { auth: { ...contextOf(who).auth, reauthenticate: () => undefined } };
    const stream = await subscribe({ schema, document, contextValue });
    const events: unknown[] = [];
    for await (const { data, errors } of stream as AsyncIterable<ExecutionResult>) {
      expect(errors).toBeUndefined();
      events.push(data?.ticked);
    }
    expect(JSON.stringify(events)).toBe('[{"n":1,"secret":"s"},{"n":2,"secret":"s"},{"n":3,"secret":"s"}]');
    expect(new Set(told())).toEqual(new Set(['Subscription.ticked ERROR', 'Tick.secret ERROR']));
  });

  it('decides every event anew', async () => {
    const asked: string[] = [];
    const pdp: PolicyDecisionPoint = {
      decide: ({ action }) => {
        asked.push(action);
        return allow('permission');
      },
    };
    async function* source() {
      for (const ticked of [1, 2, 3]) yield { ticked };
    }
    const { schema } = rehearse(
      'type Query { q: String } type Subscription { ticked: Int @auth(permissions: ["read"]) }',
      { Subscription: { ticked: { subscribe: source } } },
      { pdp },
    );
    const document = parse('subscription { ticked }');
    const stream = await subscribe({ schema, document, contextValue: contextOf(principal('u1')) });
    for await (const _ of stream as AsyncIterable<unknown>);
    expect(asked).toHaveLength(4);
  });
});

it('answers exactly as the schema without protection does, whatever the rules are', async () => {
  const rules = [
    '',
    '@auth(requires: "admin")',
    '@auth(owner: "x")',
    '@auth(policy: [["slow"]])',
    '@auth(rule: { not: { policy: "broken" } })',
    '@auth(permissions: ["update"], maxAge: 5)',
  ];
  const onField = [...rules, '@auth(policy: [["slow"]], from: RESULT)', '@auth(owner: "x", onDeny: NULL)'];
  const rule = fc.constantFrom(...rules);
  const ofField = fc.constantFrom(...onField);
  const principals = fc.constantFrom(anonymous, viewer, admin, principal('1'));
  const sdl = (at: readonly string[]): string => `
    interface I ${at[0]} { x: String }
    type A implements I ${at[1]} { x: String ${at[5]} next: A ${at[6]} list: [I!] ${at[7]} }
    type B implements I ${at[2]} { x: String ${at[8]} fail: String ${at[9]} }
    union U ${at[3]} = A | B
    type Query { a(arg: In ${at[4]}): A u(b: Boolean, x: ID): U list: [I] fail: String! }
    type Mutation { m: A one: String }
    input In { v: String ${at[4]} }
  `;
  const a = {
    __typename: 'A',
    x: '1',
    list: [
      { __typename: 'B', x: '2', fail: 'f' },
      { __typename: 'A', x: '3' },
    ],
  };
  const fail = () => Promise.reject(new Error('failed'));
  const resolvers: Resolvers = {
    Query: {
      a: async () => ({ ...a, next: a }),
      u: (_: unknown, { b }: { b?: boolean }) => (b ? { __typename: 'B', x: '4' } : a),
      list: () => new Set([a, Promise.resolve({ __typename: 'B', x: '5' }), null]),
    },
    Mutation: { m: () => a, one: () => 'one' },
    B: { fail },
  };
  const documents = [
    '{ a(arg: { v: "1" }) { x next { x list { x __typename } } } v: a { x } }',
    '{ u { __typename ... on A { x list { ... on B { x fail } } } } w: u(b: true) { ... on B { x fail } } }',
    '{ list { x ... on A { next { x } list { x } } } }',
    'mutation { m { x list { x } } one }',
    '{ a { x } fail }',
  ];
  const policies = {
    slow: async () => false,
    broken: () => {
      throw new Error('broken');
    },
  };
  await fc.assert(
    fc.asyncProperty(
      fc.tuple(rule, rule, rule, rule, rule, ofField, ofField, ofField, ofField, ofField),
      fc.constantFrom(...documents),
      principals,
      async (at, source, who) => {
        const bare = build(sdl(at), resolvers);
        const denials: DryRunDenial[] = [];
        const rehearsed = protectSchema<TestContext>(bare, {
          pdp: roleTable(),
          policies,
          enforce: 'dry-run',
          onDryRun: (denial) => denials.push(denial),
        });
        const contextValue = () => contextOf(who && { ...who });
        const [expected, actual] = await Promise.all([
          graphql({ schema: bare, source, contextValue: contextValue() }),
          graphql({ schema: rehearsed, source, contextValue: contextValue() }),
        ]);
        expect(JSON.stringify(actual)).toBe(JSON.stringify(expected));
        await sleep(0);
        const enforced = protectSchema<TestContext>(bare, { pdp: roleTable(), policies });
        const strict = await graphql({ schema: enforced, source, contextValue: contextValue() });
        // What is denied for real is told; children of what is denied may be told beside it.
        if (JSON.stringify(strict) !== JSON.stringify(expected)) expect(denials).not.toEqual([]);
      },
    ),
    { numRuns: 60 },
  );
}, 60_000);
