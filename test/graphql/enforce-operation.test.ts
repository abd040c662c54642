import diagnostics from 'node:diagnostics_channel';
import { setTimeout as sleep } from 'node:timers/promises';
import { allow, DECISION_CHANNEL, type DecisionEvent, deny, type PolicyDecisionPoint, type Principal } from 'doorward';
import { assertProtected, type ProtectSchemaOptions } from 'doorward/graphql';
import fc from 'fast-check';
import {
  type DocumentNode,
  type ExecutionResult,
  execute,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  graphql,
  Kind,
  parse,
  subscribe,
  visit,
} from 'graphql';
import { describe, expect, it, vi } from 'vitest';
import { processorMs } from '../running-time.ts';
import {
  admin,
  anonymous,
  answerOf,
  ask,
  contextOf,
  principal,
  protectedSchema,
  type Resolvers,
  type TestContext,
  viewer,
} from './support.ts';

const typeDefs = `
  type Query {
    hello: String
    me: User
    secret: String @auth(requires: "admin")
    hidden: Vault @auth(requires: "admin", onDeny: NULL)
    node(kind: String): Node
    pet(kind: String): Pet
    find(text: String, all: Boolean @auth(requires: "admin")): String
    search(filter: Filter): String
    mine(ownerId: ID): String @auth(owner: "ownerId")
    self: Query
    recent: String @auth(maxAge: 60)
  }
  type Mutation {
    a: String
    b: String @auth(requires: "admin")
    rename(ownerId: ID): User @auth(owner: "ownerId")
    touch: User
  }
  type User {
    name: String
    email: String @auth(requires: "admin")
    notes: String @auth(owner: "id")
    friend: User
    papers: String @auth(owner: "id", maxAge: 60)
  }
  type Vault { gold: String @auth(requires: "admin") }
  interface Node { id: ID }
  type Open implements Node { id: ID open: String }
  type Closed implements Node @auth(requires: "admin") { id: ID }
  union Pet = Cat | Dog
  type Cat { name: String @auth(requires: "admin") sound: String }
  type Dog { name: String @auth(requires: "admin") sound: String }
  input Filter { text: String all: Boolean @auth(requires: "admin") inner: Filter }
`;

function house(options: Partial<ProtectSchemaOptions<TestContext>> = {}) {
  const ran: string[] = [];
  const does = (name: string, value: unknown) => () => {
    ran.push(name);
    return value;
  };
  const user = { id: 'v1', name: 'Vi', email: 'vi@example.org', notes: 'n', papers: 'p', friend: { name: 'Fo' } };
  const resolvers: Resolvers = {
    Query: {
      hello: does('hello', 'hello'),
      me: does('me', user),
      secret: does('secret', 'secret'),
      hidden: does('hidden', { gold: 'au' }),
      node: (_: unknown, { kind }: { kind: string }) => ({ __typename: kind, id: '1', open: 'yes' }),
      pet: (_: unknown, { kind }: { kind: string }) => ({ __typename: kind, name: 'Tom', sound: 'meow' }),
      find: does('find', 'found'),
      search: does('search', 'found'),
      mine: does('mine', 'mine'),
      self: does('self', {}),
      recent: does('recent', 'recent'),
    },
    Mutation: {
      a: does('a', 'a'),
      b: does('b', 'b'),
      rename: does('rename', user),
      touch: does('touch', user),
    },
  };
  return { ran, schema: protectedSchema(typeDefs, resolvers, { enforce: 'operation', ...options }) };
}

/** What a caller gets, and what ran to make it. */
async function run(source: string, who: Principal | 'anonymous' = viewer, variables: Record<string, unknown> = {}) {
  const { ran, schema } = house();
  const answer = await ask(schema, who === 'anonymous' ? anonymous : who, source, variables);
  return { ...answer, ran };
}

const refused = (...paths: readonly string[]) => paths.map((path) => `${path}: FORBIDDEN`);

