import diagnostics from 'node:diagnostics_channel';
import { makeExecutableSchema } from '@graphql-tools/schema';
import { AUDIT_CHANNEL, DECISION_CHANNEL, type Principal, type Session } from 'doorward';
import { assertProtected, protectSchema } from 'doorward/graphql';
import { extendSchema, type GraphQLSchema, graphql, parse } from 'graphql';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { anonymous, contextOf, protectedSchema, type Resolvers, roleTable } from './support.ts';

const session = (authTime: number, acr = 'aal1'): Session => ({
  id: 's1',
  tokenId: 't1',
  authTime,
  expiresAt: 9_999,
  amr: ['pwd'],
  acr,
});
const at = (authTime: number, acr?: string, ...roles: readonly string[]): Principal => ({
  id: 'u1',
  roles,
  attributes: {},
  session: session(authTime, acr),
});
/** The clock of these tests stands at 0. */
const fresh = at(0, 'aal2', 'admin');
const old = at(-10_000, 'aal2', 'admin');

interface Shown {
  readonly data: unknown;
  readonly errors: readonly unknown[];
}

async function ask(schema: GraphQLSchema, who: Principal | undefined, source: string): Promise<Shown> {
  const { data, errors = [] } = await graphql({ schema, source, contextValue: contextOf(who) });
  return { data: JSON.parse(JSON.stringify(data ?? null)), errors: errors.map(({ extensions }) => extensions) };
}

function asked(max_age?: number, acr_values?: string): unknown {
  return {
    code: 'UNAUTHENTICATED',
    error: 'insufficient_user_authentication',
    ...(max_age !== undefined && { max_age }),
    ...(acr_values !== undefined && { acr_values }),
  };
}

const protect = (typeDefs: string, resolvers: Resolvers = {}) => protectedSchema(typeDefs, resolvers);

describe('where it may stand', () => {
  const cases: readonly (readonly [string, string, Resolvers, string])[] = [
    [
      'a type',
      'type Query { vault: Vault } type Vault @auth(maxAge: 60) { id: ID }',
      { Query: { vault: () => ({}) } },
      '{ vault { id } }',
    ],
    [
      'an interface',
      'type Query { vault: Vault } interface Safe @auth(maxAge: 60) { id: ID } type Vault implements Safe { id: ID }',
      { Query: { vault: () => ({}) } },
      '{ vault { id } }',
    ],
    [
      'a field of an interface',
      'type Query { vault: Vault } interface Safe { id: ID @auth(maxAge: 60) } type Vault implements Safe { id: ID }',
      { Query: { vault: () => ({ id: '1' }) } },
      '{ vault { id } }',
    ],
    [
      'a member of a union, whose name alone is asked for',
      'type Query { any: Any } union Any = Vault | Other type Vault @auth(maxAge: 60) { id: ID } type Other { id: ID }',
      { Query: { any: () => ({ __typename: 'Vault' }) } },
      '{ any { __typename } }',
    ],
    [
      'an enum',
      'type Query { color: Color } enum Color @auth(maxAge: 60) { RED }',
      { Query: { color: () => 'RED' } },
      '{ color }',
    ],
    ['an argument', 'type Query { a(x: Int @auth(maxAge: 60)): Int }', { Query: { a: () => 1 } }, '{ a(x: 1) }'],
    [
      'an input field, deep inside',
      'type Query { a(x: [Outer]): Int } input Outer { inner: Inner } input Inner { y: Int @auth(maxAge: 60) }',
      { Query: { a: () => 1 } },
      '{ a(x: [{ inner: { y: 1 } }]) }',
    ],
    [
      'an input type',
      'type Query { a(x: In): Int } input In @auth(maxAge: 60) { y: Int }',
      { Query: { a: () => 1 } },
      '{ a(x: {}) }',
    ],
  ];

  it.each(cases)('%s', async (_name, typeDefs, resolvers, source) => {
    const schema = protect(typeDefs, resolvers);
    expect((await ask(schema, old, source)).errors).toEqual([asked(60)]);
    expect((await ask(schema, fresh, source)).errors).toEqual([]);
    expect((await ask(schema, anonymous, source)).errors).toEqual([{ code: 'UNAUTHENTICATED' }]);
  });

  it('an argument that is not given asks for nothing', async () => {
    const schema = protect('type Query { a(x: Int @auth(maxAge: 60)): Int }', { Query: { a: () => 1 } });
    expect(await ask(schema, old, '{ a }')).toEqual({ data: { a: 1 }, errors: [] });
  });

  it('demands add up: the lesser age and the classes that both take are told at once', async () => {
    const schema = protect(
      `type Query { vault: Vault @auth(maxAge: 600, acr: ["aal2", "aal3"]) }
       type Vault @auth(maxAge: 60, acr: ["aal1", "aal2"]) { id: ID }`,
      { Query: { vault: () => ({ id: '1' }) } },
    );
    expect((await ask(schema, at(-60, 'aal1'), '{ vault { id } }')).errors).toEqual([asked(60, 'aal2')]);
    expect((await ask(schema, at(-60, 'aal2'), '{ vault { id } }')).data).toEqual({ vault: { id: '1' } });
  });

  it('the rules of every place that deny with an error come first', async () => {
    const schema = protect(`type Query { a(x: Int @auth(permissions: ["delete"])): Int @auth(maxAge: 60) }`, {
      Query: { a: () => 1 },
    });
    expect((await ask(schema, at(-99, 'aal1', 'viewer'), '{ a(x: 1) }')).errors).toEqual([{ code: 'FORBIDDEN' }]);
    expect((await ask(schema, old, '{ a(x: 1) }')).errors).toEqual([asked(60)]);
  });
});

