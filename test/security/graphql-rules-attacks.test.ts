import { makeExecutableSchema } from '@graphql-tools/schema';
import { type IResolvers, MapperKind, mapSchema } from '@graphql-tools/utils';
import {
  allow,
  type Decision,
  deny,
  isDoorwardError,
  isIndeterminate,
  narrowByScopes,
  type PolicyDecisionPoint,
  type Principal,
} from 'doorward';
import {
  type AuthContext,
  accessMatrix,
  assertProtected,
  authDirectives,
  type CanOptions,
  can,
  type ProtectSchemaOptions,
  protectSchema,
  visibleSchema,
} from 'doorward/graphql';
import {
  buildASTSchema,
  type GraphQLFieldConfig,
  type GraphQLInputType,
  GraphQLObjectType,
  type GraphQLResolveInfo,
  GraphQLSchema,
  GraphQLString,
  graphql,
  graphqlSync,
  introspectionFromSchema,
  parse,
  validateSchema,
} from 'graphql';
import { describe, expect, test } from 'vitest';
import { processorTime } from '../running-time.ts';

const SECRET = 'hunter2';
const viewer: Principal = { id: 'v1', roles: ['viewer'], attributes: {} };

interface Context {
  readonly auth: AuthContext;
}
type Options = Partial<ProtectSchemaOptions<Context>>;

const nothing: PolicyDecisionPoint = { isSynchronous: true, decide: () => deny('no_permission') };

function contextOf(principal: Principal | undefined): Context {
  return { auth: { principal, environment: () => ({ time: 0 }) } };
}

function guard(schema: GraphQLSchema, options: object = {}): GraphQLSchema {
  return protectSchema<Context>(schema, {
    pdp: nothing,
    policyTimeoutMs: 50,
    ...options,
  } as ProtectSchemaOptions<Context>);
}

function sdl(typeDefs: string, resolvers: IResolvers = {}): GraphQLSchema {
  return makeExecutableSchema({ typeDefs: [authDirectives(), typeDefs], resolvers });
}

/** A schema of one secret field, made without SDL. */
function coded(extensions: Readonly<Record<string, unknown>>): GraphQLSchema {
  const secret: GraphQLFieldConfig<unknown, unknown> = { type: GraphQLString, resolve: () => SECRET, extensions };
  return new GraphQLSchema({ query: new GraphQLObjectType({ name: 'Query', fields: { secret } }) });
}

/** The mistake that building finds, or else what the principal gets to read. */
async function outcome(build: () => GraphQLSchema, principal: Principal | undefined): Promise<string> {
  let schema: GraphQLSchema;
  try {
    schema = build();
  } catch (error) {
    if (isDoorwardError(error) && error.code === 'CONFIG_INVALID') return 'CONFIG_INVALID';
    throw error;
  }
  return JSON.stringify(await graphql({ schema, source: '{ secret }', contextValue: contextOf(principal) }));
}

describe('a rule in extensions.directives that cannot be read', () => {
  const admins = { requires: 'admin' };
  class Rule {
    get requires(): string {
      return 'admin';
    }
  }

  test.each<[string, unknown]>([
    ['a variable that is not set', { auth: undefined }],
    ['a map', { auth: new Map(Object.entries(admins)) }],
    ['a function', { auth: () => admins }],
    ['an object of a class', { auth: new Rule() }],
    ['a number', { auth: 1 }],
    ['nothing in a list of lists', { auth: [[]] }],
    ['one of a list that is not set', { auth: [{ roles: ['viewer'] }, undefined] }],
    ['a map of directives', new Map([['auth', admins]])],
    ['a set of directives', new Set([{ name: 'auth', args: admins }])],
    ['a list of texts', ['@auth(requires: "admin")']],
    ['a list of pairs', [['auth', admins]]],
    ['by name in a list', Object.assign([], { auth: admins })],
    ['by name in what was made to be iterated over', { auth: admins, [Symbol.iterator]: undefined }],
    ['a list with holes', { auth: { permissions: new Array<string>(1) } }],
    ['alternatives with holes', { auth: { scopes: [new Array<string>(1)] } }],
    ['a condition with holes', { auth: { rule: { all: new Array<object>(1) } } }],
  ])('does not open a field: %s', async (_, directives) => {
    expect(await outcome(() => guard(coded({ directives })), viewer)).toBe('CONFIG_INVALID');
  });

  test.each([false, undefined, null, 0, 'no'])('does not make a field public: { public: %s }', async (value) => {
    const build = () => guard(coded({ directives: { public: value } }), { unprotected: 'deny' });
    expect(await outcome(build, undefined)).toBe('CONFIG_INVALID');
  });

  test('a list with holes in the map of rules', async () => {
    const rules = { 'Query.secret': { permissions: new Array<string>(1) } };
    expect(await outcome(() => guard(coded({}), { rules }), viewer)).toBe('CONFIG_INVALID');
  });
});

