import { makeExecutableSchema } from '@graphql-tools/schema';
import type { IResolvers } from '@graphql-tools/utils';
import { allow, type PolicyDecisionPoint, type Principal } from 'doorward';
import {
  type AuthContext,
  assertProtected,
  authDirectives,
  maskGraphQLError,
  type Policy,
  type ProtectSchemaOptions,
  protectSchema,
} from 'doorward/graphql';
import {
  buildSchema,
  DirectiveLocation,
  type ExecutionResult,
  execute,
  extendSchema,
  GraphQLDirective,
  GraphQLList,
  GraphQLObjectType,
  GraphQLScalarType,
  GraphQLSchema,
  GraphQLString,
  graphql,
  parse,
  printSchema,
  subscribe,
} from 'graphql';
import { describe, expect, it } from 'vitest';
import { isOverLimit, parseWithinLimits } from '../../examples/tools/limits.ts';

const SECRET = 'hunter2';
const admin: Principal = { id: 'a1', roles: ['admin'], attributes: {} };
const viewer: Principal = { id: 'v1', roles: ['viewer'], attributes: {} };

interface Context {
  readonly auth: AuthContext;
}
type Options = Partial<ProtectSchemaOptions<Context>>;

type Resolvers = IResolvers;

const rolesOnly: PolicyDecisionPoint = {
  decide: ({ subject }) => ({ ...allow('permission'), allowed: subject.roles.includes('admin') }),
};

function contextOf(principal: Principal | undefined): Context {
  return { auth: { principal, environment: () => ({ time: 0 }) } };
}

function build(typeDefs: string | readonly string[], resolvers: Resolvers = {}): GraphQLSchema {
  return makeExecutableSchema({ typeDefs: [authDirectives(), ...[typeDefs].flat()], resolvers });
}

function guard(schema: GraphQLSchema, options: Options = {}): GraphQLSchema {
  return protectSchema<Context>(schema, {
    pdp: rolesOnly,
    policyTimeoutMs: 50,
    ...options,
  } as ProtectSchemaOptions<Context>);
}

async function ask(
  schema: GraphQLSchema,
  principal: Principal | undefined,
  source: string,
  variableValues: Record<string, unknown> = {},
): Promise<{ text: string; data: unknown; codes: unknown[] }> {
  const result = await graphql({ schema, source, variableValues, contextValue: contextOf(principal) });
  const text = JSON.stringify(result);
  return { text, data: JSON.parse(text).data, codes: (result.errors ?? []).map(({ extensions }) => extensions.code) };
}

/** Calls back like a promise, and answers `then` with itself, as some query builders do. */
function loose(value: unknown): unknown {
  const self = {
    // biome-ignore lint/suspicious/noThenProperty: being a thenable is the attack
    then(settle?: (value: unknown) => void) {
      settle?.(value);
      return self;
    },
  };
  return self;
}

async function settledText(work: Promise<unknown>): Promise<string> {
  return JSON.stringify(await work.catch((error: unknown) => String(error)));
}

