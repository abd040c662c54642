import { once } from 'node:events';
import { makeExecutableSchema } from '@graphql-tools/schema';
import type { IResolvers } from '@graphql-tools/utils';
import { allow, deny, type Principal } from 'doorward';
import {
  type AuthContext,
  assertProtected,
  authDirectives,
  can,
  maskGraphQLError,
  type ProtectSchemaOptions,
  protectSchema,
} from 'doorward/graphql';
import { defineRoles } from 'doorward/rbac';
import * as graphqlPackage from 'graphql';
import {
  buildSchema,
  type ExecutionResult,
  execute,
  extendSchema,
  GraphQLError,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  graphql,
  parse,
  printSchema,
  subscribe,
} from 'graphql';
import { createClient } from 'graphql-ws';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { isOverLimit, parseWithinLimits } from '../../examples/tools/limits.ts';
import { bearer, challengeOf, ids, type Service, startService } from '../contract/harness.ts';

/**
 * One test for each published weakness of a GraphQL authorization layer (`row 1` to `row 25`) and for each `DIR` and
 * `GQL` case that has none of its name elsewhere. Nothing of SECRET may be in any answer.
 */
const SECRET = 'hunter2';
const admin: Principal = { id: 'a1', roles: ['admin'], attributes: {} };
const viewer: Principal = { id: 'v1', roles: ['viewer'], attributes: {} };

interface Context {
  readonly auth: AuthContext;
}
type Options = Partial<ProtectSchemaOptions<Context>>;

type Resolvers = IResolvers;

function contextOf(principal: Principal | undefined): Context {
  return { auth: { principal, environment: () => ({ time: 0 }) } };
}

function build(typeDefs: string | readonly string[], resolvers: Resolvers = {}): GraphQLSchema {
  return makeExecutableSchema({ typeDefs: [authDirectives(), ...[typeDefs].flat()], resolvers });
}

function guard(typeDefs: string | readonly string[], resolvers: Resolvers = {}, options: Options = {}): GraphQLSchema {
  return protectSchema<Context>(build(typeDefs, resolvers), {
    pdp: { decide: ({ subject }) => (subject.roles.includes('admin') ? allow('permission') : deny('no_permission')) },
    ...options,
  } as ProtectSchemaOptions<Context>);
}

interface Answer {
  readonly text: string;
  readonly data: unknown;
  readonly errors: readonly string[];
}

async function ask(
  schema: GraphQLSchema,
  principal: Principal | undefined,
  source: string,
  variableValues: Record<string, unknown> = {},
): Promise<Answer> {
  return answerOf(await graphql({ schema, source, variableValues, contextValue: contextOf(principal) }));
}

function answerOf(result: ExecutionResult): Answer {
  const text = JSON.stringify(result);
  const errors = (result.errors ?? []).map(({ path, extensions }) => `${path?.join('.')}: ${extensions.code}`);
  return { text, data: JSON.parse(text).data, errors };
}

/** A resolver that counts. */
function counting(value: unknown = SECRET): { (): unknown; calls: number } {
  const resolver = (): unknown => {
    resolver.calls += 1;
    return value;
  };
  resolver.calls = 0;
  return resolver;
}

const configInvalid = expect.objectContaining({ code: 'CONFIG_INVALID' });

describe('polymorphism', () => {
  const typeDefs = `
    interface I { id: ID name: String }
    type T implements I @auth(requires: "admin") { id: ID name: String }
    type U implements I { id: ID name: String }
    type Query { intf(kind: String): I }
  `;
  const intf = (_: unknown, { kind }: { kind: string }) =>
    kind === 'T' ? { __typename: 'T', id: 1, name: SECRET } : { __typename: 'U', id: 2, name: 'open' };
  const schema = guard(typeDefs, { Query: { intf } });

  it('row 1 GHSA-x33c-7c2v-mrj9 DIR-02 the type at run time decides, not the interface that was asked for', async () => {
    const answer = await ask(
      schema,
      viewer,
      '{ t: intf(kind: "T") { id name __typename } u: intf(kind: "U") { name } }',
    );
    expect(answer.data).toEqual({ t: null, u: { name: 'open' } });
    expect(answer.errors).toEqual(['t: FORBIDDEN']);
    expect(answer.text).not.toContain(SECRET);
  });

  it('row 2 GHSA-x33c-7c2v-mrj9 a rule on one field of an implementation costs that field alone', async () => {
    const onField = guard(
      `interface I { id: ID name: String }
       type T implements I { id: ID @auth(requires: "admin") name: String }
       type Query { intf: I }`,
      { Query: { intf: () => ({ __typename: 'T', id: SECRET, name: 'open' }) } },
    );
    const answer = await ask(onField, undefined, '{ intf { id name } }');
    expect(answer.data).toEqual({ intf: { id: null, name: 'open' } });
    expect(answer.errors).toEqual(['intf.id: UNAUTHENTICATED']);
  });

  it.each([
    '{ vault { secret } }',
    '{ vaults { secret } }',
    '{ holder { vault { secret } } }',
    '{ thing { ... on Vault { secret } } }',
    '{ node { ...F } } fragment F on Vault { secret }',
    '{ node { secret } }',
  ])('DIR-02 what is written on a type holds on every way to it: %s', async (source) => {
    const theirs = () => ({ __typename: 'Vault', secret: SECRET, ownerId: 'x' });
    const schema = guard(
      `interface Node { secret: String }
       type Vault implements Node @auth(owner: "ownerId") { secret: String }
       type Holder { vault: Vault }
       union Thing = Vault | Holder
       type Query { vault: Vault vaults: [Vault] holder: Holder thing: Thing node: Node }`,
      {
        Query: {
          vault: theirs,
          vaults: () => [theirs()],
          holder: () => ({ vault: theirs() }),
          thing: theirs,
          node: theirs,
        },
      },
    );
    for (const [who, code] of [
      [undefined, 'UNAUTHENTICATED'],
      [viewer, 'FORBIDDEN'],
    ] as const) {
      const answer = await ask(schema, who, source);
      expect(answer.text).not.toContain(SECRET);
      expect(answer.errors).toEqual([expect.stringContaining(code)]);
    }
    expect((await ask(schema, { ...viewer, id: 'x' }, source)).text).toContain(SECRET);
  });

  it.each([
    '{ t { secret } }',
    '{ i { secret } }',
    '{ i { ... on T { secret } } }',
    '{ i { ...F } } fragment F on T { secret }',
    '{ u { ... on T { x: secret } } }',
  ])('row 3 GHSA-mx7m-j9xf-62hw DIR-03 a rule on the field of an interface holds in %s', async (source) => {
    const t = () => ({ __typename: 'T', secret: SECRET });
    const composed = guard(
      `interface I { secret: String @auth(requires: "admin") }
       type T implements I { secret: String }
       union W = T
       type Query { t: T i: I u: W }`,
      { Query: { t, i: t, u: t } },
    );
    for (const [who, code] of [
      [undefined, 'UNAUTHENTICATED'],
      [viewer, 'FORBIDDEN'],
    ] as const) {
      const answer = await ask(composed, who, source);
      expect(answer.text).not.toContain(SECRET);
      expect(answer.errors).toEqual([expect.stringContaining(code)]);
    }
    expect((await ask(composed, admin, source)).text).toContain(SECRET);
  });
});