describe('a directive whose nodes were made by hand', () => {
  const node = (more: object) => ({ kind: 'Directive', name: { kind: 'Name', value: 'auth' }, ...more });
  const withNode = (made: object) => (): GraphQLSchema => {
    const schema = sdl('type Query { secret: String }', { Query: { secret: () => SECRET } });
    const field = schema.getQueryType()?.getFields().secret;
    if (field) field.astNode = { ...field.astNode, directives: [made] } as never;
    return guard(schema);
  };
  const withValue = (value: unknown) =>
    withNode(node({ arguments: [{ kind: 'Argument', name: { kind: 'Name', value: 'roles' }, value }] }));

  test.each<[string, unknown]>([
    ['no value', undefined],
    ['a list without values', { kind: 'ListValue' }],
    ['a list of nothing', { kind: 'ListValue', values: [null] }],
    ['a variable without a name', { kind: 'Variable' }],
    ['a number that no text is made of', { kind: 'IntValue', value: 900n }],
  ])('is refused where it has %s', async (_, value) => {
    expect(await outcome(withValue(value), viewer)).toBe('CONFIG_INVALID');
  });

  test('may have no list of arguments', async () => {
    const build = withNode(node({ arguments: null }));
    expect(await outcome(build, undefined)).not.toContain(SECRET);
    expect(await outcome(build, viewer)).toContain(SECRET);
  });
});

test.each([
  'query: Root mutation: Root',
  'query: Query mutation: Root subscription: Root',
  'query: Root subscription: Root',
])('one type for two kinds of operations, whose rules differ: %s', async (roots) => {
  const typeDefs = `
    schema { ${roots} }
    type Query { ok: Int }
    type Root { charge: Charge @auth(owner: "userId", from: RESULT) }
    type Charge { userId: ID }
  `;
  expect(await outcome(() => guard(sdl(typeDefs)), viewer)).toBe('CONFIG_INVALID');
});

describe('a mistake in the options that would leave everything open', () => {
  const typeDefs =
    'directive @guard(requires: String) on FIELD_DEFINITION type Query { secret: String @guard(requires: "admin") }';
  const schema = makeExecutableSchema({ typeDefs, resolvers: { Query: { secret: () => SECRET } } });

  test.each(['gaurd', '@guard', 'Guard', '', undefined])('directiveName: %s', async (directiveName) => {
    expect(await outcome(() => guard(schema, { directiveName }), viewer)).toBe('CONFIG_INVALID');
  });

  test('unprotected, from a variable that is not set', async () => {
    expect(await outcome(() => guard(coded({}), { unprotected: undefined }), viewer)).toBe('CONFIG_INVALID');
  });

  test('enforce, from a variable that is not set', async () => {
    expect(await outcome(() => guard(coded({}), { enforce: undefined }), viewer)).toBe('CONFIG_INVALID');
  });

  test.each(['auth__', 'auth__required', 'AUTH__v2'])('a directive named after a rule: @%s', async (name) => {
    const build = () =>
      guard(buildASTSchema(parse(`type Query { secret: String @${name} }`), { assumeValidSDL: true }));
    expect(await outcome(build, viewer)).toBe('CONFIG_INVALID');
  });
});

describe('a schema that was changed since', () => {
  test('takes another input than the one that its guard looks into', () => {
    const schema = guard(
      sdl(`
        type Query { a(input: A): String b(input: B): String }
        input A { title: String @auth(requires: "viewer") }
        input B { secret: String @auth(requires: "admin") }
      `),
    );
    const changed = mapSchema(schema, {
      [MapperKind.ARGUMENT]: (config, fieldName, _, whole) =>
        fieldName === 'a' ? { ...config, type: whole.getType('B') as GraphQLInputType } : undefined,
    });
    expect(() => assertProtected(schema)).not.toThrow();
    expect(() => assertProtected(changed)).toThrow('Query.a(input:)');
  });

  test('asks of another input field or argument what no rule was written for', () => {
    const schema = guard(
      sdl('type Query { a(input: A): String } input A { title: String secret: String @auth(requires: "admin") }'),
    );
    const changed = mapSchema(schema, {
      [MapperKind.INPUT_OBJECT_FIELD]: (config, fieldName) =>
        fieldName === 'secret' ? ['hidden', { ...config, astNode: undefined }] : undefined,
    });
    expect(() => assertProtected(changed)).toThrow('A.secret');
  });
});