describe('an operation as a whole', () => {
  it('does not run its first mutation when the second is denied', async () => {
    expect(await run('mutation { a b }')).toMatchObject({
      data: { a: null, b: null },
      errors: refused('a', 'b'),
      ran: [],
    });
    expect((await run('mutation { a b }', admin)).ran).toEqual(['a', 'b']);
  });

  it('runs nothing for an anonymous caller who asks for anything with a rule', async () => {
    expect(await run('{ hello secret }', 'anonymous')).toMatchObject({
      errors: ['hello: UNAUTHENTICATED', 'secret: UNAUTHENTICATED'],
      ran: [],
    });
    expect(await run('{ hello __typename }', 'anonymous')).toMatchObject({ data: { hello: 'hello' }, errors: [] });
  });

  it.each([
    ['nested in the result of the first mutation', 'mutation { a touch { friend { email } } }'],
    ['by an alias', 'mutation { a hello: b }'],
    ['in a fragment', 'mutation { a ...F } fragment F on Mutation { b }'],
    ['in fragments of fragments', 'mutation { a ...F } fragment F on Mutation { ...G } fragment G on Mutation { b }'],
    ['in a fragment called __schema', 'mutation { a ...__schema } fragment __schema on Mutation { b }'],
    ['in a fragment called __proto__', 'mutation { a ...__proto__ } fragment __proto__ on Mutation { b }'],
    ['in a fragment called constructor', 'mutation { a ...constructor } fragment constructor on Mutation { b }'],
    ['in an inline fragment without a type', 'mutation { a ... { b } }'],
    ['in an inline fragment that is included', 'mutation { a ... @include(if: true) { b } }'],
    ['by an alias called __proto__', 'mutation { a __proto__: b }'],
  ])('finds a denied field %s', async (_, source) => {
    expect(await run(source)).toMatchObject({ ran: [] });
  });

  it.each([
    ['skipped', 'mutation { a b @skip(if: true) }', {}],
    ['not included', 'mutation { a b @include(if: false) }', {}],
    ['in a fragment that is skipped', 'mutation { a ...F @skip(if: true) } fragment F on Mutation { b }', {}],
    ['in an inline fragment that is not included', 'mutation { a ... @include(if: false) { b } }', {}],
    ['not included by a variable', 'mutation($x: Boolean!) { a b @include(if: $x) }', { x: false }],
    ['skipped by the default of a variable', 'mutation($x: Boolean! = true) { a b @skip(if: $x) }', {}],
    ['skipped although it is included', 'mutation { a b @include(if: true) @skip(if: true) }', {}],
    ['of another type', 'mutation { a touch { ... on User { name } } }', {}],
  ])('lets an operation be whose denied field is %s', async (_, source, variables) => {
    const { errors, ran } = await run(source, viewer, variables);
    expect(errors).toEqual([]);
    expect(ran).toContain('a');
  });

  it.each([
    ['a variable says so', 'mutation($x: Boolean!) { a b @include(if: $x) }', { x: true }],
    ['the default of a variable says so', 'mutation($x: Boolean! = true) { a b @include(if: $x) }', {}],
    ['a variable overrides the default', 'mutation($x: Boolean! = true) { a b @skip(if: $x) }', { x: false }],
    ['it is selected twice', 'mutation { a b @skip(if: true) c: b }', {}],
  ])('refuses when the denied field is included since %s', async (_, source, variables) => {
    expect(await run(source, viewer, variables)).toMatchObject({ ran: [] });
  });

  it.each([
    ['of the operation', 'mutation($x: Boolean) { a b @include(if: $x) }'],
    ['below', 'mutation($x: Boolean) { a touch { name email @include(if: $x) } }'],
  ])('lets nothing through where an @include %s has a variable without a value', async (_, source) => {
    const { schema, ran } = house();
    const result = await execute({ schema, document: parse(source), contextValue: contextOf(viewer) });
    expect(result.errors).toBeDefined();
    expect(ran).toEqual([]);
  });

  it('decides the operation that is executed, of a document with several', async () => {
    const { schema, ran } = house();
    const source = 'mutation Good { a } mutation Bad { a b }';
    const contextValue = contextOf(viewer);
    const good = await graphql({ schema, source, contextValue, operationName: 'Good' });
    expect(good.errors).toBeUndefined();
    const bad = await graphql({ schema, source, contextValue, operationName: 'Bad' });
    expect(answerOf(bad).errors).toEqual(refused('a', 'b'));
    expect(ran).toEqual(['a']);
  });

  it('does not refuse introspection, nor what stands beside it', async () => {
    const source = '{ __schema { queryType { name } } __type(name: "User") { fields { name } } hello }';
    expect((await run(source, 'anonymous')).errors).toEqual([]);
    expect((await run('{ __schema { queryType { name } } secret }', 'anonymous')).errors).toEqual([
      'secret: UNAUTHENTICATED',
    ]);
  });

  it('says generically, once for each root field, and where in the document it is denied', async () => {
    const { schema } = house();
    const source = '{\n  hello\n  me {\n    mail: email\n  }\n}';
    const { data, errors = [] } = await graphql({ schema, source, contextValue: contextOf(viewer) });
    expect(JSON.parse(JSON.stringify(data))).toEqual({ hello: null, me: null });
    for (const error of errors) {
      expect(error.toJSON()).toMatchObject({
        message: 'Not authorized',
        locations: [{ line: 4, column: 5 }],
        extensions: { code: 'FORBIDDEN' },
      });
      expect(Object.keys(error.extensions)).toEqual(['code']);
    }
    expect(errors.map(({ path }) => path?.join('.'))).toEqual(['hello', 'me']);
  });

  it('follows a root type that is reached again below', async () => {
    expect(await run('{ hello self { self { secret } } }')).toMatchObject({ ran: [] });
    const answer = await run('{ self { mine(ownerId: "v2") } }');
    expect(answer.errors).toEqual(refused('self.mine'));
  });
});

