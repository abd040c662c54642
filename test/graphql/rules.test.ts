import { allow, deny, type PolicyDecisionPoint, type Principal } from 'doorward';
import type { Policies } from 'doorward/graphql';
import { graphql } from 'graphql';
import { describe, expect, test } from 'vitest';
import { admin, anonymous, ask, editor, principal, protectedSchema, type TestContext, viewer } from './support.ts';

const policies: Policies<TestContext> = {
  yes: () => true,
  no: () => false,
  a: ({ principal }) => principal.roles.includes('a'),
  b: ({ principal }) => principal.roles.includes('b'),
  throws: () => {
    throw new Error('policy store is down');
  },
  rejects: () => Promise.reject(new Error('policy store is down')),
  later: () => Promise.resolve(true),
  never: () => new Promise<boolean>(() => {}),
};

async function isAllowed(directives: string, who: Principal | undefined = viewer): Promise<boolean> {
  const schema = protectedSchema(
    `type Query { secret: String ${directives} }`,
    { Query: { secret: () => 'SECRET' } },
    { policies, policyTimeoutMs: 20 },
  );
  const answer = await ask(schema, who, '{ secret }');
  expect(answer.errors).toEqual(answer.text.includes('SECRET') ? [] : ['secret: FORBIDDEN']);
  return answer.text.includes('SECRET');
}

describe('arguments of @auth', () => {
  const scoped = { ...viewer, scopes: ['x', 'y'] };
  test.each<[string, Principal, boolean]>([
    ['@auth', viewer, true],
    ['@authenticated', viewer, true],
    ['@auth(requires: "viewer")', viewer, true],
    ['@auth(requires: "admin")', viewer, false],
    ['@auth(roles: ["admin", "viewer"])', viewer, true],
    ['@auth(roles: ["admin", "editor"])', viewer, false],
    ['@auth(permissions: ["read"])', viewer, true],
    ['@auth(permissions: ["read", "update"])', viewer, false],
    ['@auth(permissions: ["read", "update"])', editor, true],
    ['@auth(scopes: [["x", "y"]])', scoped, true],
    ['@auth(scopes: [["z"], ["x"]])', scoped, true],
    ['@auth(scopes: [["x", "z"]])', scoped, false],
    ['@auth(scopes: [["x"]])', viewer, false],
    ['@auth(policy: [["yes"]])', viewer, true],
    ['@auth(policy: [["no"], ["yes"]])', viewer, true],
    ['@auth(policy: [["yes", "no"]])', viewer, false],
    ['@auth(requires: "viewer", permissions: ["update"])', viewer, false],
    ['@auth(requires: "viewer", policy: [["no"]])', viewer, false],
    ['@auth(rule: { role: "viewer" })', viewer, true],
    ['@auth(rule: { scope: "x" })', scoped, true],
    ['@auth(rule: { any: [{ permission: "delete" }, { policy: "yes" }] })', viewer, true],
    ['@auth(rule: { all: [{ permission: "read" }, { policy: "no" }] })', viewer, false],
    ['@auth(rule: { not: { role: "viewer" } })', viewer, false],
    ['@auth(rule: { not: { role: "admin" } })', viewer, true],
    ['@auth(rule: { all: [{ any: [{ role: "viewer" }] }, { not: { not: { permission: "read" } } }] })', viewer, true],
  ])('%s: %#', async (directives, who, expected) => {
    expect(await isAllowed(directives, who)).toBe(expected);
  });

  test('a rule that holds for everyone but someone does not hold for an anonymous caller', async () => {
    const schema = protectedSchema('type Query { secret: String @auth(rule: { not: { role: "admin" } }) }');
    expect((await ask(schema, anonymous, '{ secret }')).errors).toEqual(['secret: UNAUTHENTICATED']);
  });
});