describe('values that only look like what they are', () => {
  it('AZ-03 a polluted Object.prototype does not turn the answer of a policy into an allow', async () => {
    const schema = guard(
      build('type Query { secret: String @auth(policy: [["odd"]]) }', { Query: { secret: () => SECRET } }),
      {
        policies: { odd: () => ({}) as never },
      },
    );
    Object.defineProperty(Object.prototype, 'allowed', { value: true, configurable: true });
    try {
      const result = await graphql({ schema, source: '{ secret }', contextValue: contextOf(admin) });
      expect(JSON.stringify(result)).not.toContain(SECRET);
    } finally {
      Reflect.deleteProperty(Object.prototype, 'allowed');
    }
  });

  it('DIR-12 a thenable that answers then with itself does not carry its value past a rule on the result', async () => {
    const schema = guard(
      build(
        `type Query {
          error: String @auth(policy: [["no"]], from: RESULT)
          null: String @auth(policy: [["no"]], from: RESULT, onDeny: NULL)
          mask: String @auth(requires: "admin", onDeny: MASK)
          list: [String] @auth(policy: [["no"]], from: RESULT, onDeny: FILTER)
          items: [String] @auth(policy: [["no"]], from: RESULT)
        }`,
        {
          Query: {
            error: () => loose(SECRET),
            null: () => loose(SECRET),
            mask: () => loose(SECRET),
            list: () => loose([SECRET]),
            items: () => [loose(SECRET)],
          },
        },
      ),
      { policies: { no: () => false }, masks: { 'Query.mask': () => '***' } },
    );
    for (const field of ['error', 'null', 'mask', 'list', 'items']) {
      const text = await settledText(ask(schema, viewer, `{ ${field} }`));
      expect(text, field).not.toContain(SECRET);
    }
  });

  it('DIR-02 a thenable type name does not carry a type past its rule', async () => {
    const schema = guard(
      build(
        `interface Node { id: ID }
         type Secret implements Node @auth(requires: "admin") { id: ID }
         type Query { node: Node }`,
        { Node: { __resolveType: () => loose('Secret') }, Query: { node: () => ({ id: 1 }) } },
      ),
    );
    expect(await settledText(ask(schema, viewer, '{ node { __typename } }'))).not.toContain('"__typename":"Secret"');
  });

  it('DIR-12 a policy or a decision point that answers what only looks like an allow does not allow', async () => {
    const answers: unknown[] = [
      'yes',
      1,
      {},
      [],
      new Error('no'),
      { allowed: 'yes' },
      { allowed: 1 },
      () => true,
      new Boolean(true),
      { effect: 'allow' },
    ];
    const shapes = answers.flatMap((answer) => [answer, Promise.resolve(answer), loose(answer)]);
    for (const answer of [...shapes, loose(loose('yes')), null, undefined]) {
      const decide = (() => answer) as Policy<Context>;
      const schema = guard(
        build(
          `type Query {
            policy: String @auth(policy: [["odd"]])
            not: String @auth(rule: { not: { policy: "odd" } })
            any: String @auth(rule: { any: [{ policy: "odd" }, { not: { policy: "odd" } }] })
            permission: String @auth(permissions: ["read"])
            notPermission: String @auth(rule: { not: { permission: "read" } })
          }`,
          {
            Query: Object.fromEntries(
              ['policy', 'not', 'any', 'permission', 'notPermission'].map((name) => [name, () => SECRET]),
            ),
          },
        ),
        { policies: { odd: decide }, pdp: { decide: decide as never } },
      );
      const { text, codes } = await ask(schema, admin, '{ policy not any permission notPermission }');
      expect(text).not.toContain(SECRET);
      expect(codes).toEqual(Array(5).fill('FORBIDDEN'));
    }
  });

  it('DIR-12 a policy that never settles, alone or below not and any, denies', async () => {
    const schema = guard(
      build(
        `type Query {
          all: String @auth(policy: [["never"]])
          not: String @auth(rule: { not: { policy: "never" } })
          any: String @auth(rule: { any: [{ policy: "never" }, { not: { policy: "never" } }] })
        }`,
        { Query: { all: () => SECRET, not: () => SECRET, any: () => SECRET } },
      ),
      { policies: { never: () => new Promise<boolean>(() => undefined) } },
    );
    const { data, codes } = await ask(schema, admin, '{ all not any }');
    expect(data).toEqual({ all: null, not: null, any: null });
    expect(codes).toEqual(['FORBIDDEN', 'FORBIDDEN', 'FORBIDDEN']);
  });

  it('DIR-14 every way of holding items is decided item by item: sets, generators, nested lists, promises', async () => {
    const items = () => ['mine', null, Promise.resolve('mine'), SECRET, Promise.resolve(SECRET), new Error('broken')];
    const schema = guard(
      build(
        `type Query {
          flat: [String] @auth(policy: [["mine"]], from: RESULT, onDeny: FILTER)
          nested: [[[String]]!] @auth(policy: [["mine"]], from: RESULT, onDeny: FILTER)
          nulls: [[String]!]! @auth(policy: [["mine"]], from: RESULT, onDeny: NULL)
          masks: [[String!]] @auth(policy: [["mine"]], from: RESULT, onDeny: MASK)
          set: [String] @auth(policy: [["mine"]], from: RESULT, onDeny: FILTER)
          lazy: [String] @auth(policy: [["mine"]], from: RESULT)
        }`,
        {
          Query: {
            flat: items,
            nested: async () => [[items()], Promise.resolve([null, Promise.resolve(items())])],
            nulls: () => [items(), Promise.resolve(items())],
            masks: () => [['mine', SECRET], null, Promise.resolve([Promise.resolve(SECRET)])],
            set: () => new Set(items()),
            *lazy() {
              yield* items();
            },
          },
        },
      ),
      {
        policies: { mine: async ({ result }) => result === 'mine' },
        masks: { 'Query.masks': () => '***' },
      },
    );
    const { text, data } = await ask(schema, viewer, '{ flat nested nulls masks set lazy }');
    expect(text).not.toContain(SECRET);
    const left = ['mine', null, 'mine', null];
    expect(data).toEqual({
      flat: left,
      nested: [[left], [null, left]],
      nulls: [
        ['mine', null, 'mine', null, null, null],
        ['mine', null, 'mine', null, null, null],
      ],
      masks: [['mine', '***'], null, ['***']],
      set: left,
      lazy: ['mine', null, 'mine', null, null, null],
    });
  });

  it('GQL-09 a mask that rejects shows nothing of the value in its error', async () => {
    const told: unknown[] = [];
    const schema = guard(
      build('type Query { a: String @auth(requires: "admin", onDeny: MASK) }', { Query: { a: () => SECRET } }),
      {
        masks: { 'Query.a': async (value) => Promise.reject(new Error(`cannot mask ${value}`)) },
        onError: (error) => told.push(error),
      },
    );
    const { text, codes } = await ask(schema, viewer, '{ a }');
    expect(text).not.toContain(SECRET);
    expect(codes).toEqual(['FORBIDDEN']);
    expect(told).toHaveLength(1);
  });

  it('GQL-09 an object that is not of its type is not printed into the error', async () => {
    const schema = build('type User { id: ID } type Query { user: User }', {
      User: { __isTypeOf: () => false },
      Query: { user: () => ({ id: 1, passwordHash: SECRET }) },
    });
    const { errors = [] } = await graphql({ schema, source: '{ user { id } }' });
    expect(JSON.stringify(errors)).toContain(SECRET);
    const shown = errors.map((error) => maskGraphQLError(error));
    expect(JSON.stringify(shown)).not.toContain(SECRET);
    expect(shown[0]?.extensions.code).toBe('INTERNAL_SERVER_ERROR');
  });
});