describe('what may be of several types', () => {
  it('is refused only when every type denies', async () => {
    expect(await run('{ hello pet(kind: "Cat") { ... on Cat { name } ... on Dog { name } } }')).toMatchObject({
      ran: [],
      errors: refused('hello', 'pet'),
    });
    expect(await run('{ hello pet(kind: "Dog") { ... on Cat { name } ... on Dog { sound } } }')).toMatchObject({
      data: { hello: 'hello', pet: { sound: 'meow' } },
      errors: [],
    });
  });

  it('is left to its own guards when one type allows', async () => {
    expect(await run('{ hello node(kind: "Open") { id } }')).toMatchObject({
      data: { hello: 'hello', node: { id: '1' } },
      errors: [],
    });
    expect(await run('{ hello node(kind: "Closed") { id } }')).toMatchObject({
      data: { hello: 'hello', node: null },
      errors: refused('node'),
    });
  });

  it('is refused with the fields of an interface that every implementation guards', async () => {
    const schema = protectedSchema(
      `type Query { hello: String i: I a: A }
       interface I { x: String @auth(requires: "admin") y: String }
       type A implements I { x: String y: String }
       type B implements I { x: String y: String }`,
      { Query: { hello: () => 'hello', i: () => ({ __typename: 'A', x: 'x', y: 'y' }) } },
      { enforce: 'operation' },
    );
    expect((await ask(schema, viewer, '{ hello i { x } }')).errors).toEqual(refused('hello', 'i'));
    expect((await ask(schema, viewer, '{ hello a { ... on I { x } } }')).errors).toEqual(refused('hello', 'a'));
    expect((await ask(schema, viewer, '{ hello i { y } }')).errors).toEqual([]);
    expect((await ask(schema, viewer, '{ hello i { ... on A { x } } }')).errors).toEqual(refused('i.x'));
  });

  it('is refused with its __typename when every type has a rule', async () => {
    const schema = protectedSchema(
      `type Query { hello: String u: U v: V }
       union U = A | B
       union V = A | C
       type A @auth(requires: "admin") { x: String }
       type B @auth(permissions: ["manage_users"]) { x: String }
       type C { x: String }`,
      { Query: { hello: () => 'hello', v: () => ({ __typename: 'C' }) } },
      { enforce: 'operation' },
    );
    expect((await ask(schema, viewer, '{ hello u { __typename } }')).errors).toEqual(refused('hello', 'u'));
    expect((await ask(schema, admin, '{ hello u { __typename } }')).errors).toEqual([]);
    expect((await ask(schema, viewer, '{ hello v { __typename } }')).errors).toEqual([]);
  });

  it('is nothing at all where no type is possible', async () => {
    const schema = protectedSchema(
      'type Query { hello: String i: I } interface I { x: String @auth }',
      {},
      {
        enforce: 'operation',
      },
    );
    expect((await ask(schema, anonymous, '{ hello i { x } }')).errors).toEqual([]);
  });
});