describe('onDeny', () => {
  const resolvers = { Query: { email: () => 'ada@example.org' } };

  it.each([
    ['NULL', null],
    ['MASK', '***'],
  ])('%s holds for an old login too, and nobody is told of another login', async (onDeny, shown) => {
    const schema = protectedSchema(`type Query { email: String @auth(maxAge: 60, onDeny: ${onDeny}) }`, resolvers, {
      masks: onDeny === 'MASK' ? { 'Query.email': () => '***' } : {},
    });
    expect(await ask(schema, old, '{ email }')).toEqual({ data: { email: shown }, errors: [] });
    expect(await ask(schema, fresh, '{ email }')).toEqual({ data: { email: 'ada@example.org' }, errors: [] });
    expect((await ask(schema, anonymous, '{ email }')).errors).toEqual([{ code: 'UNAUTHENTICATED' }]);
  });

  it('FILTER leaves out the items', async () => {
    const schema = protect('type Query { cards: [String] @auth(maxAge: 60, from: RESULT, onDeny: FILTER) }', {
      Query: { cards: () => ['1', '2'] },
    });
    expect((await ask(schema, old, '{ cards }')).data).toEqual({ cards: [] });
    expect((await ask(schema, fresh, '{ cards }')).data).toEqual({ cards: ['1', '2'] });
  });

  it('a demand that denies with an error goes before NULL, so that it tells nothing of what is hidden', async () => {
    const schema = protect('type Query { a(id: ID): Int @auth(maxAge: 60) @auth(owner: "id", onDeny: NULL) }');
    expect((await ask(schema, old, '{ a(id: "u1") }')).errors).toEqual([asked(60)]);
    expect((await ask(schema, old, '{ a(id: "u2") }')).errors).toEqual([asked(60)]);
    expect((await ask(schema, fresh, '{ a(id: "u2") }')).errors).toEqual([]);
  });
});