test('one question that cannot be asked takes no other question with it', async () => {
  const pdp = narrowByScopes(
    { decide: () => allow('permission'), decideAll: async (requests) => requests.map(() => allow('permission')) },
    {
      needs: (action) => {
        if (action === 'broken') throw new Error('no such action');
        return undefined;
      },
    },
  );
  const typeDefs = 'type Query { a: String @auth(permissions: ["broken"]) b: String @auth(permissions: ["read"]) }';
  const schema = guard(sdl(typeDefs, { Query: { a: () => SECRET, b: () => 'b' } }), { pdp });
  const client: Principal = { ...viewer, scopes: [] };
  const { data } = await graphql({ schema, source: '{ a b }', contextValue: contextOf(client) });
  expect(data).toEqual({ a: null, b: 'b' });
});

describe('what a resolver asks', () => {
  const typeDefs = `
    type Query {
      probe: String
      levels(level: Int = 1 @auth(requires: "admin")): String
      found(filter: Filter = { sealedBy: "b" }): String
      dead: Dead
      document(id: ID!): String @auth(policy: [["notSealed"]])
      documents: [Document] @auth(policy: [["notSecret"]], from: RESULT, onDeny: FILTER)
      closed: Document @auth(requires: "admin", policy: [["notSecret"]], from: RESULT)
    }
    input Filter { title: String sealedBy: String @auth(requires: "admin") }
    type Dead { a: String @auth(requires: "admin") }
    type Document { title: String @auth(policy: [["notLocked"]]) }
  `;
  const policies: Options['policies'] = {
    notSealed: ({ args }) => args.id !== 'sealed',
    notSecret: ({ result }) => (result as { secret?: boolean }).secret !== true,
    notLocked: ({ parent }) => (parent as { locked?: boolean } | undefined)?.locked !== true,
  };

  async function infoOf(isVisiblePart: boolean): Promise<GraphQLResolveInfo> {
    let seen: GraphQLResolveInfo | undefined;
    const probe = (_: unknown, __: unknown, ___: unknown, info: GraphQLResolveInfo): void => {
      seen = info;
    };
    const whole = guard(sdl(typeDefs, { Query: { probe } }), { policies });
    const schema = isVisiblePart ? await visibleSchema(whole, viewer) : whole;
    graphqlSync({ schema, source: '{ probe }', contextValue: contextOf(viewer) });
    if (seen === undefined) throw new Error('the probe was not resolved');
    return seen;
  }

  async function asked(coordinate: string, about?: CanOptions, isVisiblePart = false): Promise<Decision> {
    return can(await infoOf(isVisiblePart), contextOf(viewer), coordinate, about);
  }

  test('is the same in a visible schema, which may lack the field', async () => {
    expect((await asked('Query.levels')).allowed).toBe(false);
    expect((await asked('Query.levels', {}, true)).allowed).toBe(false);
    expect(await asked('Query.dead', {}, true)).toEqual(await asked('Query.dead'));
  });

  test('looks into the items of a list that are not there yet', async () => {
    const result = [{ secret: false }, Promise.resolve({ secret: true })];
    expect((await asked('Query.documents', { result })).allowed).toBe(false);
    expect((await asked('Query.documents', { result: [Promise.resolve({})] })).allowed).toBe(true);
    expect((await asked('Query.documents', { result: [Promise.resolve(null)] })).allowed).toBe(false);
  });

  test.each<[string, () => unknown]>([
    ['a stream', async function* () {}],
    ['an error in the list', () => [new Error('gone')]],
    ['an item that fails', () => [Promise.reject(new Error('gone'))]],
    ['a result that fails', () => Promise.reject(new Error('gone'))],
  ])('cannot be decided about what is no result: %s', async (_, load) => {
    const info = await infoOf(false);
    const decision = await can(info, contextOf(viewer), 'Query.documents', { result: load() });
    expect(decision.allowed).toBe(false);
    expect(isIndeterminate(decision)).toBe(true);
  });

  test('does not leave a result that fails to end the process, where it was not needed', async () => {
    const unhandled: unknown[] = [];
    const listener = (reason: unknown): void => void unhandled.push(reason);
    process.on('unhandledRejection', listener);
    try {
      const info = await infoOf(false);
      for (const who of [viewer, undefined]) {
        const result = Promise.reject(new Error('gone'));
        expect((await can(info, contextOf(who), 'Query.closed', { result })).allowed).toBe(false);
      }
      await new Promise((resolve) => setImmediate(resolve));
      expect(unhandled).toEqual([]);
    } finally {
      process.off('unhandledRejection', listener);
    }
  });

  test('is denied where a policy would look at a parent or an argument that is not given', async () => {
    expect((await asked('Document.title', { parent: { locked: false } })).allowed).toBe(true);
    expect((await asked('Document.title')).allowed).toBe(false);
    expect((await asked('Query.document', { args: { id: 'open' } })).allowed).toBe(true);
    expect((await asked('Query.document')).allowed).toBe(false);
    expect((await asked('Query.found', { args: { filter: { title: 'a' } } })).allowed).toBe(true);
    expect((await asked('Query.found')).allowed).toBe(false);
  });
});