describe('rules that need more than the principal', () => {
  it('are decided before anything runs, on the arguments of a root field', async () => {
    const source = 'mutation($id: ID = "v1") { a rename(ownerId: $id) { name } }';
    expect((await run(source)).ran).toEqual(['a', 'rename']);
    expect(await run(source, viewer, { id: 'v2' })).toMatchObject({ ran: [], errors: refused('a', 'rename') });
    expect(await run('mutation { a rename(ownerId: "v2") { name } }')).toMatchObject({ ran: [] });
    expect(await run('mutation { a rename { name } }')).toMatchObject({ ran: [] });
  });

  it.each([
    ['an argument', '{ hello find(all: true) }', {}],
    ['an explicit null', '{ hello find(all: null) }', {}],
    ['a variable', 'query($all: Boolean) { hello find(all: $all) }', { all: false }],
    ['the default of a variable', 'query($all: Boolean = true) { hello find(all: $all) }', {}],
    ['an input field', '{ hello search(filter: { all: true }) }', {}],
    ['a nested input field', 'query($f: Filter) { hello search(filter: $f) }', { f: { inner: { all: null } } }],
    ['an argument far below', '{ hello self { self { find(all: true) } } }', {}],
  ])('are decided on the presence of %s', async (_, source, variables) => {
    expect(await run(source, viewer, variables)).toMatchObject({ ran: [] });
    expect((await run(source, admin, variables)).errors).toEqual([]);
  });

  it('are not asked for where the argument is absent', async () => {
    expect((await run('query($all: Boolean) { find(all: $all) search(filter: { text: "x" }) }')).errors).toEqual([]);
  });

  it('stay with the field when they need its parent', async () => {
    expect(await run('{ hello me { notes friend { notes } } }')).toMatchObject({
      data: { hello: 'hello', me: { notes: 'n', friend: { notes: null } } },
      errors: refused('me.friend.notes'),
    });
  });

  it('that may hide a field without a word leave to it what is below', async () => {
    const schema = protectedSchema(
      `type Query { me: User }
       type User {
         early: User @auth(owner: "id", onDeny: NULL)
         late: [User] @auth(owner: "id", from: RESULT, onDeny: FILTER)
         email: String @auth(requires: "admin")
       }`,
      { Query: { me: () => ({ id: 'x' }) }, User: { late: () => [{ id: 'x' }] } },
      { enforce: 'operation' },
    );
    expect(await ask(schema, viewer, '{ me { early { email } late { email } } }')).toMatchObject({
      data: { me: { early: null, late: [] } },
      errors: [],
    });
  });

  it('hide a field without a word, and what is below it denies nobody', async () => {
    expect(await run('{ hello hidden { gold } }')).toMatchObject({
      data: { hello: 'hello', hidden: null },
      errors: [],
      ran: ['hello'],
    });
  });

  it('are awaited, asked together, and not asked twice', async () => {
    const asked: string[] = [];
    const pdp: PolicyDecisionPoint = {
      decide: async ({ action }) => {
        asked.push(action);
        await sleep(1);
        return action === 'delete' ? deny('no_permission') : allow('permission');
      },
    };
    const ran: string[] = [];
    const schema = protectedSchema(
      `type Query { q: String }
       type Mutation { a: String @auth(permissions: ["create"]) b: Thing @auth(permissions: ["read"]) }
       type Thing { x: String @auth(permissions: ["delete"]) y: String @auth(permissions: ["create"]) }`,
      { Mutation: { a: () => ran.push('a'), b: () => ran.push('b') && {} } },
      { enforce: 'operation', pdp },
    );
    expect((await ask(schema, principal('v1'), 'mutation { a b { y x } }')).errors).toEqual(refused('a', 'b'));
    expect(ran).toEqual([]);
    expect(asked.toSorted()).toEqual(['create', 'delete', 'read']);
    expect((await ask(schema, principal('v1'), 'mutation { a b { y } }')).errors).toEqual([]);
    expect(ran).toEqual(['a', 'b']);
    expect(asked).toHaveLength(5);
  });

  it('that throw refuse', async () => {
    const onError = vi.fn();
    const schema = protectedSchema(
      'type Query { q: String } type Mutation { a: String b: String @auth(policy: [["broken"]]) }',
      { Mutation: { a: () => expect.unreachable() } },
      {
        enforce: 'operation',
        onError,
        policies: {
          broken: () => {
            throw new Error('hunter2');
          },
        },
      },
    );
    const answer = await ask(schema, viewer, 'mutation { a b }');
    expect(answer.errors).toEqual(refused('a', 'b'));
    expect(answer.text).not.toContain('hunter2');
    expect(onError).toHaveBeenCalled();
  });
});

