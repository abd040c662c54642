import { type AccessRequest, allow, deny, narrowByScopes, type PolicyDecisionPoint, type Resource } from 'doorward';
import { and, attr, createPolicyEngine, eq, owner, policy, rule } from 'doorward/abac';
import { createAuthzenClient, createAuthzenEndpoint } from 'doorward/authzen';
import { can, type DecisionPointInput, type DecisionPointPolicy, definePolicies } from 'doorward/graphql';
import { createDecisionEndpoint, createOpaClient } from 'doorward/opa';
import { contractRoles } from 'doorward/rbac';
import { serve } from 'doorward/use/node';
import { execute, type GraphQLResolveInfo, graphql, parse, type SubscriptionArgs, subscribe } from 'graphql';
import { afterEach, describe, expect, test } from 'vitest';
import {
  anonymous,
  answerOf,
  ask,
  contextOf,
  principal,
  protectedSchema,
  roleTable,
  type TestContext,
} from './support.ts';

interface Document {
  readonly id: string;
  ownerId?: unknown;
  readonly title: string;
}

const ada = principal('ada');
const bob = principal('bob');

/** Owners read, and nobody else; of a resource without an owner nothing is known. */
const owners = createPolicyEngine(policy('documents', [rule.allow('owner', and(eq(attr('action'), 'read'), owner()))]));

const asDocument = ({ resource }: Pick<DecisionPointInput, 'resource'>): Resource => {
  const { id, ownerId } = resource as Document;
  return { type: 'Document', id, attributes: { owner_id: ownerId } };
};

interface Counting extends PolicyDecisionPoint {
  readonly asked: AccessRequest[];
}

/** Decides as the engine does, and keeps what it was asked. */
function counting(point: PolicyDecisionPoint = owners): Counting {
  const asked: AccessRequest[] = [];
  return {
    asked,
    isSynchronous: true,
    decide: (request) => {
      asked.push(request);
      return point.decide(request);
    },
  };
}

const documents = `
  type Document { id: ID title: String @auth(policy: [["readDocument"]]) text: String @auth(policy: [["readDocument"]]) }
`;

function policies(pdp: PolicyDecisionPoint = owners): { readonly readDocument: DecisionPointPolicy<TestContext> } {
  return { readDocument: { action: 'read', resource: asDocument, pdp } };
}