describe('what is foretold', () => {
  test('a role that a client may have been granted less of is not always allowed', async () => {
    const decide: PolicyDecisionPoint['decide'] = ({ subject }) =>
      subject.roles.includes('editor') ? allow('permission') : deny('no_permission');
    const pdp = narrowByScopes({ isSynchronous: true, decide });
    const schema = guard(sdl('type Query { secret: String @auth(permissions: ["update"]) }'), { pdp });
    const { 'Query.secret': access } = await accessMatrix(schema, { roles: ['editor', 'viewer'] });
    const client: Principal = { id: 'c1', roles: ['editor'], attributes: {}, scopes: [] };
    const { errors = [] } = await graphql({ schema, source: '{ secret }', contextValue: contextOf(client) });
    expect(errors).toHaveLength(1);
    expect(access).toEqual({ editor: 'conditional', viewer: 'deny' });
  });

  test('in time that grows with the schema, however deep its interfaces are', async () => {
    const names = Array.from({ length: 22 }, (_, index) => `I${index}`);
    const interfaces = names.map((name, index) => {
      const above = index === 0 ? '' : `implements ${names.slice(0, index).join(' & ')}`;
      return `interface ${name} ${above} { id: ID secret(a: Int @auth(requires: "admin")): String @auth(requires: "admin") }`;
    });
    const object = `type T implements ${names.join(' & ')} { id: ID secret(a: Int): String }`;
    const schema = guard(sdl(`type Query { t: T } ${object} ${interfaces.join(' ')}`));
    let visible = schema;
    const spent = await processorTime(async () => {
      visible = await visibleSchema(schema, viewer);
    });
    expect(spent).toBeLessThan(3_000);
    expect(JSON.stringify(introspectionFromSchema(visible))).not.toContain('secret');
  });

  test('is what is decided: a plain no counts more than a scope that is missing', async () => {
    const schema = guard(
      sdl('type Query { secret: String @auth(rule: { not: { all: [{ scope: "s" }, { role: "admin" }] } }) }', {
        Query: { secret: () => 'shown' },
      }),
    );
    const { 'Query.secret': access } = await accessMatrix(schema, { principals: { viewer } });
    const { data } = await graphql({ schema, source: '{ secret }', contextValue: contextOf(viewer) });
    expect(JSON.stringify(data)).toBe('{"secret":"shown"}');
    expect(access).toEqual({ viewer: 'allow' });
  });

  test('a value that is there by default stays one: a visible schema is valid', async () => {
    const schema = guard(
      sdl(`
        type Query { sealing(by: [Seal] = [{ wax: "b" }]): String found(filter: Filter = { title: "a", by: [{ sealed: "b" }] }): String }
        input Filter { title: String by: [By] hidden: String @auth(requires: "admin") }
        input Seal @auth(requires: "admin") { wax: String }
        input By { name: String sealed: String @auth(requires: "admin") hidden: String @auth(requires: "admin") }
      `),
    );
    const visible = await visibleSchema(schema, viewer);
    expect(validateSchema(visible)).toEqual([]);
    const text = JSON.stringify(introspectionFromSchema(visible));
    expect(text).toContain('sealed');
    expect(text).not.toContain('hidden');
  });
});