describe('a demand on the login', () => {
  it('is told for the whole operation', async () => {
    const { schema, ran } = house();
    const source = '{ hello recent }';
    const { errors = [] } = await graphql({ schema, source, contextValue: contextOf(viewer) });
    expect(errors.map(({ extensions }) => extensions)).toEqual([
      { code: 'UNAUTHENTICATED', error: 'insufficient_user_authentication', max_age: 60 },
      { code: 'UNAUTHENTICATED', error: 'insufficient_user_authentication', max_age: 60 },
    ]);
    expect(ran).toEqual([]);
  });

  it('is not told to whom another rule denies', async () => {
    expect((await run('{ hello recent secret }')).errors).toEqual(refused('hello', 'recent', 'secret'));
    expect((await run('{ recent me { papers } }')).errors).toEqual(['recent: UNAUTHENTICATED', 'me: UNAUTHENTICATED']);
  });

  it('waits for the parent where another rule needs it', async () => {
    expect((await run('{ hello me { friend { papers } } }')).errors).toEqual(refused('me.friend.papers'));
    expect((await run('{ hello me { papers } }')).errors).toEqual(['me.papers: UNAUTHENTICATED']);
  });
});

describe('what is kept', () => {
  async function executed(schema: GraphQLSchema, document: DocumentNode, context: unknown, variables = {}) {
    const result = await execute({ schema, document, contextValue: context, variableValues: variables });
    return answerOf(result as ExecutionResult).errors;
  }

  it('of a document is its plan only: neither principals nor variables are mixed up', async () => {
    const { schema } = house();
    const document = parse('mutation($x: Boolean!, $id: ID) { a b @include(if: $x) rename(ownerId: $id) { name } }');
    for (let round = 0; round < 3; round++) {
      const mine = { x: false, id: 'v1' };
      expect(await executed(schema, document, contextOf(admin), { x: true, id: 'a1' })).toEqual([]);
      expect(await executed(schema, document, contextOf(viewer), mine)).toEqual([]);
      expect(await executed(schema, document, contextOf(viewer), { ...mine, x: true })).toHaveLength(3);
      expect(await executed(schema, document, contextOf(viewer), { ...mine, id: 'v2' })).toHaveLength(2);
      expect(await executed(schema, document, contextOf(anonymous), mine)).toHaveLength(2);
      expect(await executed(schema, document, contextOf(viewer), mine)).toEqual([]);
    }
  });

  it('is not mixed up by one context object for all', async () => {
    const { schema } = house();
    const document = parse('{ hello secret }');
    const context = { auth: { principal: admin as Principal | undefined, environment: () => ({ time: 0 }) } };
    expect(await executed(schema, document, context)).toEqual([]);
    context.auth.principal = viewer;
    expect(await executed(schema, document, context)).toHaveLength(2);
    context.auth.principal = undefined;
    expect(await executed(schema, document, context)).toHaveLength(2);
  });

  it('is of the principal, for an executor too that reuses everything else', async () => {
    const infos: GraphQLResolveInfo[] = [];
    const schema = protectedSchema(
      'type Query { hello: String secret: String @auth(requires: "admin") }',
      { Query: { hello: (_: unknown, __: unknown, ___: unknown, info: GraphQLResolveInfo) => infos.push(info) } },
      { enforce: 'operation' },
    );
    const context = { auth: { principal: admin as Principal | undefined, environment: () => ({ time: 0 }) } };
    expect(await executed(schema, parse('{ hello secret }'), context)).toEqual([]);
    const hello = schema.getQueryType()?.getFields().hello?.resolve;
    const [info] = infos;
    if (info === undefined) throw new Error('unreachable');
    for (const who of [viewer, undefined]) {
      context.auth.principal = who;
      expect(() => hello?.({}, {}, context, info)).toThrow(/^Not auth/);
    }
    context.auth.principal = admin;
    expect(hello?.({}, {}, context, info)).toBe(2);
  });

  it('does not outlive the fragments of the document', async () => {
    const { schema, ran } = house();
    const harmless = parse('mutation { a ...F } fragment F on Mutation { a }');
    expect(await executed(schema, harmless, contextOf(viewer))).toEqual([]);
    ran.length = 0;
    const changed: DocumentNode = visit(harmless, {
      FragmentDefinition: {
        leave: (node) => ({
          ...node,
          selectionSet: {
            kind: Kind.SELECTION_SET,
            selections: [{ kind: Kind.FIELD, name: { kind: Kind.NAME, value: 'b' } }],
          },
        }),
      },
    });
    expect(changed.definitions[0]).toBe(harmless.definitions[0]);
    expect(await executed(schema, changed, contextOf(viewer))).toHaveLength(2);
    expect(ran).toEqual([]);
  });

  it('is worked out in linear time for fragments that fan out', () => {
    const levels = 25;
    const fragments = Array.from(
      { length: levels },
      (_, level) => `fragment F${level} on User { a: friend { ...F${level + 1} } b: friend { ...F${level + 1} } }`,
    );
    const source = `{ secret @skip(if: true) me { ...F0 } } ${fragments.join(' ')} fragment F${levels} on User { email }`;
    const { schema, ran } = house();
    const started = processorMs();
    const result = execute({ schema, document: parse(source), contextValue: contextOf(viewer) });
    // 2^25 visits would take minutes.
    expect(processorMs() - started).toBeLessThan(5_000);
    expect(answerOf(result as ExecutionResult).errors).toEqual(refused('me'));
    expect(ran).toEqual([]);
    const allowed = execute({ schema, document: parse(source), contextValue: contextOf(admin) });
    expect(processorMs() - started).toBeLessThan(5_000);
    expect(answerOf(allowed as ExecutionResult).errors).toEqual([]);
  });

  it('ends for fragments that contain themselves, which no validation has seen', () => {
    const { schema } = house();
    const source = '{ me { ...F } } fragment F on User { friend { friend { ...F } } email }';
    const result = execute({ schema, document: parse(source), contextValue: contextOf(viewer) });
    expect(answerOf(result as ExecutionResult).errors).toEqual(refused('me'));
  });
});