describe('every place of the SDL', () => {
  it.each([
    ['a union', 'union W @auth(requires: "admin") = T', 'w: W', '{ w { ... on T { secret } } }'],
    ['a scalar', 'scalar Hidden @auth(requires: "admin")', 'w: Hidden', '{ w }'],
    ['an enum', 'enum Hidden @auth(requires: "admin") { hunter2 }', 'w: Hidden', '{ w }'],
    ['an extension of a type', 'extend type T @auth(requires: "admin")', 'w: T', '{ w { secret } }'],
    ['an extension of an interface', 'extend interface I @auth(requires: "admin")', 'w: T', '{ w { secret } }'],
    [
      'an extension of a union',
      'union W = T extend union W @auth(requires: "admin")',
      'w: W',
      '{ w { ... on T { secret } } }',
    ],
    ['an extension of a scalar', 'scalar Hidden extend scalar Hidden @auth(requires: "admin")', 'w: Hidden', '{ w }'],
    [
      'an argument of an interface',
      'extend interface I { at(n: Int @auth(requires: "admin")): T }',
      'w: T',
      '{ w { at(n: 1) { secret } } }',
    ],
  ])('DIR-02 DIR-03 DIR-13 a rule on %s closes what it guards', async (_, sdl, field, source) => {
    // graphql itself keeps extensions apart, where graphql-tools would merge them.
    const typeDefs = `
      interface I { secret: String }
      type T implements I { secret: String at(n: Int): T }
      type Query { ${field} }`;
    const schema = protectSchema<Context>(buildSchema(`${authDirectives()} ${typeDefs} ${sdl}`), {
      pdp: { decide: () => deny('no_permission') },
    });
    const t = { __typename: 'T', secret: SECRET, at: () => t };
    const w = field.endsWith('Hidden') ? SECRET : t;
    const run = async (who: Principal | undefined) =>
      answerOf(await graphql({ schema, source, rootValue: { w }, contextValue: contextOf(who) }));
    for (const [who, code] of [
      [undefined, 'UNAUTHENTICATED'],
      [viewer, 'FORBIDDEN'],
    ] as const) {
      const answer = await run(who);
      expect(answer.text).not.toContain(SECRET);
      expect(answer.errors).toEqual([expect.stringContaining(code)]);
    }
    expect((await run(admin)).text).toContain(SECRET);
  });
});

