import diagnostics from 'node:diagnostics_channel';
import { MapperKind, mapSchema } from '@graphql-tools/utils';
import {
  DECISION_CHANNEL,
  type Decision,
  type DecisionEvent,
  isDoorwardError,
  isPromise,
  type MaybePromise,
} from 'doorward';
import { type CanOptions, can, type ProtectSchemaOptions, protectSchema, visibleSchema } from 'doorward/graphql';
import { GraphQLObjectType, type GraphQLResolveInfo, type GraphQLSchema, graphqlSync, parse, subscribe } from 'graphql';
import { describe, expect, test } from 'vitest';
import {
  admin,
  anonymous,
  ask,
  build,
  contextOf,
  editor,
  nobody,
  principal,
  protectedSchema,
  roleTable,
  type TestContext,
  viewer,
} from './support.ts';

type Who = typeof viewer | undefined;
type Options = Partial<ProtectSchemaOptions<TestContext>>;

/** A resolver that keeps the `info` it got. */
function probing() {
  let seen: GraphQLResolveInfo | undefined;
  return {
    resolve: (_: unknown, __: unknown, ___: unknown, info: GraphQLResolveInfo): string => {
      seen = info;
      return 'probe';
    },
    infoOf(schema: GraphQLSchema): GraphQLResolveInfo {
      graphqlSync({ schema, source: '{ probe }', contextValue: contextOf(viewer) });
      if (seen === undefined) throw new Error('the probe was not resolved');
      return seen;
    },
  };
}

/** Asks `can` on a schema with a public field `probe`. */
function asking(typeDefs: string, options: Options = {}) {
  const probe = probing();
  const schema = protectedSchema(
    [typeDefs, 'extend type Query { probe: String @public }'],
    { Query: { probe: probe.resolve } },
    options,
  );
  const info = probe.infoOf(schema);
  return (who: Who, coordinate: string, about?: CanOptions): MaybePromise<Decision> =>
    can(info, contextOf(who), coordinate, about);
}

function problemOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (isDoorwardError(error) && error.code === 'CONFIG_INVALID') return error.message;
    throw error;
  }
  return 'no error';
}

describe('row 5 a resolver that hands on what another field guards', () => {
  const typeDefs = `
    type Query { user: User }
    type User { id: ID! name: String email: String @auth(rule: { any: [{ owner: "id" }, { role: "admin" }] }) display: String }
  `;
  const user = { id: 'v1', name: 'V', email: 'v@example.org' };
  const display = async (parent: typeof user, _: unknown, context: TestContext, info: GraphQLResolveInfo) => {
    const { allowed } = await can(info, context, 'User.email', { parent });
    return allowed ? parent.email : parent.name;
  };
  const resolvers = { Query: { user: () => user }, User: { display } };

  test('shows it to those only to whom the guard would', async () => {
    const schema = protectedSchema(typeDefs, resolvers);
    for (const [who, expected] of [
      [viewer, user.email],
      [admin, user.email],
      [editor, user.name],
      [anonymous, user.name],
    ] as const) {
      const { data, errors } = await ask(schema, who, '{ user { display } }');
      expect(errors).toEqual([]);
      expect(data).toEqual({ user: { display: expected } });
    }
  });

  test('asks by the type of the schema, whatever the document calls it', async () => {
    const schema = protectedSchema(typeDefs, resolvers);
    const { text } = await ask(schema, editor, '{ email: user { id: display } }');
    expect(text).not.toContain('example.org');
  });
});