describe('rules add up', () => {
  const onlyA = principal('x', 'a');
  const both = principal('x', 'a', 'b');

  test('DIR-05 row 6 repeated on one field', async () => {
    expect(await isAllowed('@auth(policy: [["a"]]) @auth(policy: [["b"]])', onlyA)).toBe(false);
    expect(await isAllowed('@auth(policy: [["a"]]) @auth(policy: [["b"]])', both)).toBe(true);
  });

  test('row 6 from two modules', async () => {
    const schema = protectedSchema(
      ['type Query { u: U } type U @auth(policy: [["a"]]) { x: String }', 'extend type U @auth(policy: [["b"]])'],
      { Query: { u: () => ({ x: 'SECRET' }) } },
      { policies },
    );
    expect((await ask(schema, onlyA, '{ u { x } }')).text).not.toContain('SECRET');
    expect((await ask(schema, both, '{ u { x } }')).errors).toEqual([]);
  });

  test('of the type and the field: the field does not replace the type', async () => {
    const schema = protectedSchema(
      'type Query { u: U } type U @auth(requires: "admin") { x: String @auth(requires: "viewer") }',
      { Query: { u: () => ({ x: 'SECRET' }) } },
    );
    expect((await ask(schema, viewer, '{ u { x } }')).text).not.toContain('SECRET');
    expect((await ask(schema, admin, '{ u { x } }')).text).not.toContain('SECRET');
    expect((await ask(schema, principal('x', 'admin', 'viewer'), '{ u { x } }')).errors).toEqual([]);
  });
});

describe('whatever goes wrong is unknown, and unknown never allows', () => {
  const broken = ['throws', 'rejects', 'never'];

  test.each(broken)('DIR-12 row 23 a policy that %s: bare, below not, below any', async (name) => {
    expect(await isAllowed(`@auth(policy: [["${name}"]])`)).toBe(false);
    expect(await isAllowed(`@auth(rule: { not: { policy: "${name}" } })`)).toBe(false);
    expect(await isAllowed(`@auth(rule: { not: { not: { policy: "${name}" } } })`)).toBe(false);
    expect(await isAllowed(`@auth(rule: { not: { all: [{ policy: "${name}" }, { policy: "yes" }] } })`)).toBe(false);
    expect(await isAllowed(`@auth(rule: { not: { any: [{ policy: "${name}" }, { policy: "no" }] } })`)).toBe(false);
    expect(await isAllowed(`@auth(rule: { any: [{ policy: "${name}" }, { policy: "no" }] })`)).toBe(false);
  });

  test.each(broken)('a policy that %s does not change what the others settle', async (name) => {
    expect(await isAllowed(`@auth(rule: { any: [{ policy: "${name}" }, { policy: "yes" }] })`)).toBe(true);
    expect(await isAllowed(`@auth(rule: { not: { all: [{ policy: "${name}" }, { policy: "no" }] } })`)).toBe(true);
  });

  test.each([undefined, null, 'true', 1, {}, [], new Error('no'), { allowed: 'yes' }, Promise.resolve('true')])(
    'DIR-12 an answer that is neither boolean nor decision (%s) does not allow, not even below a not',
    async (answer) => {
      for (const rule of ['{ policy: "odd" }', '{ not: { policy: "odd" } }']) {
        const schema = protectedSchema(
          `type Query { secret: String @auth(rule: ${rule}) }`,
          { Query: { secret: () => 'SECRET' } },
          { policies: { odd: () => answer as never } },
        );
        expect((await ask(schema, viewer, '{ secret }')).errors).toEqual(['secret: FORBIDDEN']);
      }
    },
  );

  test('a policy may answer with a decision', async () => {
    const schema = protectedSchema(
      'type Query { a: String @auth(policy: [["allows"]]) b: String @auth(policy: [["denies"]]) }',
      { Query: { a: () => 'a', b: () => 'SECRET' } },
      { policies: { allows: () => allow('rule'), denies: async () => deny('no_rule') } },
    );
    expect((await ask(schema, viewer, '{ a b }')).errors).toEqual(['b: FORBIDDEN']);
  });

  test.each<[string, PolicyDecisionPoint['decide']]>([
    [
      'throws',
      () => {
        throw new Error('down');
      },
    ],
    ['rejects', () => Promise.reject(new Error('down'))],
    ['answers nonsense', () => true as never],
    ['never answers', () => new Promise(() => {})],
    ['has no answer', () => deny('unavailable')],
  ])('a decision point that %s allows nothing', async (_, decide) => {
    const schema = protectedSchema(
      'type Query { a: String @auth(permissions: ["read"]) b: String @auth(rule: { not: { permission: "read" } }) }',
      { Query: { a: () => 'SECRET', b: () => 'SECRET' } },
      { pdp: { decide }, policyTimeoutMs: 20 },
    );
    expect((await ask(schema, viewer, '{ a b }')).errors).toEqual(['a: FORBIDDEN', 'b: FORBIDDEN']);
  });

  test('an environment that cannot be told denies the rules that need it', async () => {
    const schema = protectedSchema('type Query { a: String @auth(permissions: ["read"]) b: String @auth }', {
      Query: { a: () => 'SECRET', b: () => 'b' },
    });
    const environment = (): never => {
      throw new Error('no clock');
    };
    const result = await graphql({
      schema,
      source: '{ a b }',
      contextValue: { auth: { principal: viewer, environment } },
    });
    expect(result.data).toMatchObject({ a: null, b: 'b' });
  });

  test('an AuthContext that cannot tell the moment is named to the host', async () => {
    const told: string[] = [];
    const schema = protectedSchema(
      'type Query { secret: String @auth(policy: [["ok"]]) }',
      { Query: { secret: () => 'SECRET' } },
      { policies: { ok: () => true }, onError: (error) => told.push((error as Error).message) },
    );
    const { data } = await graphql({ schema, source: '{ secret }', contextValue: { auth: { principal: viewer } } });
    expect(data).toEqual({ secret: null });
    expect(told).toEqual(['auth.environment must be a function']);
  });

  test('errors reach the host with the coordinate, and never the client; a host that throws changes nothing', async () => {
    const told: unknown[] = [];
    const schema = protectedSchema(
      'type Query { secret: String @auth(policy: [["throws"]]) }',
      {},
      {
        policies,
        onError: (error, coordinate) => {
          told.push([(error as Error).message, coordinate]);
          throw new Error('the log is full');
        },
      },
    );
    const { text, errors } = await ask(schema, viewer, '{ secret }');
    expect(errors).toEqual(['secret: FORBIDDEN']);
    expect(text).not.toMatch(/store|log/);
    expect(told).toEqual([['policy store is down', 'Query.secret']]);
  });
});