describe('names and declarations', () => {
  it('row 4 GHSA-g8jh-vg5j-4h3f under another name the directive is enforced, and @auth beside it does not build', async () => {
    const make = (used: string) =>
      protectSchema<Context>(
        makeExecutableSchema({
          typeDefs: [
            authDirectives({ directiveName: 'guard' }),
            'directive @auth(requires: String) on FIELD_DEFINITION',
            `type Query { secret: String @${used}(requires: "admin") }`,
          ],
          resolvers: { Query: { secret: () => SECRET } },
        }),
        { pdp: { decide: () => deny('no_permission') }, directiveName: 'guard' },
      );
    expect((await ask(make('guard'), viewer, '{ secret }')).errors).toEqual(['secret: FORBIDDEN']);
    expect(() => make('auth')).toThrow(configInvalid);
  });

  it('row 5 GHSA-m8jr-fxqx-8xx6 a resolver that hands on a guarded sibling can ask what its guard would say', async () => {
    const user = { name: 'Ada', email: SECRET };
    const schema = guard(
      'type User { display: String email: String @auth(requires: "admin") } type Query { user: User }',
      {
        Query: { user: () => user },
        User: {
          display: async (parent: typeof user, _: unknown, context: Context, info: GraphQLResolveInfo) =>
            (await can(info, context, 'User.email', { parent })).allowed ? parent.email : parent.name,
        },
      },
    );
    for (const who of [undefined, viewer]) {
      expect((await ask(schema, who, '{ user { display } }')).data).toEqual({ user: { display: 'Ada' } });
    }
    expect((await ask(schema, admin, '{ user { display } }')).data).toEqual({ user: { display: SECRET } });
  });

  it('row 6 Federation 3321 DIR-05 lists from two modules are both required, and never joined', async () => {
    const schema = guard(
      ['type Query { secret: String @auth(scopes: [["a"]]) }', 'type Query { secret: String @auth(scopes: [["b"]]) }'],
      { Query: { secret: () => SECRET } },
    );
    for (const scopes of [['a'], ['b'], []]) {
      expect((await ask(schema, { ...viewer, scopes }, '{ secret }')).errors).toEqual(['secret: FORBIDDEN']);
    }
    expect((await ask(schema, { ...viewer, scopes: ['a', 'b'] }, '{ secret }')).data).toEqual({ secret: SECRET });
  });

  it('row 18 CVE-2023-40027 DIR-05 a rule that names what is not there does not build, whatever is undefined', () => {
    const sdl = 'type Query { secret: String @auth(policy: [["gone"]]) }';
    for (const policies of [{}, { gone: undefined }, { gone: null }, Object.create({ gone: () => true })]) {
      expect(() => guard(sdl, {}, { policies })).toThrow(configInvalid);
    }
    const masked = 'type Query { secret: String @auth(requires: "admin", onDeny: MASK) }';
    expect(() => guard(masked, {}, { masks: { 'Query.secret': undefined } as never })).toThrow(configInvalid);
    for (const pdp of [undefined, {}, { decide: undefined }]) {
      expect(() => guard(sdl, {}, { pdp: pdp as never, policies: { gone: () => true } })).toThrow(configInvalid);
    }
  });

  it('row 22 hasura 10711 an inherited role keeps what filters its rows, and a circle of roles does not build', async () => {
    const roles = defineRoles({
      a: ['list'],
      b: { inherits: ['a'], permissions: [] },
      c: { inherits: ['b'], permissions: [] },
    });
    const schema = guard(
      `type Query { docs: [Doc] @auth(permissions: ["list"]) @auth(owner: "ownerId", from: RESULT, onDeny: FILTER) }
       type Doc { id: ID }`,
      { Query: { docs: () => [{ id: 'mine', ownerId: 'v1' }, { id: SECRET, ownerId: 'x' }, { id: SECRET }] } },
      { pdp: roles },
    );
    const answer = await ask(schema, { ...viewer, roles: ['c'] }, '{ docs { id } }');
    expect(answer).toMatchObject({ data: { docs: [{ id: 'mine' }] }, errors: [] });
    expect(() =>
      defineRoles({ a: { inherits: ['b'], permissions: [] }, b: { inherits: ['a'], permissions: [] } }),
    ).toThrow(configInvalid);
  });

  it('row 24 graphql-authz a rule on the result of a mutation does not build, so none runs before it is denied', () => {
    for (const rule of ['owner: "ownerId", from: RESULT', 'policy: [["p"]], from: RESULT, onDeny: NULL']) {
      expect(() =>
        guard(
          `type Query { a: Int } type Mutation { send: Doc @auth(${rule}) } type Doc { id: ID }`,
          {},
          { policies: { p: () => true } },
        ),
      ).toThrow(configInvalid);
    }
  });

  it('row 24 a mutation whose result the caller may not see by its type is not run', async () => {
    const send = counting({ id: SECRET });
    const schema = guard(
      'type Query { a: Int } type Mutation { send: Doc } type Doc @auth(requires: "admin") { id: ID }',
      {
        Mutation: { send },
      },
    );
    expect((await ask(schema, viewer, 'mutation { send { id } }')).errors).toEqual(['send: FORBIDDEN']);
    expect(send.calls).toBe(0);
    await ask(schema, admin, 'mutation { send { id } }');
    expect(send.calls).toBe(1);
  });
});