describe('what the guard would decide', () => {
  const typeDefs = `
    type Query {
      open: String
      admins: String @auth(roles: ["admin"])
      post(id: ID, kind: String @auth(roles: ["admin"])): Post @auth(owner: "id")
      needs(id: ID! @auth(roles: ["admin"])): String
      defaulted(id: ID = "x" @auth(roles: ["admin"])): String
      nested(input: In): String
      posts: [Post] @auth(policy: [["visible"]], from: RESULT, onDeny: FILTER)
      deep: [[Post]] @auth(policy: [["visible"]], from: RESULT, onDeny: NULL)
      own: Post @auth(owner: "authorId", from: RESULT)
      recent: String @auth(maxAge: 60)
      hidden: String @auth(roles: ["admin"], onDeny: NULL)
      masked: String @auth(roles: ["admin"], onDeny: MASK)
      later: String @auth(policy: [["later"]])
      fails: String @auth(policy: [["fails"]])
      notFails: String @auth(rule: { not: { policy: "fails" } })
      secrets: Secret
    }
    input In { title: String deep: In authorId: ID @auth(owner: "authorId") }
    interface Titled { title: String @auth(roles: ["editor"]) }
    type Post implements Titled { title: String authorId: ID body: String @auth(owner: "authorId") }
    type Secret @auth(roles: ["admin"]) { value: String }
  `;
  const options: Options = {
    policies: {
      visible: ({ result }) => (result as { hidden?: boolean } | null | undefined)?.hidden !== true,
      later: async ({ principal }) => principal.id === 'v1',
      fails: () => {
        throw new Error('secret');
      },
    },
    masks: { 'Query.masked': () => '***' },
  };
  const decide = asking(typeDefs, options);
  const allowed = async (who: Who, coordinate: string, about?: CanOptions): Promise<boolean> =>
    (await decide(who, coordinate, about)).allowed;

  test.each<[string, Who, CanOptions | undefined, boolean]>([
    ['Query.open', anonymous, undefined, true],
    ['Query.probe', anonymous, undefined, true],
    ['Query.admins', admin, undefined, true],
    ['Query.admins', viewer, undefined, false],
    ['Query.admins', anonymous, undefined, false],
    ['Query.hidden', viewer, undefined, false],
    ['Query.hidden', admin, undefined, true],
    ['Query.masked', viewer, undefined, false],
    ['Query.masked', admin, undefined, true],
    ['Query.recent', viewer, undefined, false],
    ['Query.later', viewer, undefined, true],
    ['Query.later', editor, undefined, false],
    ['Query.fails', admin, undefined, false],
    ['Query.notFails', admin, undefined, false],
    // The type that is returned, the interface, and its field.
    ['Query.secrets', viewer, undefined, false],
    ['Query.secrets', admin, undefined, true],
    ['Secret.value', viewer, { parent: {} }, false],
    ['Post.title', viewer, { parent: {} }, false],
    ['Post.title', editor, { parent: {} }, true],
    // The parent.
    ['Post.body', viewer, { parent: { authorId: 'v1' } }, true],
    ['Post.body', viewer, { parent: { authorId: 'x' } }, false],
    ['Post.body', viewer, {}, false],
    ['Post.body', viewer, undefined, false],
    ['Post.body', viewer, { args: { authorId: 'v1' } }, false],
    // Arguments and input.
    ['Query.post', viewer, { args: { id: 'v1' } }, true],
    ['Query.post', viewer, { args: { id: 'x' } }, false],
    ['Query.post', viewer, undefined, false],
    ['Query.post', viewer, { args: { id: 'v1', kind: 'k' } }, false],
    ['Query.post', viewer, { args: { id: 'v1', kind: null } }, false],
    ['Query.post', principal('v1', 'admin'), { args: { id: 'v1', kind: 'k' } }, true],
    ['Query.nested', viewer, undefined, true],
    ['Query.nested', anonymous, { args: { input: { title: 't' } } }, true],
    ['Query.nested', viewer, { args: { input: { deep: { authorId: 'x' } } } }, false],
    ['Query.nested', viewer, { args: { input: { deep: { authorId: 'v1' } } } }, true],
    ['Query.nested', anonymous, { args: { input: { authorId: 'v1' } } }, false],
    // Arguments that are left out, and are there all the same when the field is asked for.
    ['Query.needs', viewer, undefined, false],
    ['Query.needs', admin, undefined, true],
    ['Query.defaulted', viewer, { args: {} }, false],
    ['Query.defaulted', anonymous, undefined, false],
    ['Query.defaulted', admin, undefined, true],
    // Results.
    ['Query.own', viewer, { result: { authorId: 'v1' } }, true],
    ['Query.own', viewer, { result: { authorId: 'x' } }, false],
    ['Query.own', viewer, { result: Promise.resolve({ authorId: 'v1' }) }, true],
    ['Query.own', viewer, { result: Promise.resolve({ authorId: 'x' }) }, false],
    ['Query.own', anonymous, { result: { authorId: 'v1' } }, false],
    ['Query.posts', viewer, { result: [{ hidden: false }, {}] }, true],
    ['Query.posts', viewer, { result: [{ hidden: false }, { hidden: true }] }, false],
    ['Query.posts', viewer, { result: new Set([{ hidden: true }]) }, false],
    ['Query.posts', viewer, { result: { hidden: true } }, false],
    ['Query.posts', viewer, { result: { hidden: false } }, true],
    ['Query.posts', viewer, { result: [{ hidden: false }, null] }, false],
    ['Query.deep', viewer, { result: [[{ hidden: false }], [{ hidden: true }]] }, false],
    ['Query.deep', viewer, { result: [[{ hidden: false }], []] }, true],
    ['Query.posts', viewer, {}, false],
    ['Query.posts', viewer, { result: null }, false],
    ['Query.posts', viewer, { result: Promise.resolve(undefined) }, false],
  ])('of %s, for %o and %o', async (coordinate, who, about, expected) => {
    expect(await allowed(who, coordinate, about)).toBe(expected);
  });

  test('is at once what can be decided at once', () => {
    const answers = [
      decide(admin, 'Query.admins'),
      decide(viewer, 'Query.own', { result: { authorId: 'v1' } }),
      decide(viewer, 'Post.body', { parent: { authorId: 'x' } }),
    ];
    expect(answers.map(isPromise)).toEqual([false, false, false]);
    expect(isPromise(decide(viewer, 'Query.later'))).toBe(true);
  });

  test.each<[string, CanOptions | undefined, string]>([
    ['Query.admins', undefined, 'no_permission'],
    ['Query.recent', undefined, 'insufficient_user_authentication'],
    ['Query.fails', undefined, 'error'],
    ['Post.body', undefined, 'undefined_decision'],
    ['Query.own', undefined, 'undefined_decision'],
    ['Query.post', { args: { id: 'x' } }, 'rule'],
  ])('says why: %s', async (coordinate, about, reason) => {
    expect((await decide(viewer, coordinate, about)).reason).toBe(reason);
  });

  test('says that the login is too old only when nothing else denies', async () => {
    const strict = asking('type Query { a: String @auth(maxAge: 60, roles: ["admin"]) }');
    expect((await strict(viewer, 'Query.a')).reason).toBe('no_permission');
    expect((await strict(admin, 'Query.a')).reason).toBe('insufficient_user_authentication');
  });

  test('of fields without rules follows what becomes of those', async () => {
    const closed = asking('type Query { a: String }', { unprotected: 'deny', onUnprotected: () => {} });
    expect((await closed(admin, 'Query.a')).allowed).toBe(false);
    expect((await closed(anonymous, 'Query.a')).allowed).toBe(false);
    expect((await closed(anonymous, 'Query.probe')).allowed).toBe(true);
  });

  test('keeps to the rules that a field had when the schema was protected', async () => {
    const probe = probing();
    const schema = protectedSchema(
      'type Query { probe: String @public user: User } type User { id: ID email: String @auth(roles: ["admin"]) }',
      { Query: { probe: probe.resolve } },
    );
    const renamed = mapSchema(schema, {
      [MapperKind.OBJECT_TYPE]: (type) =>
        type.name === 'User' ? new GraphQLObjectType({ ...type.toConfig(), name: 'Person' }) : type,
    });
    const lacking = mapSchema(schema, {
      [MapperKind.OBJECT_FIELD]: (config, name) => (name === 'email' ? null : config),
    });
    for (const [after, coordinate] of [
      [renamed, 'Person.email'],
      [lacking, 'User.email'],
    ] as const) {
      const info = probe.infoOf(after);
      expect((await can(info, contextOf(viewer), coordinate, { parent: {} })).allowed).toBe(false);
      expect((await can(info, contextOf(admin), coordinate, { parent: {} })).allowed).toBe(true);
    }
  });

  test('is the same in a schema that hides the field', async () => {
    const schema = protectedSchema(
      'type Query { user: User } type User { name: String email: String @auth(roles: ["admin"]) }',
      {
        Query: { user: () => ({ email: 'x@example.org' }) },
        User: {
          name: async (parent: { email: string }, _: unknown, context: TestContext, info: GraphQLResolveInfo) =>
            (await can(info, context, 'User.email', { parent })).allowed ? parent.email : 'hidden',
        },
      },
    );
    for (const [who, name] of [
      [viewer, 'hidden'],
      [anonymous, 'hidden'],
      [admin, 'x@example.org'],
    ] as const) {
      const visible = await visibleSchema(schema, who);
      expect(await ask(visible, who, '{ user { name } }')).toMatchObject({ data: { user: { name } }, errors: [] });
    }
  });

  test('has nobody in a context that says nobody', async () => {
    const probe = probing();
    const info = probe.infoOf(
      protectedSchema('type Query { probe: String @public a: String @auth }', { Query: { probe: probe.resolve } }),
    );
    for (const auth of [undefined, null, {}, { principal: null }, { principal: 'admin' }]) {
      expect((await can(info, { auth }, 'Query.a')).allowed).toBe(false);
    }
    expect((await can(info, undefined, 'Query.a')).allowed).toBe(false);
    expect((await can(info, contextOf(nobody), 'Query.a')).allowed).toBe(true);
  });
});