describe('a policy is told', () => {
  test('who asks, where, with which arguments, of which object, in which context', async () => {
    const seen: unknown[] = [];
    const schema = protectedSchema(
      'type Query { doc(id: ID): Doc } type Doc { id: ID text(part: Int): String @auth(policy: [["look"]]) }',
      { Query: { doc: (_: unknown, { id }: { id: string }) => ({ id, text: 'text' }) } },
      { policies: { look: (input) => seen.push(input) > 0 } },
    );
    await ask(schema, viewer, '{ doc(id: 7) { text(part: 1) } }');
    expect(seen).toMatchObject([
      {
        principal: viewer,
        context: { auth: { principal: viewer } },
        args: { part: 1 },
        parent: { id: '7' },
        resource: { id: '7' },
        result: undefined,
        environment: { time: 0 },
        coordinate: 'Doc.text',
      },
    ]);
  });

  test('DIR-11 every call anew: the same rule on other arguments and other objects is decided again', async () => {
    const schema = protectedSchema(
      `type Query { doc(id: ID): Doc @auth(policy: [["even"]]) docs: [Doc] }
       type Doc { id: ID text: String @auth(policy: [["evenParent"]]) }`,
      {
        Query: {
          doc: (_: unknown, { id }: { id: string }) => ({ id, text: id }),
          docs: () => [1, 2, 3, 4].map((id) => ({ id, text: id })),
        },
      },
      {
        policies: {
          even: ({ args }) => Number(args.id) % 2 === 0,
          evenParent: ({ parent }) => Number((parent as { id: unknown }).id) % 2 === 0,
        },
      },
    );
    const query = '{ a: doc(id: 1) { id } b: doc(id: 2) { id text } c: doc(id: 3) { id } docs { text } }';
    expect((await ask(schema, viewer, query)).data).toEqual({
      a: null,
      b: { id: '2', text: '2' },
      c: null,
      docs: [{ text: null }, { text: '2' }, { text: null }, { text: '4' }],
    });
  });
});

describe('scopes under not', () => {
  /** As `narrowByScopes` answers for an admin whose client was not granted `delete`. */
  const pdp: PolicyDecisionPoint = { decide: () => deny('insufficient_scope', { scope: 'delete' }) };
  test.each([
    '{ not: { permission: "delete" } }',
    '{ not: { any: [{ permission: "delete" }, { role: "nobody" }] } }',
    '{ not: { any: [{ role: "nobody" }, { permission: "delete" }] } }',
    '{ not: { all: [{ permission: "delete" }, { role: "admin" }] } }',
    '{ not: { scope: "delete" } }',
  ])('do not open what the user itself may not see: %s', async (rule) => {
    const schema = protectedSchema(`type Query { secret: String @auth(rule: ${rule}) }`, undefined, { pdp });
    const narrowed = { ...admin, scopes: [] };
    expect((await ask(schema, narrowed, '{ secret }')).errors).toEqual(['secret: FORBIDDEN']);
  });
});