describe('ways to a guarded field', () => {
  const typeDefs = `
    interface Node { id: ID }
    interface Named implements Node { id: ID name: String @auth(requires: "admin") }
    type User implements Named & Node { id: ID name: String friend: Named any: Thing }
    extend type User { email: String @auth(requires: "admin") }
    type Vault @auth(requires: "admin") { id: ID }
    extend type Vault implements Node
    union Thing = User | Vault
    type Query { me: User node: Node thing: Thing things: [[Thing!]] }
  `;
  const user = {
    __typename: 'User',
    id: 1,
    name: SECRET,
    email: () => SECRET,
    get friend() {
      return user;
    },
    any: { __typename: 'Vault', id: SECRET },
  };
  const vault = { __typename: 'Vault', id: SECRET };
  const root = { me: user, node: vault, thing: () => vault, things: [[user], Promise.resolve([vault])] };
  const schema = guard(
    build(typeDefs, {
      Query: Object.fromEntries(
        Object.entries(root).map(([name, value]) => [name, typeof value === 'function' ? value : () => value]),
      ),
    }),
  );

  it.each([
    '{ me { id: name __proto__: email toString: name } }',
    '{ me { ...A } } fragment A on Node { ...B } fragment B on Named { ... on User { x: name ...C } } fragment C on User { email @include(if: true) }',
    '{ me { friend { ... on Node { ... on Named { name } } } any { ... on Vault { id } ... on Node { id } } } }',
    '{ node { id __typename ... on Vault { id } } }',
    '{ thing { __typename } }',
    '{ things { __typename ... on User { name } ... on Vault { id } } }',
    'query($no: Boolean = false) { me { name @skip(if: $no) email @include(if: true) @skip(if: $no) } }',
    '{ me { name name: name } me { friend { id: name } } }',
  ])('DIR-02 DIR-03 lead past no rule: %s', async (source) => {
    for (const principal of [viewer, undefined]) {
      const { text } = await ask(schema, principal, source);
      expect(text).not.toContain(SECRET);
      expect(text).not.toContain('"__typename":"Vault"');
      expect(text).toContain(principal === undefined ? 'UNAUTHENTICATED' : 'FORBIDDEN');
    }
    expect((await ask(schema, admin, source)).codes).toEqual([]);
  });

  it('DIR-05 names that every object inherits are no policies, no roles and no masks', async () => {
    for (const name of ['constructor', 'toString', '__proto__', 'hasOwnProperty']) {
      const sdl = `type Query { a: String @auth(policy: [["${name}"]]) }`;
      expect(() => guard(build(sdl))).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
      const roles = guard(build(`type Query { a: String @auth(requires: "${name}") }`, { Query: { a: () => SECRET } }));
      expect((await ask(roles, admin, '{ a }')).codes).toEqual(['FORBIDDEN']);
    }
    const fields = ['constructor', 'toString', 'hasOwnProperty', 'valueOf'];
    const sdl = `type Query { ${fields.map((name) => `${name}: String @auth(requires: "admin")`).join(' ')} }`;
    const inherited = guard(build(sdl, { Query: Object.fromEntries(fields.map((name) => [name, () => SECRET])) }));
    const { data, codes } = await ask(inherited, viewer, `{ ${fields.join(' ')} }`);
    expect(data).toEqual(Object.fromEntries(fields.map((name) => [name, null])));
    expect(codes).toEqual(fields.map(() => 'FORBIDDEN'));
  });

  it('DIR-09 a changed schema is noticed: printed and built again, extended by a field or by a type', () => {
    assertProtected(schema);
    const changed = [
      buildSchema(printSchema(schema)),
      extendSchema(schema, parse('extend type User { token: String @auth(requires: "admin") }')),
      extendSchema(schema, parse('type Safe implements Node @auth(requires: "admin") { id: ID }')),
    ];
    for (const each of changed) {
      expect(() => assertProtected(each)).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
    }
  });

  it('leaves nothing of a rule in what introspection and printing tell', async () => {
    const plain = guard(build('type Query { a: String @auth(requires: "role-of-kings") }'));
    const source =
      '{ __schema { types { name description fields { name description args { name defaultValue } } } directives { name args { name defaultValue } } } }';
    expect((await ask(plain, viewer, source)).text).not.toContain('role-of-kings');
    expect(printSchema(plain)).not.toContain('role-of-kings');
  });
});