describe('a question that cannot be meant', () => {
  const decide = asking('type Query { a: I b: String } interface I { x: String } type A implements I { x: String }');

  test.each([
    'Query.nope',
    'Nope.a',
    'Query',
    '',
    'I.x',
    'Query.a.x',
    'Query.__typename',
    'Query.constructor',
    'String.a',
  ])('about %s', (coordinate) => {
    expect(problemOf(() => decide(admin, coordinate))).toBe(
      `${coordinate} is no field of an object type of the schema`,
    );
  });

  test('with an option that is none, or of a schema that is not protected', () => {
    expect(problemOf(() => decide(admin, 'Query.b', { arg: {} } as CanOptions))).toBe('arg is not a known option');
    const probe = probing();
    const info = probe.infoOf(build('type Query { probe: String }', { Query: { probe: probe.resolve } }));
    expect(problemOf(() => can(info, contextOf(admin), 'Query.probe'))).toBe('schema is not protected');
  });
});

describe('decisions of can', () => {
  test('are remembered and published as those of the guard are', async () => {
    const events: DecisionEvent[] = [];
    const listen = (event: unknown): void => void events.push(event as DecisionEvent);
    diagnostics.subscribe(DECISION_CHANNEL, listen);
    const pdp = roleTable();
    const asked: boolean[] = [];
    const schema = protectSchema(
      build('type Query { a: String b: String @auth(permissions: ["read"]) }', {
        Query: {
          a: async (_: unknown, __: unknown, context: TestContext, info: GraphQLResolveInfo) => {
            asked.push((await can(info, context, 'Query.b')).allowed, (await can(info, context, 'Query.b')).allowed);
          },
        },
      }),
      { pdp },
    );
    try {
      await ask(schema, viewer, '{ a b }');
      await ask(schema, nobody, '{ a }');
    } finally {
      diagnostics.unsubscribe(DECISION_CHANNEL, listen);
    }
    expect(asked).toEqual([true, true, false, false]);
    expect(pdp.asked).toEqual(['read', 'read']);
    const told = events.map(({ point, decision }) => [point, decision.allowed]);
    expect(told).toEqual([
      ['Query.b', true],
      ['Query.b', false],
    ]);
  });

  test('are made anew for every event of a subscription', async () => {
    let roles = ['admin'];
    const seen: boolean[] = [];
    const schema = protectedSchema(
      'type Query { a: String @auth(roles: ["admin"]) } type Subscription { s: Int @auth }',
      {
        Subscription: {
          s: {
            async *subscribe() {
              yield 1;
              roles = [];
              yield 2;
            },
            resolve: async (event: number, _: unknown, context: TestContext, info: GraphQLResolveInfo) => {
              seen.push((await can(info, context, 'Query.a')).allowed);
              return event;
            },
          },
        },
      },
    );
    const auth = {
      principal: principal('s1', ...roles),
      environment: () => ({ time: 0 }),
      reauthenticate: () => principal('s1', ...roles),
    };
    const stream = await subscribe({ schema, document: parse('subscription { s }'), contextValue: { auth } });
    if (!(Symbol.asyncIterator in stream)) throw new Error('no stream');
    for await (const event of stream) expect(event.errors).toBeUndefined();
    expect(seen).toEqual([true, false]);
  });

  test('never tell a caller what went wrong', async () => {
    const errors: unknown[] = [];
    const decide = asking('type Query { a: String @auth(policy: [["fails"]]) }', {
      policies: { fails: () => Promise.reject(new Error('secret')) },
      onError: (error) => errors.push(error),
    });
    const decision = await decide(viewer, 'Query.a');
    expect(JSON.stringify(decision)).not.toContain('secret');
    expect(errors).toEqual([new Error('secret')]);
  });
});