describe('events', () => {
  const audits: unknown[] = [];
  const decisions: unknown[] = [];
  const audit = (event: unknown): void => void audits.push(event);
  const decision = (event: unknown): void => void decisions.push(event);
  beforeEach(() => {
    audits.length = decisions.length = 0;
    diagnostics.subscribe(AUDIT_CHANNEL, audit);
    diagnostics.subscribe(DECISION_CHANNEL, decision);
  });
  afterEach(() => {
    diagnostics.unsubscribe(AUDIT_CHANNEL, audit);
    diagnostics.unsubscribe(DECISION_CHANNEL, decision);
  });

  it('one login asked for is one event, however many fields ask', async () => {
    const schema = protect('type Query { a: Int @auth(maxAge: 60) b: Int @auth(maxAge: 60) }', {
      Query: { a: () => 1, b: () => 2 },
    });
    const { data, errors } = await ask(schema, old, '{ x: a y: a b }');
    expect(data).toEqual({ x: null, y: null, b: null });
    expect(errors).toEqual([asked(60), asked(60), asked(60)]);
    expect(audits).toEqual([{ type: 'step_up.required', accountId: 'u1', point: 'Query.a' }]);
    expect(decisions).toMatchObject([{ point: 'Query.a', decision: { allowed: true } }]);
  });

  it('a login that nobody was told of is an ordinary decision', async () => {
    const schema = protect('type Query { a: Int @auth(maxAge: 60, onDeny: NULL) }');
    await ask(schema, old, '{ a }');
    expect(audits).toEqual([]);
    expect(decisions).toMatchObject([
      { decision: { allowed: true } },
      { decision: { allowed: false, reason: 'insufficient_user_authentication' } },
    ]);
  });

  it('a request id of the context is in every event', async () => {
    const schema = protect('type Query { a: Int @auth(maxAge: 60) b: Int @auth(requires: "editor") }');
    const { auth } = contextOf(old);
    await graphql({ schema, source: '{ a b }', contextValue: { auth: { ...auth, requestId: 'r-1' } } });
    expect(audits).toMatchObject([{ requestId: 'r-1' }]);
    expect(decisions).toMatchObject([{ requestId: 'r-1' }, { requestId: 'r-1' }]);
  });
});

describe('what does not build', () => {
  it.each([
    ['maxAge: 0', 'maxAge must be a whole number above 0'],
    ['maxAge: -1', 'maxAge must be a whole number above 0'],
    ['maxAge: null', 'maxAge must be a whole number above 0'],
    ['acr: []', 'acr must name at least one class'],
    ['acr: null', 'acr must name at least one class'],
    ['acr: [""]', 'acr must name at least one class'],
    ['acr: ["aal1 aal2"]', 'acr must name at least one class'],
    ['acr: ["a\\"b"]', 'acr must name at least one class'],
  ])('@auth(%s)', (args, problem) => {
    expect(() => protect(`type Query {\n a: Int @auth(${args})\n}`)).toThrow(problem);
    expect(() => protect(`type Query {\n a: Int @auth(${args})\n}`)).toThrow('Query.a');
  });

  it('classes of which no login can have one for all', () => {
    expect(() => protect('type Query { a: Int @auth(acr: ["aal1"]) @auth(acr: ["aal2"]) }')).toThrow(
      'Query.a has rules with acr of which no login can meet both',
    );
  });

  it('a declaration of your own that graphql-tools would join lists of', () => {
    const own = 'directive @auth(acr: [String!]) on FIELD_DEFINITION';
    expect(() => protectOwn(own, '@auth(acr: ["aal2"])')).toThrow('must be declared repeatable');
    expect(() => protectOwn('directive @auth(maxAge: Int) on FIELD_DEFINITION', '@auth(maxAge: 60)')).not.toThrow();
  });

  it('a demand that was added after the schema was protected', () => {
    const schema = protect('type Query { a: Int @auth(maxAge: 60) }');
    expect(() => assertProtected(schema)).not.toThrow();
    const extended = extendSchema(schema, parse('extend type Query @auth(acr: ["aal2"])'));
    expect(() => assertProtected(extended)).toThrow('Query.a has other rules than when it was protected');
  });
});

function protectOwn(directive: string, applied: string): GraphQLSchema {
  const schema = makeExecutableSchema({ typeDefs: `${directive} type Query { a: Int ${applied} }` });
  return protectSchema(schema, { pdp: roleTable() });
}