describe('rules in code, without SDL', () => {
  const codeFirst = (directives: unknown): GraphQLSchema =>
    new GraphQLSchema({
      directives: [
        new GraphQLDirective({
          name: 'auth',
          isRepeatable: true,
          locations: [DirectiveLocation.FIELD_DEFINITION],
          args: { requires: { type: GraphQLString }, roles: { type: new GraphQLList(GraphQLString) } },
        }),
      ],
      query: new GraphQLObjectType({
        name: 'Query',
        // Defined late, as schemas with circular types are.
        fields: () => ({ a: { type: GraphQLString, resolve: () => SECRET, extensions: { directives } } }),
      }),
    });

  it.each<[string, unknown]>([
    ['one', { auth: { requires: 'admin' } }],
    ['several', { auth: [{ requires: 'viewer' }, { requires: 'admin' }] }],
    ['one that is inherited', Object.create({ auth: { requires: 'admin' } })],
  ])('DIR-05 hold: %s', async (_, directives) => {
    const schema = guard(codeFirst(directives));
    expect((await ask(schema, viewer, '{ a }')).codes).toEqual(['FORBIDDEN']);
    expect((await ask(schema, { ...admin, roles: ['admin', 'viewer'] }, '{ a }')).codes).toEqual([]);
  });

  it.each<[string, unknown]>([
    ['an empty list of applications', { auth: [] }],
    ['an empty list of roles', { auth: { roles: [] } }],
    ['a text in place of arguments', { auth: 'admin' }],
    ['a list of names and arguments', [{ name: 'auth', args: { requires: 'admin' } }]],
    ['such a list with something else before it', [{ name: 'cost' }, { name: 'auth', args: { requires: 'admin' } }]],
    ['a misspelt name in such a list', [{ name: 'authh', args: { requires: 'admin' } }]],
  ])('DIR-05 never leave a field open where they cannot be read: %s', (_, directives) => {
    expect(() => guard(codeFirst(directives))).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
  });

  it('other directives in a list are left alone', async () => {
    const schema = guard(codeFirst([{ name: 'cost', args: { value: 1 } }, null, 'odd']));
    expect((await ask(schema, undefined, '{ a }')).data).toEqual({ a: SECRET });
  });
});