describe('a policy that a decision point answers', () => {
  const mine: Document = { id: 'd1', ownerId: 'ada', title: 'Mine' };

  test('is about the parent, the result, the arguments or the input object, as the rule says', async () => {
    const schema = protectedSchema(
      `${documents}
      input Change { id: ID ownerId: ID @auth(policy: [["readDocument"]]) }
      type Query {
        parent: Document
        results: [String] @auth(policy: [["readDocument"]], from: RESULT, onDeny: FILTER)
        arguments(id: ID, ownerId: ID): String @auth(policy: [["readDocument"]])
        input(change: [Change!]): String
      }`,
      {
        Query: {
          parent: () => mine,
          results: () => [mine, { id: 'd2', ownerId: 'bob', valueOf: () => 'not mine' }],
          arguments: () => 'ran',
          input: () => 'ran',
        },
      },
      { policies: policies() },
    );
    const about = async (who: typeof ada, source: string): Promise<unknown> => {
      const { data, errors } = await ask(schema, who, source);
      return errors.length > 0 ? errors : data;
    };
    expect(await about(ada, '{ parent { title } }')).toEqual({ parent: { title: 'Mine' } });
    expect(await about(bob, '{ parent { title } }')).toEqual(['parent.title: FORBIDDEN']);
    expect((await ask(schema, bob, '{ results }')).data).toEqual({ results: ['not mine'] });
    expect(await about(ada, '{ arguments(id: "d1", ownerId: "ada") }')).toEqual({ arguments: 'ran' });
    expect(await about(ada, '{ arguments(id: "d1", ownerId: "bob") }')).toEqual(['arguments: FORBIDDEN']);
    expect(await about(ada, '{ input(change: [{ ownerId: "ada" }]) }')).toEqual({ input: 'ran' });
    expect(await about(ada, '{ input(change: [{ ownerId: "ada" }, { ownerId: "bob" }]) }')).toEqual([
      'input: FORBIDDEN',
    ]);
    expect(await about(ada, '{ input(change: [{ id: "d1" }]) }')).toEqual({ input: 'ran' });
    expect((await ask(schema, anonymous, '{ parent { title } }')).errors).toEqual(['parent.title: UNAUTHENTICATED']);
  });

  test('asks the decision point of the schema where it has none of its own', async () => {
    const pdp = counting({ decide: ({ action }) => (action === 'read' ? allow('rule') : deny('no_rule')) });
    const schema = protectedSchema(
      `${documents} type Query { d: Document }`,
      { Query: { d: () => mine } },
      { pdp, policies: { readDocument: { action: 'read', resource: asDocument } } },
    );
    expect((await ask(schema, bob, '{ d { title } }')).data).toEqual({ d: { title: 'Mine' } });
    expect(pdp.asked).toEqual([
      {
        subject: bob,
        action: 'read',
        resource: { type: 'Document', id: 'd1', attributes: { owner_id: 'ada' } },
        environment: { time: 0 },
      },
    ]);
  });

  test('is typed against the context, beside policies that are functions', async () => {
    const mixed = definePolicies<TestContext>()({
      readDocument: {
        action: 'read',
        resource: ({ context, resource }) => ({
          type: 'Document',
          attributes: { owner_id: (resource as Document).ownerId, reader: context.auth.principal?.id },
        }),
        pdp: owners,
      },
      isAda: ({ context }) => context.auth.principal?.id === 'ada',
    });
    definePolicies<TestContext>()({
      // @ts-expect-error a context of this server has no tenant
      lacking: { action: 'read', resource: ({ context }) => ({ type: 'a', attributes: { a: context.tenant } }) },
    });
    const schema = protectedSchema(
      'type Query { d: Document } type Document { title: String @auth(policy: [["readDocument", "isAda"]]) }',
      { Query: { d: () => mine } },
      { policies: mixed },
    );
    expect((await ask(schema, ada, '{ d { title } }')).data).toEqual({ d: { title: 'Mine' } });
    expect((await ask(schema, bob, '{ d { title } }')).errors).toEqual(['d.title: FORBIDDEN']);
  });

  test.each<[string, unknown]>([
    ['policies.p', 'read'],
    ['policies.p', null],
    ['policies.p', []],
    ['policies.p', new (class {})()],
    ['policies.p.action', { resource: asDocument }],
    ['policies.p.action', { action: '', resource: asDocument }],
    ['policies.p.action', { action: ['read'], resource: asDocument }],
    ['policies.p.action', { action: 'raed', resource: asDocument }],
    ['policies.p.resource', { action: 'read' }],
    ['policies.p.resource', { action: 'read', resource: { type: 'Document', attributes: {} } }],
    ['policies.p.pdp', { action: 'read', resource: asDocument, pdp: undefined }],
    ['policies.p.pdp', { action: 'read', resource: asDocument, pdp: {} }],
    ['policies.p.ressource', { action: 'read', resource: asDocument, ressource: asDocument }],
    ['policies.p', Object.assign(Object.create({ action: 'read' }), { resource: asDocument })],
  ])('is refused when the schema is built: %s of %j', (field, given) => {
    expect(() =>
      protectedSchema('type Query { a: String @auth(policy: [["p"]]) }', {}, { policies: { p: given } as never }),
    ).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID', field }));
  });

  test('may name an action that the permissions of another decision point do not hold', () => {
    const p = { action: 'archive', resource: asDocument, pdp: owners };
    expect(() =>
      protectedSchema('type Query { a: String @auth(policy: [["p"]]) }', {}, { policies: { p } }),
    ).not.toThrow();
  });

  const inherited = Object.create({ type: 'Document', id: 'd1', attributes: { ownerId: 'ada' } }) as Resource;
  test.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('db pass=hunter2');
      },
    ],
    ['answers undefined', () => undefined],
    ['answers null', () => null],
    ['answers true', () => true],
    ['answers a promise of a resource', async () => ({ type: 'Document', attributes: { ownerId: 'ada' } })],
    ['answers what it inherits', () => inherited],
    ['answers without a type', () => ({ attributes: { ownerId: 'ada' } })],
    ['answers without attributes', () => ({ type: 'Document' })],
    ['answers with a list of attributes', () => ({ type: 'Document', attributes: [] })],
    [
      'answers with an id that is none',
      () => ({ type: 'Document', id: { $ne: null }, attributes: { ownerId: 'ada' } }),
    ],
  ])('DIR-12 lets nobody through, not even below a not or an any, where its resource %s', async (_, resource) => {
    const told: unknown[] = [];
    const pdp = counting({ decide: () => allow('rule') });
    const rules = [
      'policy: [["p"]]',
      'rule: { not: { policy: "p" } }',
      'rule: { any: [{ policy: "p" }, { role: "admin" }] }',
    ];
    const schema = protectedSchema(
      `type Query { d: Document } type Document { ${rules.map((one, index) => `f${index}: String @auth(${one})`).join(' ')} }`,
      { Query: { d: () => ({ f0: 'SECRET', f1: 'SECRET', f2: 'SECRET' }) } },
      { policies: { p: { action: 'read', resource: resource as never, pdp } }, onError: (error) => told.push(error) },
    );
    const answer = await ask(schema, ada, '{ d { f0 f1 f2 } }');
    expect(answer.errors).toEqual(['d.f0: FORBIDDEN', 'd.f1: FORBIDDEN', 'd.f2: FORBIDDEN']);
    expect(answer.text).not.toMatch(/SECRET|hunter2/);
    expect(pdp.asked).toEqual([]);
    expect(told).toHaveLength(1);
  });

  test.each<[string, PolicyDecisionPoint]>([
    [
      'throws',
      {
        decide: () => {
          throw new Error('down');
        },
      },
    ],
    ['rejects', { decide: () => Promise.reject(new Error('down')) }],
    ['never answers', { decide: () => new Promise(() => {}) }],
    ['answers true', { decide: (() => true) as never }],
    ['answers an Error object', { decide: (() => new Error('no')) as never }],
    ['answers what it inherits', { decide: () => Object.create(allow('rule')) as never }],
    ['answers nothing', { decide: (() => undefined) as never }],
  ])('DIR-12 advisory 23: lets nobody through, not even below a not, where the decision point %s', async (_, pdp) => {
    const schema = protectedSchema(
      'type Query { d: Document } type Document { a: String @auth(policy: [["p"]]) b: String @auth(rule: { not: { policy: "p" } }) }',
      { Query: { d: () => ({ a: 'SECRET', b: 'SECRET' }) } },
      { policies: { p: { action: 'read', resource: asDocument, pdp } }, policyTimeoutMs: 20 },
    );
    const answer = await ask(schema, ada, '{ d { a b } }');
    expect(answer.errors).toEqual(['d.a: FORBIDDEN', 'd.b: FORBIDDEN']);
    expect(answer.text).not.toContain('SECRET');
  });

  test.each([undefined, null, '', {}, ['ada'], Number.NaN])(
    'advisory 21: a resource whose owner is %j belongs to nobody, whoever asks',
    async (ownerId) => {
      const schema = protectedSchema(
        `${documents} type Query { d: Document e: Document }`,
        { Query: { d: () => ({ id: 'd1', ownerId, title: 'SECRET' }), e: () => ({ id: 'd2', title: 'SECRET' }) } },
        { policies: policies() },
      );
      for (const who of [anonymous, principal(''), { ...ada, id: ownerId as never }, ada]) {
        const answer = await ask(schema, who, '{ d { title } e { title } }');
        expect(answer.errors).toHaveLength(2);
        expect(answer.text).not.toContain('SECRET');
      }
    },
  );
});