describe('documents', () => {
  const secret = counting();
  const schema = guard(
    'type Query { open: String secret(a: String): String @auth(requires: "admin") me: Me } type Me { id: ID @auth }',
    {
      Query: { open: () => 'open', secret, me: () => ({ id: SECRET }) },
    },
  );

  it.each<[string, string, Record<string, unknown>, string]>([
    [
      'row 12 CVE-2026-32621 GQL-11 aliases of inherited names',
      '{ __proto__: secret constructor: secret toString: me { id } }',
      {},
      '__proto__',
    ],
    [
      'row 12 variables of inherited names',
      'query($__proto__: String, $constructor: String) { x: secret(a: $__proto__) y: secret(a: $constructor) }',
      JSON.parse('{"__proto__":{"allowed":true},"constructor":"x"}'),
      'x',
    ],
    ['row 19 envelop 892 introspection beside it', '{ __schema { __typename } __typename secret }', {}, 'secret'],
    ['row 20 cosmo 1815 an alias', '{ x: secret }', {}, 'x'],
    ['row 25 CVE-2026-28696 @skip and @include on it', '{ secret @skip(if: false) @include(if: true) }', {}, 'secret'],
    [
      'row 25 an operation and a fragment named like inherited names',
      'query constructor { ...__proto__ } fragment __proto__ on Query { secret }',
      {},
      'secret',
    ],
  ])('%s', async (_, source, variables, path) => {
    secret.calls = 0;
    for (const [who, code] of [
      [undefined, 'UNAUTHENTICATED'],
      [viewer, 'FORBIDDEN'],
    ] as const) {
      const result = await graphql({ schema, source, variableValues: variables, contextValue: contextOf(who) });
      const answer = answerOf(result);
      if (source.includes('$__proto__')) {
        // graphql refuses such a variable or takes it as none; neither opens the field nor reaches a prototype.
        expect(answer.text).not.toContain(SECRET);
      } else {
        expect(answer.errors).toContain(`${path}: ${code}`);
        expect(Object.getPrototypeOf(result.data)).toBeNull();
      }
      if (who === undefined) expect(answer.text).not.toContain(SECRET);
    }
    expect(secret.calls).toBe(0);
    expect(Object.hasOwn(Object.prototype, 'allowed')).toBe(false);
  });

  it('row 25 what is skipped is neither denied nor run', async () => {
    expect(await ask(schema, viewer, '{ open secret @skip(if: true) }')).toMatchObject({
      data: { open: 'open' },
      errors: [],
    });
  });

  it('row 25 a directive of the document that is called like ours is an unknown directive', async () => {
    const answer = await ask(schema, viewer, '{ secret @auth(requires: "viewer") }');
    expect(answer.data).toBeUndefined();
    const unvalidated = execute({
      schema,
      document: parse('{ secret @public @auth }'),
      contextValue: contextOf(viewer),
    });
    expect(answerOf(unvalidated as ExecutionResult).errors).toEqual(['secret: FORBIDDEN']);
  });

  it('row 14 GHSA-224p-v68g-5g8f a fragment counts wherever it is spread, and __schema is a name like others', () => {
    const nested = (depth: number, inner: string): string => `${'a { '.repeat(depth)}${inner}${' }'.repeat(depth)}`;
    for (const name of ['F', '__schema', '__proto__']) {
      const document = (depth: number) =>
        `query ${name} { ...${name} ${nested(depth, `...${name}`)} } fragment ${name} on Q { ${nested(5, 'x')} }`;
      parseWithinLimits(document(6), true);
      expect(() => parseWithinLimits(document(7), true)).toThrow(expect.toSatisfy(isOverLimit));
    }
  });

  /** Every fragment spreads the next one twice: a pass that follows each spread would take 2^60 steps. */
  const fanOut = `query Q { ...F0 } ${Array.from({ length: 60 }, (_, n) => `fragment F${n} on Query { ...F${n + 1} ...F${n + 1} }`).join(' ')} fragment F60 on Query { secret }`;

  it('row 15 CVE-2026-34573 fragments that fan out are counted once each, not once a spread', () => {
    expect(() => parseWithinLimits(fanOut, true)).toThrow(expect.toSatisfy(isOverLimit));
  });

  it('row 15 CVE-2026-34573 fragments that fan out are decided once each before a whole operation', async () => {
    const whole = guard(
      'type Query { open: String secret: String @auth(requires: "admin") }',
      { Query: { secret } },
      { enforce: 'operation' },
    );
    secret.calls = 0;
    const answer = answerOf(
      (await execute({ schema: whole, document: parse(fanOut), contextValue: contextOf(viewer) })) as ExecutionResult,
    );
    expect(answer.errors).toEqual(['secret: FORBIDDEN']);
    expect(secret.calls).toBe(0);
  });
});