describe('subscriptions', () => {
  const sdl = `
    type Query { q: String }
    type Subscription { ticked: Tick }
    type Tick { n: Int secret: String @auth(requires: "admin") }
  `;

  function ticking(returned: () => void) {
    async function* source() {
      try {
        for (let n = 1; n < 10; n++) yield { ticked: { n, secret: `s${n}` } };
      } finally {
        returned();
      }
    }
    return vi.fn(() => source());
  }

  it('do not start their source for an operation that is denied', async () => {
    const source = ticking(() => undefined);
    const schema = protectedSchema(sdl, { Subscription: { ticked: { subscribe: source } } }, { enforce: 'operation' });
    const document = parse('subscription { ticked { n secret } }');
    const result = await subscribe({ schema, document, contextValue: contextOf(viewer) });
    expect(answerOf(result as ExecutionResult).errors).toEqual(refused('ticked'));
    expect(source).not.toHaveBeenCalled();
  });

  it('end when the caller may no longer do what the operation asks for', async () => {
    const returned = vi.fn();
    const schema = protectedSchema(
      sdl,
      { Subscription: { ticked: { subscribe: ticking(returned) } } },
      { enforce: 'operation' },
    );
    let now = principal('u1', 'admin');
    const contextValue = {
      auth: { principal: now as Principal | undefined, environment: () => ({ time: 0 }), reauthenticate: () => now },
    };
    const document = parse('subscription { ticked { n secret } }');
    const stream = (await subscribe({ schema, document, contextValue })) as AsyncGenerator<ExecutionResult>;
    expect(JSON.stringify((await stream.next()).value)).toContain('"s1"');
    now = principal('u1', 'viewer');
    expect(await stream.next()).toEqual({ done: true, value: undefined });
    expect(returned).toHaveBeenCalledTimes(1);
  });
});