describe('one decision', () => {
  const mine: Document = { id: 'd1', ownerId: 'ada', title: 'Mine' };

  test('is made for a principal, a policy and a resource, however often, under whatever name and wherever it is met', async () => {
    const pdp = counting();
    const schema = protectedSchema(
      `${documents} type Query { d: Document all: [Document] }`,
      { Query: { d: () => mine, all: () => [mine, mine] } },
      { policies: policies(pdp) },
    );
    const { data, errors } = await ask(
      schema,
      ada,
      '{ d { title x: title text } e: d { ...F } all { ...F } } fragment F on Document { title text }',
    );
    expect(errors).toEqual([]);
    expect(data).toMatchObject({ all: [{ title: 'Mine' }, { title: 'Mine' }] });
    expect(pdp.asked).toHaveLength(1);
    // Another request has another principal object, although it is the same user.
    await ask(schema, { ...ada }, '{ d { title } }');
    expect(pdp.asked).toHaveLength(2);
  });

  test('DIR-11 is not that of another resource, another policy or another principal', async () => {
    const pdp = counting();
    const other = { id: 'd2', ownerId: 'bob', title: 'SECRET' };
    const schema = protectedSchema(
      `${documents} type Query {
        mine: Document other: Document
        one(id: ID, ownerId: ID): String @auth(policy: [["readDocument"]])
        two(id: ID, ownerId: ID): String @auth(policy: [["readDocument"]])
        three(id: ID, ownerId: ID): String @auth(policy: [["writeDocument"]])
      }`,
      { Query: { mine: () => mine, other: () => other, one: () => '1', two: () => '2', three: () => '3' } },
      { policies: { ...policies(pdp), writeDocument: { action: 'write', resource: asDocument, pdp } } },
    );
    const source = `{
      a: one(id: "d1", ownerId: "ada") b: one(id: "d1", ownerId: "bob")
      c: two(id: "d1", ownerId: "ada") d: two(id: "d1", ownerId: "bob") e: three(id: "d1", ownerId: "ada")
      mine { title } other { title }
    }`;
    const [one, two] = await Promise.all([ask(schema, ada, source), ask(schema, bob, source)]);
    expect(one?.errors).toEqual(['b: FORBIDDEN', 'd: FORBIDDEN', 'e: FORBIDDEN', 'other.title: FORBIDDEN']);
    expect(two?.errors).toEqual(['a: FORBIDDEN', 'c: FORBIDDEN', 'e: FORBIDDEN', 'mine.title: FORBIDDEN']);
    expect(pdp.asked).toHaveLength(14);
  });

  test('does not outlive a principal object in a context that is shared, nor in a document that is executed again', async () => {
    const pdp = counting();
    const schema = protectedSchema(
      `${documents} type Query { d: Document }`,
      { Query: { d: () => mine } },
      { policies: policies(pdp) },
    );
    const document = parse('{ d { title } }');
    const contextValue = contextOf(ada);
    expect(answerOf(await execute({ schema, document, contextValue })).errors).toEqual([]);
    contextValue.auth.principal = bob;
    expect(answerOf(await execute({ schema, document, contextValue })).errors).toEqual(['d.title: FORBIDDEN']);
    expect(pdp.asked).toHaveLength(2);
  });

  test.each(['in this process', 'remote'])(
    'is made anew for an object that a field of a mutation has changed since (%s)',
    async (place) => {
      const pdp = counting();
      const point: PolicyDecisionPoint =
        place === 'remote'
          ? { decide: pdp.decide, decideAll: async (all) => all.map((one) => pdp.decide(one) as never) }
          : pdp;
      const shared: Document = { id: 'd1', ownerId: 'ada', title: 'SECRET' };
      const schema = protectedSchema(
        `${documents} type Query { a: String } type Mutation { look: Document giveAway: Document give: String }`,
        {
          Mutation: {
            look: () => shared,
            giveAway: () => Object.assign(shared, { ownerId: 'bob' }),
            give: () => 'ok',
          },
        },
        { policies: policies(point) },
      );
      const { data, errors } = await ask(
        schema,
        ada,
        'mutation { look { title text } give giveAway { title } again: look { title } }',
      );
      expect(errors).toEqual(['giveAway.title: FORBIDDEN', 'again.title: FORBIDDEN']);
      expect(data).toMatchObject({ look: { title: 'SECRET' }, giveAway: { title: null } });
      expect(pdp.asked).toHaveLength(3);
    },
  );

  test('that was made of an input object is not good for what a mutation makes of that object', async () => {
    const schema = protectedSchema(
      `${documents}
      input NewDocument { id: ID title: String ownerId: ID @auth(policy: [["readDocument"]]) }
      type Query { a: String }
      type Mutation { give(document: NewDocument!): Document }`,
      {
        Mutation: {
          give: (_: unknown, { document }: { document: Document }) => Object.assign(document, { ownerId: 'bob' }),
        },
      },
      { policies: policies() },
    );
    const source = 'mutation ($d: NewDocument!) { give(document: $d) { title } second: give(document: $d) { title } }';
    const { errors } = await ask(schema, ada, source, { d: { id: 'd1', title: 'SECRET', ownerId: 'ada' } });
    expect(errors).toEqual(['give.title: FORBIDDEN', 'second: FORBIDDEN']);
  });

  test('that a resolver of a mutation asks for is made anew after what it changed', async () => {
    const shared: Document = { id: 'd1', ownerId: 'ada', title: 'SECRET' };
    const schema = protectedSchema(
      `${documents} type Query { a: String } type Mutation { give(id: ID): [Boolean] }`,
      {
        Mutation: {
          give: async (
            _: unknown,
            args: Readonly<Record<string, unknown>>,
            context: TestContext,
            info: GraphQLResolveInfo,
          ) => {
            const mayRead = async (): Promise<boolean> =>
              (await can(info, context, 'Document.title', { parent: shared, args })).allowed;
            const before = await mayRead();
            shared.ownerId = 'bob';
            return [before, await mayRead()];
          },
        },
      },
      { policies: policies() },
    );
    expect((await ask(schema, ada, 'mutation { give }')).data).toEqual({ give: [true, false] });
  });

  test('DIR-16 is made anew for every event, though it is the same object', async () => {
    const pdp = counting();
    const shared: Document = { id: 'd1', ownerId: 'ada', title: 'SECRET' };
    const schema = protectedSchema(
      `${documents} type Query { a: String } type Subscription { changed: Document }`,
      {
        Subscription: {
          changed: {
            async *subscribe() {
              yield { changed: shared };
              shared.ownerId = 'bob';
              yield { changed: shared };
            },
          },
        },
      },
      { policies: policies(pdp) },
    );
    const document = parse('subscription { changed { title text } }');
    const args: SubscriptionArgs = { schema, document, contextValue: contextOf(ada) };
    const stream = (await subscribe(args)) as AsyncGenerator<Parameters<typeof answerOf>[0]>;
    const events: unknown[] = [];
    for await (const event of stream) events.push(answerOf(event).errors);
    expect(events).toEqual([[], ['changed.title: FORBIDDEN', 'changed.text: FORBIDDEN']]);
    expect(pdp.asked).toHaveLength(2);
  });

  test('DIR-16 of a caller is made anew for every event too, and a login that ended ends the stream', async () => {
    const schema = protectedSchema(
      'type Post { title: String @auth(permissions: ["read"]) } type Query { a: String } type Subscription { changed: Post }',
      {
        Subscription: {
          changed: {
            async *subscribe() {
              for (;;) yield { changed: { title: 'SECRET' } };
            },
          },
        },
      },
    );
    const logins = [principal('c', 'viewer'), principal('c'), undefined];
    const auth = { ...contextOf(principal('c', 'viewer')).auth, reauthenticate: () => logins.shift() };
    const document = parse('subscription { changed { title } }');
    const stream = (await subscribe({ schema, document, contextValue: { auth } })) as AsyncGenerator<
      Parameters<typeof answerOf>[0]
    >;
    const events: unknown[] = [];
    for await (const event of stream) events.push(answerOf(event).errors);
    expect(events).toEqual([[], ['changed.title: FORBIDDEN']]);
  });

  test('is not awaited where the decision point answers at once', () => {
    const schema = protectedSchema(
      `${documents} type Query { d: Document }`,
      { Query: { d: () => mine } },
      { policies: policies() },
    );
    const result = execute({ schema, document: parse('{ d { title } }'), contextValue: contextOf(ada) });
    expect(result).not.toBeInstanceOf(Promise);
    expect(result).toMatchObject({ data: { d: { title: 'Mine' } } });
  });

  test('is called off with the operation', async () => {
    const seen: (AbortSignal | undefined)[] = [];
    const one: PolicyDecisionPoint = {
      decide: async (_, options) => {
        seen.push(options?.signal);
        return allow('rule');
      },
    };
    const many: PolicyDecisionPoint = {
      ...one,
      decideAll: async (all, options) => {
        seen.push(options?.signal);
        return all.map(() => allow('rule'));
      },
    };
    const { signal } = new AbortController();
    for (const pdp of [one, many]) {
      const schema = protectedSchema(
        `${documents} type Query { d: Document }`,
        { Query: { d: () => mine } },
        { policies: policies(pdp) },
      );
      const contextValue = { auth: { ...contextOf({ ...ada }).auth, signal } };
      expect((await graphql({ schema, source: '{ d { title } }', contextValue })).errors).toBeUndefined();
    }
    expect(seen).toEqual([signal, signal]);
  });
});