describe('what is remembered', () => {
  it('DIR-11 one policy on aliases of one field with other arguments is decided for each', async () => {
    const schema = guard(
      build('type Query { doc(id: ID): String @auth(policy: [["own"]]) }', { Query: { doc: () => SECRET } }),
      { policies: { own: ({ args }) => args.id === 'mine' } },
    );
    const { data } = await ask(schema, viewer, '{ a: doc(id: "mine") b: doc(id: "other") c: doc(id: "mine") d: doc }');
    expect(data).toEqual({ a: SECRET, b: null, c: SECRET, d: null });
  });

  it('DIR-11 an object that changes owner between two fields is decided as it is', async () => {
    const doc = { ownerId: 'v1', first: 'one', second: SECRET };
    const schema = guard(
      build(
        `type Doc { first: String @auth(owner: "ownerId") second: String @auth(owner: "ownerId") }
         type Query { doc: Doc }`,
        {
          Query: { doc: () => doc },
          Doc: {
            first: (source: typeof doc) => {
              source.ownerId = 'a1';
              return source.first;
            },
          },
        },
      ),
    );
    expect((await ask(schema, viewer, '{ doc { first second } }')).data).toEqual({
      doc: { first: 'one', second: null },
    });
  });

  it('row 17 two operations at once in one context are decided for the principal of each moment', async () => {
    const schema = guard(
      build('type Query { slow: Int a: String @auth(requires: "admin") }', {
        Query: { a: () => SECRET },
      }),
    );
    const contextValue = contextOf(admin);
    const first = await graphql({ schema, source: '{ a }', contextValue });
    contextValue.auth.principal = viewer;
    const second = await graphql({ schema, source: '{ a }', contextValue });
    contextValue.auth.principal = undefined;
    const third = await graphql({ schema, source: '{ a }', contextValue });
    expect([first, second, third].map(({ data }) => data?.a)).toEqual([SECRET, null, null]);
  });
});

describe('DIR-13 guarded input', () => {
  const typeDefs = `
    scalar JSON
    input Deep { deeper: [[Deep!]] role: String @auth(requires: "admin") list: [Deep] }
    input Choice { a: ID b: ID @auth(requires: "admin") }
    input Defaulted { deep: Deep = { role: "admin" } x: Int }
    enum Level @auth(requires: "admin") { TOP }
    interface Setter { set(level: Int @auth(requires: "admin")): Int }
    type Thing implements Setter { set(level: Int, extra: Int): Int }
    type Query {
      deep(in: Deep): Int
      lists(in: [[Deep!]!]): Int
      choice(in: Choice!): Int
      defaulted(in: Defaulted): Int
      level(of: [Level]): Int
      thing: Thing
    }
  `;
  const resolvers = (ran: string[]): Resolvers => {
    const run = (name: string) => () => {
      ran.push(name);
      return 1;
    };
    return {
      Query: {
        ...Object.fromEntries(['deep', 'lists', 'choice', 'defaulted', 'level'].map((name) => [name, run(name)])),
        thing: () => ({}),
      },
      Thing: { set: run('set') },
    };
  };

  it.each<[string, Record<string, unknown>]>([
    ['{ deep(in: { role: null }) }', {}],
    ['{ deep(in: { deeper: { deeper: [[{ list: [null, { role: "x" }] }]] } }) }', {}],
    ['query($r: String = "x") { deep(in: { role: $r }) }', {}],
    ['query($d: Deep) { deep(in: $d) }', { d: { deeper: [null, [{ role: 'x' }]] } }],
    ['query($d: Deep!) { lists(in: [[{}, $d]]) }', { d: { role: null } }],
    ['query($d: [[Deep!]!] = [[{ role: "x" }]]) { lists(in: $d) }', {}],
    ['query($b: ID) { choice(in: { a: 1, b: $b }) }', { b: null }],
    ['{ defaulted(in: { x: 1 }) }', {}],
    ['query($l: [Level]) { level(of: $l) }', { l: 'TOP' }],
    ['query($l: [Level] = [null]) { level(of: $l) }', { l: [null] }],
    ['{ thing { x: set(extra: 1, level: 3) } }', {}],
  ])('is denied however it comes: %s', async (source, variables) => {
    const ran: string[] = [];
    const schema = guard(build(typeDefs, resolvers(ran)));
    expect((await ask(schema, viewer, source, variables)).codes).toEqual(['FORBIDDEN']);
    expect((await ask(schema, undefined, source, variables)).codes).toEqual(['UNAUTHENTICATED']);
    expect(ran).toEqual([]);
    expect((await ask(schema, admin, source, variables)).codes).toEqual([]);
    expect(ran).toHaveLength(1);
  });

  it.each([
    '{ deep(in: { deeper: [[{ list: [] }]] }) }',
    'query($r: String) { deep(in: { role: $r }) }',
    'query($b: ID) { choice(in: { a: 1, b: $b }) }',
    '{ defaulted }',
    '{ level }',
    '{ thing { set(extra: 1) } }',
  ])('is not asked about what is absent: %s', async (source) => {
    const schema = guard(build(typeDefs, resolvers([])));
    expect((await ask(schema, undefined, source)).codes).toEqual([]);
  });

  it('a scalar that hides objects is guarded as the value that it is', async () => {
    const JSONScalar = new GraphQLScalarType({ name: 'JSON', parseValue: (value) => value });
    const schema = guard(
      build('scalar JSON @auth(requires: "admin") type Query { put(in: JSON): Int }', {
        JSON: JSONScalar,
        Query: { put: () => 1 },
      }),
    );
    const { codes } = await ask(schema, viewer, 'query($in: JSON) { put(in: $in) }', { in: { role: 'x' } });
    expect(codes).toEqual(['FORBIDDEN']);
  });
});