describe('beneath it', () => {
  it('publishes a denial once, and decides gates once', async () => {
    const { schema } = house();
    const document = '{ a: secret b: secret me { email } }';
    const events: DecisionEvent[] = [];
    const listen = (event: unknown): void => void events.push(event as DecisionEvent);
    diagnostics.subscribe(DECISION_CHANNEL, listen);
    try {
      const who = { ...viewer };
      await ask(schema, who, document);
      await ask(schema, who, '{ hello secret }');
    } finally {
      diagnostics.unsubscribe(DECISION_CHANNEL, listen);
    }
    expect(events.map(({ point, decision }) => `${point} ${decision.allowed}`)).toEqual(['Query.secret false']);
  });

  it('a schema without its checks is found', () => {
    const { schema } = house();
    assertProtected(schema);
    const hello = schema.getMutationType()?.getFields().a;
    if (hello === undefined) throw new Error('unreachable');
    hello.resolve = () => 'a';
    expect(() => assertProtected(schema)).toThrow('Mutation.a');
  });

  it('a call without an operation is denied', () => {
    const { schema } = house();
    const hello = schema.getQueryType()?.getFields().hello;
    expect(() => hello?.resolve?.({}, {}, contextOf(admin), {} as never)).toThrow('Not authorized');
  });

  it('refuses a mode that is none', () => {
    expect(() => house({ enforce: 'fields' as never })).toThrow('enforce');
  });
});

/** Protecting a schema twice for each run is what takes the time. */
const RUNS = 60;