describe('roles', () => {
  test('advisory 22: of a role that inherits are filtered as those of the role itself', async () => {
    const pdp = counting();
    const schema = protectedSchema(
      'type Query { all: [String] @auth(permissions: ["read"]) @auth(policy: [["readDocument"]], from: RESULT, onDeny: FILTER) }',
      {
        Query: {
          all: () => [
            { ownerId: 'c', valueOf: () => 'mine' },
            { ownerId: 'x', valueOf: () => 'SECRET' },
          ],
        },
      },
      { pdp: contractRoles, policies: policies(pdp) },
    );
    for (const role of ['viewer', 'editor', 'admin']) {
      expect(await ask(schema, principal('c', role), '{ all }')).toMatchObject({ data: { all: ['mine'] }, errors: [] });
    }
    expect((await ask(schema, principal('c'), '{ all }')).errors).toEqual(['all: FORBIDDEN']);
  });
});

describe('a remote decision point', () => {
  const running: { close(): Promise<unknown> }[] = [];
  afterEach(async () => {
    for (const one of running.splice(0)) await one.close();
  });
  const resolvers = {
    Query: {
      all: () =>
        Array.from({ length: 20 }, (_, index) => ({
          id: `d${index}`,
          ownerId: index % 2 ? 'ada' : 'bob',
          title: `t${index}`,
        })),
    },
  };
  const odd = Array.from({ length: 20 }, (_, index) => ({ title: index % 2 ? `t${index}` : null }));

  test('an AuthZEN server answers as the policy does', async () => {
    const endpoint = createAuthzenEndpoint({
      pdp: owners,
      environment: () => ({ time: 0 }),
      resolveSubject: ({ id }) => principal(id),
    });
    const server = await serve(endpoint, { port: 0 });
    const client = createAuthzenClient({ url: server.url });
    running.push(client, server);
    const schema = protectedSchema(`${documents} type Query { all: [Document] }`, resolvers, {
      policies: policies(client),
    });
    expect((await ask(schema, ada, '{ all { title } }')).data).toEqual({ all: odd });
  });

  test('an OPA server answers as the policy does, and nobody gets through when it is gone', async () => {
    const endpoint = createDecisionEndpoint({ pdp: owners, environment: () => ({ time: 0 }) });
    const server = await serve(endpoint, { port: 0 });
    const opa = createOpaClient({ url: server.url });
    running.push(opa, server);
    const schema = protectedSchema(`${documents} type Query { all: [Document] }`, resolvers, {
      policies: policies(opa),
    });
    expect((await ask(schema, principal('ada', 'viewer'), '{ all { title } }')).data).toEqual({ all: odd });
    await server.close();
    const { data, errors } = await ask(schema, principal('ada', 'viewer'), '{ all { title } }');
    expect(data).toEqual({ all: odd.map(() => ({ title: null })) });
    expect(errors).toHaveLength(20);
  });

  test('scopes narrow a policy that a decision point answers', async () => {
    const schema = protectedSchema(
      'type Query { d: Document } type Document { title: String @auth(policy: [["update"]]) }',
      { Query: { d: () => ({ id: 'd1', title: 'SECRET' }) } },
      {
        pdp: roleTable(),
        policies: { update: { action: 'update', resource: asDocument, pdp: narrowByScopes(contractRoles) } },
      },
    );
    const editor = principal('e', 'editor');
    expect((await ask(schema, { ...editor, scopes: ['update'] }, '{ d { title } }')).errors).toEqual([]);
    expect((await ask(schema, { ...editor, scopes: ['read'] }, '{ d { title } }')).errors).toEqual([
      'd.title: FORBIDDEN',
    ]);
  });
});