describe('decisions', () => {
  it.each([undefined, null, '', 0n, Number.NaN, {}, []])(
    'row 21 matters 4880 an owner of %s is nobody: not even of someone without an id',
    async (ownerId) => {
      const schema = guard(
        `type Query { doc: Doc } type Doc {
         owned: String @auth(owner: "ownerId")
         others: String @auth(rule: { not: { owner: "ownerId" } })
         either: String @auth(rule: { any: [{ owner: "ownerId" }, { not: { owner: "ownerId" } }] })
       }`,
        { Query: { doc: () => ({ ownerId, owned: SECRET, others: SECRET, either: SECRET }) } },
      );
      for (const id of ['v1', '', undefined, null, ownerId]) {
        const answer = await ask(schema, { ...viewer, id: id as string }, '{ doc { owned others either } }');
        expect(answer.errors).toEqual(['doc.owned: FORBIDDEN', 'doc.others: FORBIDDEN', 'doc.either: FORBIDDEN']);
        expect(answer.text).not.toContain(SECRET);
      }
      expect((await ask(schema, undefined, '{ doc { owned } }')).errors).toEqual(['doc.owned: UNAUTHENTICATED']);
    },
  );

  const broken: Record<string, () => unknown> = {
    throws: () => {
      throw new Error(SECRET);
    },
    'answers nothing': () => undefined,
    'answers an Error': () => new Error(SECRET),
    'answers a text': () => 'true',
    'answers 1': () => 1,
    rejects: () => Promise.reject(new Error(SECRET)),
    'never answers': () => new Promise(() => {}),
  };
  it.each(Object.entries(broken))(
    'row 23 DIR-12 a policy that %s denies: alone, below not, below any',
    async (_, policy) => {
      const told: unknown[] = [];
      const fields = {
        bare: 'policy: [["p"]]',
        not: 'rule: { not: { policy: "p" } }',
        any: 'rule: { any: [{ not: { policy: "p" } }, { role: "nobody" }] }',
        deep: 'rule: { not: { all: [{ policy: "p" }, { role: "viewer" }] } }',
        result: 'rule: { not: { policy: "p" } }, from: RESULT',
      };
      const schema = guard(
        `type Query { ${Object.entries(fields)
          .map(([name, rule]) => `${name}: String @auth(${rule})`)
          .join(' ')} }`,
        { Query: Object.fromEntries(Object.keys(fields).map((name) => [name, () => SECRET])) },
        { policies: { p: policy as () => boolean }, policyTimeoutMs: 20, onError: (error) => told.push(error) },
      );
      const answer = await ask(schema, viewer, `{ ${Object.keys(fields).join(' ')} }`);
      expect([...answer.errors].sort()).toEqual(
        Object.keys(fields)
          .map((name) => `${name}: FORBIDDEN`)
          .sort(),
      );
      expect(answer.text).not.toContain(SECRET);
      expect(answer.text.match(/"message":"[^"]*"/g)).toEqual(Array(5).fill('"message":"Not authorized"'));
    },
  );

  it('DIR-01 allowed, denied and anonymous: data and two codes, and the resolver runs once, not, and not', async () => {
    const secret = counting();
    const schema = guard('type Query { secret: String @auth(requires: "admin") }', { Query: { secret } });
    const seen = [];
    for (const who of [admin, viewer, undefined]) {
      secret.calls = 0;
      const { errors } = await ask(schema, who, '{ secret }');
      seen.push([secret.calls, ...errors]);
    }
    expect(seen).toEqual([[1], [0, 'secret: FORBIDDEN'], [0, 'secret: UNAUTHENTICATED']]);
  });

  it('DIR-04 a property, a getter, a method and a promise without a resolver are not read when denied', async () => {
    const fields = ['property', 'getter', 'method', 'promise'];
    let reads = 0;
    const read = () => {
      reads += 1;
      return SECRET;
    };
    const parent = {
      property: SECRET,
      get getter() {
        return read();
      },
      method: read,
      promise: Promise.resolve(SECRET),
    };
    const schema = guard(
      `type Query { a: A } type A { ${fields.map((name) => `${name}: String @auth(requires: "admin")`).join(' ')} }`,
      { Query: { a: () => parent } },
    );
    const source = `{ a { ${fields.join(' ')} } }`;
    const answer = await ask(schema, viewer, source);
    expect(answer.errors).toEqual(fields.map((name) => `a.${name}: FORBIDDEN`));
    expect([answer.text.includes(SECRET), reads]).toEqual([false, 0]);
    expect((await ask(schema, admin, source)).data).toEqual({
      a: Object.fromEntries(fields.map((name) => [name, SECRET])),
    });
  });

  it('DIR-07 a denied non-null field costs its own item, and no sibling runs twice', async () => {
    const name = counting('open');
    const schema = guard(
      'type Query { items: [Item] } type Item { name: String! secret: String! @auth(owner: "ownerId") }',
      {
        Query: {
          items: () => [
            { ownerId: 'v1', secret: 'mine' },
            { ownerId: 'x', secret: SECRET },
            { ownerId: 'v1', secret: 'mine' },
          ],
        },
        Item: { name },
      },
    );
    const answer = await ask(schema, viewer, '{ items { name secret } }');
    const mine = { name: 'open', secret: 'mine' };
    expect(answer).toMatchObject({ data: { items: [mine, null, mine] }, errors: ['items.1.secret: FORBIDDEN'] });
    expect(name.calls).toBe(3);
  });

  it('DIR-08 of two mutations the denied second does not run; with enforce: operation neither does', async () => {
    const [first, second] = [counting('done'), counting()];
    const make = (enforce: 'field' | 'operation') =>
      guard(
        'type Query { a: Int } type Mutation { first: String second: String @auth(requires: "admin") }',
        { Mutation: { first, second } },
        { enforce },
      );
    const source = 'mutation { first second }';
    expect(await ask(make('field'), viewer, source)).toMatchObject({
      data: { first: 'done', second: null },
      errors: ['second: FORBIDDEN'],
    });
    expect([first.calls, second.calls]).toEqual([1, 0]);
    const whole = await ask(make('operation'), viewer, source);
    expect(whole.errors.length).toBeGreaterThan(0);
    expect(whole.errors.every((error) => error.endsWith(': FORBIDDEN'))).toBe(true);
    expect([first.calls, second.calls]).toEqual([1, 0]);
  });

  it('DIR-09 a schema that changed after it was protected does not pass, and one that did not does', () => {
    const schema = guard('type Query { a: String @auth(requires: "admin") }');
    assertProtected(schema);
    const replaced = extendSchema(schema, parse('extend type Query { b: Int }'));
    const field = replaced.getQueryType()?.getFields().a;
    if (field !== undefined) field.resolve = () => SECRET;
    for (const changed of [
      buildSchema(printSchema(schema)),
      replaced,
      extendSchema(
        schema,
        parse(
          'directive @auth(requires: String) on FIELD_DEFINITION extend type Query { b: Int @auth(requires: "admin") }',
        ),
        { assumeValid: true },
      ),
    ]) {
      expect(() => assertProtected(changed)).toThrow(configInvalid);
    }
  });

  it('DIR-10 a new field without a rule is closed to everyone where unprotected fields are denied, and named', async () => {
    const named: string[] = [];
    const schema = guard(
      'type Query { listed: String @public added: String } ',
      { Query: { listed: () => 'open', added: () => SECRET } },
      { unprotected: 'deny', onUnprotected: (coordinates) => named.push(...coordinates) },
    );
    expect(named).toEqual(['Query.added']);
    expect((await ask(schema, admin, '{ listed added }')).errors).toEqual(['added: FORBIDDEN']);
    expect((await ask(schema, undefined, '{ listed added }')).errors).toEqual(['added: UNAUTHENTICATED']);
  });

  it('DIR-11 one rule on other arguments and other parents is decided for each', async () => {
    const asked: unknown[] = [];
    const schema = guard(
      `type Query { doc(id: ID): Doc @auth(policy: [["mine"]]) docs: [Doc] } type Doc { id: ID text: String @auth(policy: [["mine"]]) }`,
      {
        Query: {
          doc: (_: unknown, { id }: { id: string }) => ({ id, text: id }),
          docs: () => [
            { id: 'a', text: 'a' },
            { id: 'b', text: SECRET },
          ],
        },
      },
      {
        policies: {
          mine: ({ resource }) => {
            asked.push((resource as { id: unknown }).id);
            return (resource as { id: unknown }).id === 'a';
          },
        },
      },
    );
    const answer = await ask(schema, viewer, '{ x: doc(id: "a") { text } y: doc(id: "b") { text } docs { text } }');
    expect(answer.data).toEqual({ x: { text: 'a' }, y: null, docs: [{ text: 'a' }, { text: null }] });
    expect(new Set(asked)).toEqual(new Set(['a', 'b']));
  });

  it.each<[string, string, Record<string, unknown>]>([
    ['a literal', 'mutation { save(input: { role: "x" }) }', {}],
    ['a variable', 'mutation($i: In) { save(input: $i) }', { i: { role: 'x' } }],
    ['a variable inside', 'mutation($r: String) { save(input: { role: $r }) }', { r: 'x' }],
    ['the default of a variable', 'mutation($r: String = "x") { save(input: { role: $r }) }', {}],
    ['an explicit null', 'mutation { save(input: { role: null }) }', {}],
    ['a list at depth', 'mutation { save(input: { more: [{ text: "a" }, { more: [{ role: "x" }] }] }) }', {}],
    ['an enum value', 'mutation { save(kind: A) }', {}],
    ['an argument', 'mutation { save(owner: "x") }', {}],
    ['the default of an argument', 'mutation { preset }', {}],
  ])('DIR-13 guarded input stops the resolver: %s', async (_, source, variables) => {
    const save = counting('saved');
    const schema = guard(
      `enum Kind @auth(requires: "admin") { A }
       input In { text: String role: String @auth(requires: "admin") more: [In!] }
       type Query { a: Int }
       type Mutation {
         save(input: In, kind: Kind, owner: ID @auth(requires: "admin")): String
         preset(owner: ID = "x" @auth(requires: "admin")): String
       }`,
      { Mutation: { save, preset: save } },
    );
    for (const [who, code] of [
      [viewer, 'FORBIDDEN'],
      [undefined, 'UNAUTHENTICATED'],
    ] as const) {
      expect((await ask(schema, who, source, variables)).errors).toEqual([expect.stringContaining(code)]);
    }
    expect(save.calls).toBe(0);
    expect((await ask(schema, admin, source, variables)).errors).toEqual([]);
    expect((await ask(schema, undefined, 'mutation { save(input: { text: "a" }) }')).errors).toEqual([]);
  });

  it('DIR-14 a thousand items are decided item by item, and a permission among them is asked once', async () => {
    let asked = 0;
    const items = Array.from({ length: 1_000 }, (_, index) => ({ id: index, ownerId: index % 2 === 0 ? 'v1' : 'x' }));
    const schema = guard(
      `type Query { items: [Item] @auth(rule: { any: [{ permission: "all" }, { owner: "ownerId" }] }, from: RESULT, onDeny: FILTER) } type Item { id: ID }`,
      { Query: { items: () => items } },
      {
        pdp: {
          decide: () => {
            asked += 1;
            return deny('no_permission');
          },
        },
      },
    );
    const { data } = await ask(schema, viewer, '{ items { id } }');
    expect((data as { items: unknown[] }).items).toEqual(
      items.filter(({ ownerId }) => ownerId === 'v1').map(({ id }) => ({ id: String(id) })),
    );
    expect(asked).toBe(1);
  });

  it('DIR-15 a field behind @defer is denied in whichever payload it would come', async () => {
    const secret = counting();
    const schema = guard(
      `directive @defer(if: Boolean, label: String) on FRAGMENT_SPREAD | INLINE_FRAGMENT
       type Query { a: A } type A { open: String secret: String @auth(requires: "admin") }`,
      { Query: { a: () => ({ open: 'open' }) }, A: { secret } },
    );
    const args = { schema, document: parse('{ a { open ... @defer { secret } } }'), contextValue: contextOf(viewer) };
    const incremental = Reflect.get(graphqlPackage, 'experimentalExecuteIncrementally') as
      | ((given: typeof args) => unknown)
      | undefined;
    const payloads: unknown[] = [];
    const result = (await (incremental ?? execute)(args)) as {
      initialResult?: unknown;
      subsequentResults?: AsyncIterable<unknown>;
    };
    payloads.push(result.initialResult ?? result);
    for await (const payload of result.subsequentResults ?? []) payloads.push(payload);
    expect(JSON.stringify(payloads)).toContain('"open":"open"');
    expect(JSON.stringify(payloads)).toContain('FORBIDDEN');
    expect(JSON.stringify(payloads)).not.toContain(SECRET);
    expect(secret.calls).toBe(0);
  });

  it('DIR-17 what is hidden and what does not exist answer alike', async () => {
    const docs: Record<string, unknown> = { theirs: { ownerId: 'x', text: SECRET } };
    const schema = guard(
      'type Query { doc(id: ID): Doc @auth(owner: "ownerId", from: RESULT, onDeny: NULL) } type Doc { text: String }',
      { Query: { doc: (_: unknown, { id }: { id: string }) => docs[id] } },
    );
    const [hidden, missing] = await Promise.all(
      ['theirs', 'none'].map((id) => ask(schema, viewer, `{ doc(id: "${id}") { text } }`)),
    );
    expect(hidden?.text).toBe(missing?.text);
    expect(hidden?.text).toBe('{"data":{"doc":null}}');
  });

  it.each<[string, () => unknown]>([
    [
      'throws an error',
      () => {
        throw new Error(`db pass=${SECRET} at /srv/x`);
      },
    ],
    [
      'throws null',
      () => {
        throw null;
      },
    ],
    ['rejects with a text', () => Promise.reject(SECRET)],
    [
      'throws an error with a code of its own',
      () => {
        throw new GraphQLError(SECRET, { extensions: { code: 'SQLITE_BUSY', stacktrace: [SECRET] } });
      },
    ],
  ])('GQL-09 a resolver that %s tells a client nothing', async (_, resolver) => {
    const schema = guard('type Query { a: String @auth(requires: "admin") }', { Query: { a: resolver } });
    const { errors = [] } = await graphql({ schema, source: '{ a }', contextValue: contextOf(admin) });
    const shown = errors.map((error) => maskGraphQLError(error).toJSON());
    expect(shown).toMatchObject([
      { message: 'Internal server error', path: ['a'], extensions: { code: 'INTERNAL_SERVER_ERROR' } },
    ]);
    expect(JSON.stringify(shown)).not.toContain(SECRET);
    expect(JSON.stringify(shown)).not.toContain('stacktrace');
  });

  it('GQL-14 without a token what is public answers beside what is not', async () => {
    const schema = guard('type Query { open: String secret: String @auth }', {
      Query: { open: () => 'open', secret: () => SECRET },
    });
    expect(await ask(schema, undefined, '{ open secret }')).toMatchObject({
      data: { open: 'open', secret: null },
      errors: ['secret: UNAUTHENTICATED'],
    });
  });
});

describe('subscriptions', () => {
  function subscription(
    sdl: string,
    resolvers: Resolvers = {},
  ): { schema: GraphQLSchema; started: () => number; ended: () => number } {
    let [started, ended] = [0, 0];
    async function* events() {
      started += 1;
      try {
        for (let id = 0; id < 3; id++) yield { post: { id: `${SECRET}${id}` } };
      } finally {
        ended += 1;
      }
    }
    const schema = guard(sdl, { ...resolvers, Subscription: { post: { subscribe: events } } });
    return { schema, started: () => started, ended: () => ended };
  }
  const open = (schema: GraphQLSchema, contextValue: Context) =>
    subscribe({ schema, document: parse('subscription { post { id } }'), contextValue });

  it('row 9 CVE-2026-30947 a rule on the type of the event closes the subscription, and its source does not start', async () => {
    const { schema, started } = subscription(
      'type Query { a: Int } type Subscription { post: Post } type Post @auth(requires: "admin") { id: ID }',
    );
    const refused = (await open(schema, contextOf(viewer))) as ExecutionResult;
    expect(answerOf(refused).errors).toEqual(['post: FORBIDDEN']);
    expect(started()).toBe(0);
    expect(Symbol.asyncIterator in (await open(schema, contextOf(admin)))).toBe(true);
  });

  it('row 9 DIR-16 a role that is lost between two events ends the stream and its source', async () => {
    const { schema, ended } = subscription(
      'type Query { a: Int } type Subscription { post: Post @auth(requires: "admin") } type Post { id: ID }',
    );
    let current = admin;
    const stream = (await open(schema, {
      auth: { principal: admin, environment: () => ({ time: 0 }), reauthenticate: () => ({ ...current }) },
    })) as AsyncGenerator<ExecutionResult>;
    expect((await stream.next()).value.data.post.id).toContain(SECRET);
    current = { ...admin, roles: ['viewer'] };
    expect(await stream.next()).toEqual({ done: true, value: undefined });
    expect(ended()).toBe(1);
  });

  it('row 9 a field of the event is decided for the caller of that event', async () => {
    const { schema } = subscription(
      'type Query { a: Int } type Subscription { post: Post } type Post { id: ID @auth(requires: "admin") }',
    );
    const stream = (await open(schema, contextOf(viewer))) as AsyncGenerator<ExecutionResult>;
    const { value } = await stream.next();
    expect(answerOf(value).errors).toEqual(['post.id: FORBIDDEN']);
    expect(answerOf(value).text).not.toContain(SECRET);
    await stream.return(undefined);
  });
});

describe('transports of the example server', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.close());

  const wsUrl = () => `${service.url.replace('http', 'ws')}/graphql`;

  /** What one operation over a WebSocket answers, or the code with which the socket is closed. */
  async function overSocket(
    query: string,
    connectionParams: Record<string, unknown> = {},
  ): Promise<{ text: string; codes: unknown[]; closed?: number }> {
    let closed: number | undefined;
    const client = createClient({
      url: wsUrl(),
      webSocketImpl: WebSocket,
      retryAttempts: 0,
      connectionParams,
      on: {
        closed: (event) => {
          closed = (event as { code: number }).code;
        },
      },
    });
    try {
      const results: ExecutionResult[] = [];
      for await (const result of client.iterate({ query })) {
        results.push(result as ExecutionResult);
        break;
      }
      return {
        text: JSON.stringify(results),
        codes: results.flatMap(({ errors = [] }) => errors.map(({ extensions }) => extensions?.code)),
      };
    } catch (error) {
      const errors = Array.isArray(error) ? (error as GraphQLError[]) : [];
      return {
        text: JSON.stringify(errors),
        codes: errors.map(({ extensions }) => extensions?.code),
        ...(closed !== undefined && { closed }),
      };
    } finally {
      await client.dispose();
    }
  }

  it('row 7 CVE-2026-35523 the legacy subprotocol is refused', async () => {
    const socket = new WebSocket(wsUrl(), 'graphql-ws');
    socket.on('error', () => {});
    const [first] = await Promise.race([
      once(socket, 'unexpected-response').then(() => ['refused']),
      once(socket, 'close').then(([code]) => [code]),
    ]);
    expect(['refused', 4406]).toContain(first);
    socket.terminate();
  });

  it('row 7 CVE-2026-35523 subscribing before the acknowledgement closes with 4401', async () => {
    const socket = new WebSocket(wsUrl(), 'graphql-transport-ws');
    await once(socket, 'open');
    socket.send(
      JSON.stringify({ id: '1', type: 'subscribe', payload: { query: 'subscription { postPublished { id } }' } }),
    );
    const [code] = await once(socket, 'close');
    expect(code).toBe(4401);
  });

  it('row 8 CVE-2026-32594 a query over WebSocket is denied as it is over HTTP', async () => {
    const query = '{ users { id email } }';
    const http = await service.graphql(query);
    expect(http.body.errors[0].extensions.code).toBe('UNAUTHENTICATED');
    expect((await overSocket(query)).codes).toEqual(['UNAUTHENTICATED']);
    const mutation = 'mutation { createUser(name: "x", email: "x@example.org") { id } }';
    const viewerToken = await service.token('viewer');
    const overHttp = await service.graphql(mutation, viewerToken);
    expect(overHttp.body.errors[0].extensions.code).toBe('FORBIDDEN');
    expect((await overSocket(mutation, bearer(viewerToken))).codes).toEqual(['FORBIDDEN']);
  });

  it('row 10 CVE-2026-30241 the limits of a document hold over WebSocket', async () => {
    const deep = `subscription { postPublished ${'{ author { posts '.repeat(8)}{ id }${' } }'.repeat(8)} }`;
    expect((await service.graphql(deep.replace('subscription { postPublished', 'query { posts'))).status).toBe(400);
    const answer = await overSocket(deep, bearer(await service.token('admin')));
    expect(answer.text).toMatch(/more than 12 levels/);
    expect(answer.codes).toEqual(['BAD_USER_INPUT']);
  });

  it.each<[string, Record<string, unknown>]>([
    [
      'claims',
      {
        jwt: { sub: ids.admin, roles: ['admin'] },
        principal: { id: ids.admin, roles: ['admin'] },
        user: { roles: ['admin'] },
        auth: { principal: { id: ids.admin, roles: ['admin'] } },
      },
    ],
    [
      'claims by way of a prototype',
      JSON.parse(`{"__proto__":{"authorization":"Bearer x","roles":["admin"]},"constructor":{"roles":["admin"]}}`),
    ],
  ])('row 11 neo4j 7352 %s in connection_init make nobody of an anonymous caller', async (_, payload) => {
    const answer = await overSocket('subscription { userCreated { id } }', payload);
    expect(answer.codes).toEqual(['UNAUTHENTICATED']);
    expect((await overSocket('{ users { id } }', payload)).codes).toEqual(['UNAUTHENTICATED']);
  });

  it('row 11 claims beside a token do not add to it, and a forged token closes with 4403', async () => {
    const token = await service.token('viewer');
    const payload = { ...bearer(token), roles: ['admin'], jwt: { roles: ['admin'] } };
    expect((await overSocket('subscription { userCreated { id } }', payload)).codes).toEqual(['FORBIDDEN']);
    const unsigned = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${Buffer.from(`{"sub":"admin","roles":["admin"]}`).toString('base64url')}.`;
    expect((await overSocket('{ users { id } }', bearer(unsigned))).closed).toBe(4403);
  });

  it('row 13 GHSA-9q82-xgwf-vj6h GQL-06 a cookie authenticates nobody, and text/plain changes nothing', async () => {
    const token = await service.token('admin');
    const cookie = `token=${token}; access_token=${token}; session=${token}`;
    const query = encodeURIComponent('{ users { id } }');
    const get = await service.fetch(`/graphql?query=${query}`, { headers: { 'content-type': 'text/plain', cookie } });
    expect(get.text).not.toContain(ids.admin);
    if (get.status === 200) expect(get.body.errors[0].extensions.code).toBe('UNAUTHENTICATED');
    const mutation = encodeURIComponent('mutation { createPost(title: "x", content: "x") { id } }');
    expect(
      (await service.fetch(`/graphql?query=${mutation}`, { headers: { 'content-type': 'text/plain', cookie } })).status,
    ).toBe(405);
    const post = await service.fetch('/graphql', {
      method: 'POST',
      headers: { 'content-type': 'text/plain', cookie },
      body: '{"query":"{ users { id } }"}',
    });
    expect(post.status).toBe(415);
  });

  it('row 16 GHSA-6q22-g298-grjh aliases of one field are capped, whatever they ask', async () => {
    const many = `{ ${Array.from({ length: 200 }, (_, n) => `a${n}: __typename`).join(' ')} }`;
    expect((await service.graphql(many)).status).toBe(400);
    expect((await overSocket(many)).codes).toEqual(['BAD_USER_INPUT']);
  });

  it('row 17 GHSA-56p6-qw3c-fq2g a suspended user is nobody at once, by HTTP and by WebSocket', async () => {
    const { id, token } = await service.newcomer();
    const query = `{ user(id: "${id}") { id } }`;
    expect((await service.graphql(query, token)).body.data.user.id).toBe(id);
    const suspended = await service.fetch(`/api/users/${id}`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json', ...bearer(await service.token('admin')) },
      body: '{"disabled":true}',
    });
    expect(suspended.status).toBe(200);
    const answer = await service.graphql(query, token);
    expect([answer.status, challengeOf(answer)]).toEqual([401, 'Bearer error="invalid_token"']);
    expect((await overSocket(query, bearer(token))).closed).toBe(4403);
  });

  it('GQL-15 other methods than GET and POST are 405, and say which would do', async () => {
    for (const method of ['PUT', 'DELETE', 'PATCH']) {
      const answer = await service.fetch('/graphql', { method });
      expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, POST']);
    }
  });

  it.each(['limit: -1', 'limit: 2147483647', 'offset: -5'])('GQL-12 users(%s) is BAD_USER_INPUT', async (args) => {
    const { body } = await service.graphql(`{ users(${args}) { id } }`, await service.token('admin'));
    expect(body.errors[0].extensions.code).toBe('BAD_USER_INPUT');
  });
});