/** Data without gaps: whatever is asked for is reached, so that a denial that is certain shows in field mode too. */
describe('compared with field mode', () => {
  const ofType = ['', '', '@auth(requires: "admin")', '@auth(permissions: ["update"])', '@auth(maxAge: 5)'];
  const ofField = [
    ...ofType,
    '@auth(owner: "ownerId")',
    '@auth(policy: [["slow"]])',
    '@auth(requires: "admin", onDeny: NULL)',
    '@auth(owner: "ownerId", onDeny: NULL)',
  ];
  const ofResult = ['NULL', 'MASK', 'ERROR'].map((way) => `@auth(owner: "ownerId", from: RESULT, onDeny: ${way})`);
  const sdl = (at: readonly string[]): string => `
    interface I ${at[0]} { x: String ${at[3]} }
    type A implements I ${at[1]} { x: String ${at[4]} a: A ${at[5]} i: I ${at[6]} }
    type B implements I ${at[2]} { x: String ${at[7]} b: B ${at[8]} }
    union U = A | B
    type Query { a: A ${at[9]} i(b: Boolean): I u(b: Boolean ${at[0]}): U list: [I!] one(ownerId: ID): String ${at[10]} }
    type Mutation { one(ownerId: ID): String ${at[10]} a: A ${at[9]} two: String }
  `;
  const documents = [
    'query($n: Boolean!) { one(ownerId: "v1") a { x a { x @skip(if: $n) i { x } } } }',
    'query($n: Boolean!) { i(b: $n) { x ... on A { a { x } } } list { ... on B { b { x } } x } }',
    'query($n: Boolean!) { u(b: $n) { ... on A { x i { x } } ... on B { x } } one }',
    'query($n: Boolean!) { u { ...F @include(if: $n) ... on B { b { x } } } } fragment F on A { x a { ...G } } fragment G on A { x }',
    'mutation($n: Boolean!) { two one(ownerId: "v1") a { x a { i { x } } } one2: one(ownerId: "x") @skip(if: $n) }',
    'mutation($n: Boolean!) { a { i { ... on B { x } ... @include(if: $n) { x } } } two }',
  ];
  const mine = { ownerId: 'v1', x: 'x' };
  const objectOf = (name: string) => ({ __typename: name, ...mine });

  function masksOf(at: readonly string[]) {
    const masked = [['A.a', 5] as const, ['B.b', 8] as const].filter(([, index]) => at[index]?.includes('MASK'));
    return Object.fromEntries(masked.map(([coordinate]) => [coordinate, () => null]));
  }

  function built(at: readonly string[], enforce: 'field' | 'operation') {
    let count = 0;
    const counted = (make: (args: { b?: boolean }) => unknown) => (_: unknown, args: { b?: boolean }) => {
      count++;
      return make(args);
    };
    const a = counted(() => objectOf('A'));
    const b = counted(({ b }) => objectOf(b ? 'B' : 'A'));
    const text = counted(() => 'text');
    const schema = protectedSchema(
      sdl(at),
      {
        Query: { a, i: b, u: b, list: counted(() => [objectOf('A'), objectOf('B')]), one: text },
        Mutation: { a, one: text, two: text },
        A: { a, i: counted(() => objectOf('B')) },
        B: { b: counted(() => objectOf('B')) },
      },
      { enforce, masks: masksOf(at), policies: { slow: async ({ principal: { id } }) => id === 'v1' } },
    );
    return { schema, runs: () => count };
  }

  const places = fc.tuple(
    fc.constantFrom(...ofType),
    fc.constantFrom(...ofType),
    fc.constantFrom(...ofType),
    ...Array.from({ length: 8 }, (_, index) =>
      // A.a and B.b, which are no fields of Mutation.
      fc.constantFrom(...ofField, ...(index === 2 || index === 5 ? ofResult : [])),
    ),
  );
  const principals = fc.constantFrom(undefined, viewer, admin, principal('v1', 'editor'));
  const isDenial = (error: string): boolean => /: (UNAUTHENTICATED|FORBIDDEN)$/.test(error);

  /** A rule that asks for arguments that a field has not does not build. */
  const usable = (at: readonly string[]): readonly string[] =>
    at.map((rule, index) => (index === 9 && rule.includes('owner') ? '' : rule));

  it('refuses nothing that field mode lets through, runs nothing of it, and is the same otherwise', async () => {
    await fc.assert(
      fc.asyncProperty(places, fc.constantFrom(...documents), principals, fc.boolean(), async (at, source, who, n) => {
        const field = built(usable(at), 'field');
        const whole = built(usable(at), 'operation');
        const expected = await ask(field.schema, who && { ...who }, source, { n });
        const actual = await ask(whole.schema, who && { ...who }, source, { n });
        if (actual.text === expected.text) return;
        expect(expected.errors.some(isDenial)).toBe(true);
        expect(actual.errors.every(isDenial)).toBe(true);
        expect(whole.runs()).toBe(0);
      }),
      { numRuns: RUNS },
    );
  }, 60_000);

  it('refuses whatever rules about the caller deny, where the types are known', async () => {
    const known = [
      'mutation($n: Boolean!) { two a { x @skip(if: $n) a { a { x } } } }',
      'query($n: Boolean!) { one a { ...F ...F @include(if: $n) } } fragment F on A { a { x } }',
      'query($n: Boolean!) { one: __typename ... @skip(if: $n) { a { ... on I { x } } } b: a { __typename } }',
    ];
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...ofType), { minLength: 11, maxLength: 11 }),
        fc.constantFrom(...known),
        principals,
        fc.boolean(),
        async (at, source, who, n) => {
          const field = built(at, 'field');
          const whole = built(at, 'operation');
          const isDenied = (await ask(field.schema, who && { ...who }, source, { n })).errors.some(isDenial);
          await ask(whole.schema, who && { ...who }, source, { n });
          if (isDenied) expect(whole.runs()).toBe(0);
          else expect(whole.runs()).toBeGreaterThan(0);
        },
      ),
      { numRuns: RUNS },
    );
  }, 60_000);
});