type Events = AsyncGenerator<ExecutionResult, void, void>;

describe('subscriptions', () => {
  const typeDefs = `
    type Query { a: Int }
    type Event { id: ID slow: String @auth(requires: "admin") }
    type Subscription { event: Event @auth(permissions: ["read"]) }
  `;
  const readers: PolicyDecisionPoint = {
    decide: ({ subject }) => ({ ...allow('permission'), allowed: subject.roles.length > 0 }),
  };

  async function start(
    auth: Partial<AuthContext>,
    { source, resolvers = {}, options = {} }: { source?: unknown; resolvers?: Resolvers; options?: Options } = {},
  ): Promise<{ stream: Events; auth: AuthContext; returned: () => number }> {
    let returned = 0;
    let id = 0;
    const endless = {
      next: async () => ({ done: false, value: { event: { id: ++id } } }),
      return: async () => {
        returned += 1;
        return { done: true, value: undefined };
      },
      [Symbol.asyncIterator]: () => endless,
    };
    const context: AuthContext = { principal: viewer, environment: () => ({ time: 0 }), ...auth };
    const schema = guard(
      build(typeDefs, { ...resolvers, Subscription: { event: { subscribe: () => source ?? endless } } }),
      { pdp: readers, ...options },
    );
    const document = parse('subscription { event { id slow } }');
    const stream = (await subscribe({ schema, document, contextValue: { auth: context } })) as Events;
    return { stream, auth: context, returned: () => returned };
  }

  it('WS-08 a source that is a function with an async iterator is judged like any other', async () => {
    let asked = 0;
    const source = Object.assign(() => undefined, {
      async *[Symbol.asyncIterator]() {
        yield { event: { id: 1 } };
        yield { event: { id: SECRET } };
      },
    });
    const { stream } = await start({ reauthenticate: () => (++asked === 1 ? { ...viewer } : undefined) }, { source });
    expect((await stream.next()).value?.data).toMatchObject({ event: { id: '1' } });
    expect(await stream.next()).toEqual({ done: true, value: undefined });
    expect(asked).toBe(2);
  });

  it('WS-08 a source in a thenable that answers then with itself is judged too', async () => {
    const source = loose({
      async *[Symbol.asyncIterator]() {
        yield { event: { id: SECRET } };
      },
    });
    const text = await settledText(
      start({ reauthenticate: () => undefined }, { source }).then(({ stream }) => stream.next()),
    );
    expect(text).not.toContain(SECRET);
  });

  it('WS-17 an event that is still being resolved never gets the identity of someone else', async () => {
    let release = (_: unknown): void => undefined;
    const slow = new Promise((resolve) => {
      release = resolve;
    });
    let asked = 0;
    const { stream, auth, returned } = await start(
      { reauthenticate: () => (++asked === 1 ? { ...viewer } : { ...admin }) },
      { resolvers: { Event: { id: () => slow, slow: () => SECRET } } },
    );
    const first = stream.next();
    const second = stream.next();
    // graphql 16 asks for the second event at once, 17 when the first is done.
    await Promise.race([second, new Promise((resolve) => setTimeout(resolve, 50))]);
    release(1);
    expect(JSON.stringify(await first)).not.toContain(SECRET);
    expect(await second).toEqual({ done: true, value: undefined });
    expect(auth.principal).toBeUndefined();
    expect(returned()).toBe(1);
  });

  it('WS-08 a new identity that does not reach the fields of the event ends the stream', async () => {
    let demoted = false;
    const told: unknown[] = [];
    // Every look makes another AuthContext, so that what is assigned to one is lost.
    const lookUp = ({ auth }: Context): AuthContext => ({
      ...auth,
      reauthenticate: () => (demoted ? { ...admin, roles: ['viewer'] } : auth.principal),
    });
    const { stream } = await start(
      { principal: admin },
      {
        resolvers: { Event: { slow: () => SECRET } },
        options: { auth: lookUp, onError: (error) => told.push(error) },
      },
    );
    expect(JSON.stringify(await stream.next())).toContain(SECRET);
    demoted = true;
    expect(JSON.stringify(await stream.next())).not.toContain(SECRET);
  });

  it('WS-08 a principal without an id is authenticated anew like any other', async () => {
    let asked = 0;
    const { stream } = await start({
      principal: { roles: ['viewer'], attributes: {} } as unknown as Principal,
      reauthenticate: () => {
        asked += 1;
        return undefined;
      },
    });
    expect(await stream.next()).toEqual({ done: true, value: undefined });
    expect(asked).toBe(1);
  });

  it.each<[string, () => Principal | undefined | Promise<Principal | undefined>]>([
    [
      'throws',
      () => {
        throw new Error(SECRET);
      },
    ],
    ['rejects', () => Promise.reject(new Error(SECRET))],
    ['rejects with nothing', () => Promise.reject()],
    ['never settles', () => new Promise(() => undefined)],
    ['answers with null', () => null as never],
    ['answers with true', () => true as never],
    ['answers with someone else', () => admin],
    ['answers with the same person without roles', () => ({ ...viewer, roles: [] })],
  ])(
    'WS-08 a reauthenticate that %s ends the stream, returns the source, and gives no event',
    async (_, reauthenticate) => {
      const { stream, returned } = await start({ reauthenticate });
      const events = await Promise.all([stream.next(), stream.next(), stream.next()]);
      expect(events).toEqual(Array(3).fill({ done: true, value: undefined }));
      expect(returned()).toBe(1);
      expect(await stream.next()).toEqual({ done: true, value: undefined });
    },
  );

  it.each<[string, object]>([
    ['returns nothing', { return: () => undefined }],
    [
      'throws',
      {
        return: () => {
          throw new Error('no');
        },
      },
    ],
    ['rejects', { return: () => Promise.reject(new Error('no')) }],
    ['has no return', {}],
  ])('WS-16 a stream ends though the return of its source %s', async (_, ending) => {
    const source = {
      next: async () => ({ done: false, value: { event: { id: SECRET } } }),
      ...ending,
      [Symbol.asyncIterator]() {
        return this;
      },
    };
    const { stream } = await start({ reauthenticate: () => undefined }, { source });
    expect(await stream.next()).toEqual({ done: true, value: undefined });
    expect(await stream.next()).toEqual({ done: true, value: undefined });
  });

  it('WS-16 an event that is being judged when the stream is returned or thrown into is not delivered', async () => {
    for (const end of ['return', 'throw'] as const) {
      let answer = (_: Principal): void => undefined;
      const { stream } = await start({
        reauthenticate: () =>
          new Promise((resolve) => {
            answer = resolve;
          }),
      });
      const pending = stream.next();
      await new Promise(setImmediate);
      const ended = end === 'return' ? stream.return() : stream.throw(new Error('stop'));
      answer({ ...viewer });
      await Promise.allSettled([ended]);
      expect(await pending).toEqual({ done: true, value: undefined });
      expect(await stream.next()).toEqual({ done: true, value: undefined });
    }
  });

  it('DIR-16 the field of a subscription that is executed without its source is guarded all the same', async () => {
    const schema = guard(build(typeDefs), { pdp: readers });
    const result = await execute({
      schema,
      document: parse('subscription { event { id } }'),
      rootValue: { event: { id: SECRET } },
      contextValue: contextOf(undefined),
    });
    expect(JSON.stringify(result)).not.toContain(SECRET);
  });
});

describe('the limits of the example', () => {
  const isRefused = (source: string, introspection = true): boolean => {
    try {
      parseWithinLimits(source, introspection);
      return false;
    } catch (error) {
      if (isOverLimit(error)) return true;
      throw error;
    }
  };
  const nested = (depth: number, inner: string): string => `${'a { '.repeat(depth)}${inner}${' }'.repeat(depth)}`;

  it.each<[string, string, string]>([
    [
      'a fragment counts at the depth of each use, also when it was used less deep before',
      `{ ...F ${nested(6, '...F')} } fragment F on Q { ${nested(5, 'x')} }`,
      `{ ...F ${nested(7, '...F')} } fragment F on Q { ${nested(5, 'x')} }`,
    ],
    [
      'fragments in fragments add up',
      `{ ${nested(5, '...A')} } fragment A on Q { ${nested(3, '...B')} } fragment B on Q { ${nested(3, 'x')} }`,
      `{ ${nested(5, '...A')} } fragment A on Q { ${nested(3, '...B')} } fragment B on Q { ${nested(4, 'x')} }`,
    ],
    [
      'a fragment named like introspection hides nothing',
      `{ ...__schema } fragment __schema on Q { ${nested(11, 'x')} }`,
      `{ ...__schema } fragment __schema on Q { ${nested(12, 'x')} }`,
    ],
    [
      'an alias named like introspection hides nothing',
      `{ __schema: ${nested(11, 'x')} }`,
      `{ __schema: ${nested(12, 'x')} }`,
    ],
    [
      'every operation of a document counts, named like what objects inherit or not',
      `query a { x } query __proto__ { ${nested(11, 'x')} }`,
      `query a { x } query __proto__ { ${nested(12, 'x')} }`,
    ],
    [
      'aliases in fragments count at each use',
      `{ ...F ...F ...F } fragment F on Q { ${'y: x '.repeat(10)} }`,
      `{ ...F ...F ...F z: x } fragment F on Q { ${'y: x '.repeat(10)} }`,
    ],
    [
      'directives on spreads and inline fragments count',
      `{ ${'...F @a '.repeat(25)} ${'... @b { x } '.repeat(25)} } fragment F on Q { x }`,
      `{ ${'...F @a '.repeat(25)} ${'... @b { x } '.repeat(26)} } fragment F on Q { x }`,
    ],
  ])('GQL-07 DOS-10 %s', (_, within, over) => {
    expect(isRefused(within)).toBe(false);
    expect(isRefused(over)).toBe(true);
  });

  it('DOS-10 counts beyond every number, and refuses', () => {
    const fan = Array.from({ length: 120 }, (_, n) => `fragment F${n} on Q { ${`...F${n + 1} `.repeat(10)} }`);
    expect(isRefused(`{ ...F0 } ${fan.join(' ')} fragment F120 on Q { x y: x z @a }`)).toBe(true);
    const endless = Array.from({ length: 400 }, (_, n) => `fragment F${n} on Q { ...F${n + 1} ...F${n + 1} }`);
    expect(isRefused(`{ ...F0 } ${endless.join(' ')} fragment F400 on Q { x }`)).toBe(true);
  });

  it('DOS-10 refuses cycles through any number of fragments, and leaves unknown ones to validation', () => {
    expect(isRefused('{ ...A } fragment A on Q { a { ...A } }')).toBe(true);
    expect(isRefused('{ x ...B } fragment A on Q { a { ...B } } fragment B on Q { ... { ...A } }')).toBe(true);
    expect(isRefused('{ ...constructor ...toString }')).toBe(false);
  });

  it('GQL-07 finds introspection under aliases, in fragments and inline, at any depth', () => {
    for (const source of [
      '{ a: __schema { x } }',
      '{ ... { ... on Q { __type(name: "a") { name } } } }',
      '{ ...F } fragment F on Q { ...G } fragment G on Q { t: __type(name: "a") { name } }',
      'query a { x } query b { __schema { x } }',
      '{ a { __schema { x } } }',
    ]) {
      expect(isRefused(source, false), source).toBe(true);
      expect(isRefused(source, true), source).toBe(false);
    }
    expect(isRefused('{ __typename __schema: x ...__type } fragment __type on Q { x }', false)).toBe(false);
  });
});
