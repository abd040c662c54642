import diagnostics from 'node:diagnostics_channel';
import { DECISION_CHANNEL, deny, type Principal } from 'doorward';
import { type AccessMatrix, type AccessMatrixOptions, accessMatrix, matrixAsMarkdown } from 'doorward/graphql';
import fc from 'fast-check';
import { getNamedType, isCompositeType, isObjectType } from 'graphql';
import { describe, expect, test } from 'vitest';
import { executeOn, object, root, somePrincipal, someRules, world } from './small-world.ts';
import { ask, build, principal, protectedSchema, roleTable } from './support.ts';

const typeDefs = `
  type Query {
    open: Int
    posts(drafts: Boolean @auth(requires: "editor"), page: Int): [Post!] @auth(permissions: ["read"])
    hit: Hit
    vault: Int @auth(requires: "admin", maxAge: 60)
    strong: Int @auth(acr: ["aal2"])
    export: Int @auth(scopes: [["export"]])
  }
  type Mutation { write(input: PostInput!): Int }
  type Post { title: String @auth notes: String @auth(owner: "author") audit: Int @auth(rule: { all: [{ role: "admin" }, { owner: "author" }] }, onDeny: NULL) }
  type Secret @auth(requires: "admin") { id: ID }
  union Hit = Post | Secret
  input PostInput { title: String author: ID @auth(permissions: ["manage_users"]) }
`;
const matrixOf = async (options: AccessMatrixOptions, more = {}): Promise<AccessMatrix> =>
  accessMatrix(protectedSchema(typeDefs, {}, more), options);

describe('accessMatrix', () => {
  test('tells for each role and field: allowed, denied, or depending on what is not known yet', async () => {
    const matrix = await matrixOf({ roles: ['admin', 'viewer'], principals: { anonymous: undefined } });
    const row = (admin: string, viewer: string, anonymous = 'deny') => ({ admin, viewer, anonymous });
    expect(matrix).toEqual({
      'Mutation.write': row('allow', 'conditional', 'conditional'),
      'Post.audit': row('conditional', 'deny'),
      'Post.notes': row('conditional', 'conditional'),
      'Post.title': row('allow', 'allow'),
      'PostInput.author': row('allow', 'deny'),
      'Query.export': row('conditional', 'conditional'),
      'Query.hit': row('allow', 'conditional', 'conditional'),
      'Query.open': row('allow', 'allow', 'allow'),
      'Query.posts': row('conditional', 'conditional'),
      'Query.posts(drafts:)': row('deny', 'deny'),
      'Query.strong': row('conditional', 'conditional'),
      'Query.vault': row('conditional', 'deny'),
      'Secret.id': row('allow', 'deny'),
    });
    expect(JSON.parse(JSON.stringify(matrix))).toEqual(matrix);
  });

  test('of a principal all is known but how old the login will be', async () => {
    const session = { id: 's', tokenId: 't', authTime: 0, expiresAt: 9, amr: [] };
    const client = { ...principal('c', 'admin'), scopes: ['export'] };
    const strong: Principal = { ...principal('u', 'admin'), session: { ...session, acr: 'aal2' } };
    const matrix = await matrixOf({ principals: { client, strong } });
    expect(matrix['Query.export']).toEqual({ client: 'allow', strong: 'deny' });
    expect(matrix['Query.strong']).toEqual({ client: 'deny', strong: 'allow' });
    expect(matrix['Query.vault']).toEqual({ client: 'deny', strong: 'conditional' });
  });

  test('where the decision point fails, nothing is claimed', async () => {
    for (const decide of [() => deny('timeout'), () => Promise.reject(new Error('down'))]) {
      const matrix = await matrixOf({ roles: ['viewer'] }, { pdp: { decide } });
      expect(matrix['PostInput.author']).toEqual({ viewer: 'conditional' });
      expect(matrix['Query.vault']).toEqual({ viewer: 'deny' });
    }
  });

  test('where nothing is allowed without a rule, the rest is denied to all', async () => {
    const matrix = await matrixOf({ roles: ['admin'] }, { unprotected: 'deny', onUnprotected: () => {} });
    expect(matrix['Query.open']).toEqual({ admin: 'deny' });
  });

  test('asks the decision point once for each permission and caller, and publishes nothing', async () => {
    const pdp = roleTable();
    const published: unknown[] = [];
    const listen = (event: unknown): number => published.push(event);
    diagnostics.subscribe(DECISION_CHANNEL, listen);
    const given = principal('v', 'viewer');
    await matrixOf({ roles: ['admin'], principals: { given } }, { pdp });
    diagnostics.unsubscribe(DECISION_CHANNEL, listen);
    // A role is two callers: one whose client was granted nothing, and one without such a client.
    expect(pdp.asked.toSorted()).toEqual([...Array(3).fill('manage_users'), ...Array(3).fill('read')]);
    expect(published).toEqual([]);
  });

  test('leaves nothing behind that a request of the same principal object would be decided by', async () => {
    const pdp = roleTable();
    const schema = protectedSchema(typeDefs, { Query: { posts: () => [] } }, { pdp });
    const given = principal('v', 'viewer');
    // The very object that the operation has.
    await accessMatrix(schema, { principals: { given } });
    pdp.asked.length = 0;
    await ask(schema, given, '{ posts { title } }');
    expect(pdp.asked).toEqual(['read']);
  });

  test.each<[string, unknown, string]>([
    ['no column', {}, 'roles or principals must name a column'],
    ['an unknown option', { role: ['x'] }, 'role is not a known option'],
    ['two columns of one name', { roles: ['x'], principals: { x: undefined } }, 'different names'],
    ['roles that are none', { roles: 'admin' }, 'roles must be strings'],
    ['a role that the decision point does not know', { roles: ['viewr'] }, 'does not know: viewr'],
    ['principals that are none', { principals: [principal('x')] }, 'principals must be a plain object'],
  ])('refuses %s', (_, options, problem) => {
    expect(() => accessMatrix(protectedSchema(typeDefs), options as AccessMatrixOptions)).toThrow(problem);
  });

  test('refuses a schema that is not protected', () => {
    expect(() => accessMatrix(build(typeDefs), { roles: ['x'] })).toThrow('schema is not protected');
  });

  test('as Markdown for people', async () => {
    const table = matrixAsMarkdown(
      await matrixOf({ roles: ['admin'], principals: { 'view|er': principal('v', 'nobody') } }),
    );
    expect(table.split('\n').slice(0, 4)).toEqual([
      '|  | admin | view\\|er |',
      '| --- | --- | --- |',
      '| Mutation.write | allow | conditional |',
      '| Post.audit | conditional | deny |',
    ]);
  });
});

test('agrees with execution: what it allows is never denied, what it denies never gets a value', async () => {
  const seen = { allow: 0, deny: 0, conditional: 0 };
  await fc.assert(
    fc.asyncProperty(someRules, somePrincipal, fc.boolean(), async (rules, who, isAsync) => {
      const schema = world(rules, isAsync);
      const matrix = await accessMatrix(schema, { principals: { who }, environment: { time: 0 } });
      for (const type of Object.values(schema.getTypeMap()).filter(isObjectType)) {
        if (type.name.startsWith('__')) continue;
        for (const field of Object.values(type.getFields())) {
          const coordinate = `${type.name}.${field.name}`;
          const access = matrix[coordinate]?.who ?? 'missing';
          const selection = isCompositeType(getNamedType(field.type)) ? '{ __typename }' : '';
          const values: boolean[] = [];
          for (const args of argumentsOf(coordinate)) {
            for (const n of [0, 1, 2, 3]) {
              const value = type.name.length === 1 ? object(type.name as 'A', n) : root(n);
              const { data, errors } = await executeOn(schema, type.name, [
                `{ v: ${field.name}${args}${selection} }`,
                value,
                who,
              ]);
              const { v } = (data ?? { v: null }) as { v: unknown };
              const isShown = v !== null && !(Array.isArray(v) && v.every((item) => item === null));
              values.push(isShown && errors.length === 0);
              // Of a list some items may be shown beside the errors of others.
              if (access === 'deny') expect([coordinate, isShown]).toEqual([coordinate, false]);
            }
          }
          seen[access as keyof typeof seen]++;
          if (access === 'allow') expect([coordinate, values]).toEqual([coordinate, values.map(() => true)]);
        }
      }
    }),
    { numRuns: 40 },
  );
  expect(Math.min(seen.allow, seen.deny, seen.conditional)).toBeGreaterThan(20);
});

function argumentsOf(coordinate: string): readonly string[] {
  if (coordinate === 'Query.args') {
    return [
      '',
      '(in: { r: 1 })',
      '(in: { p: 1, r: 1, q: { r: 2, k: 5 } })',
      '(k: 2)',
      '(opt: { o: 1 })',
      '(opt: {}, k: null)',
    ];
  }
  if (coordinate === 'Mutation.m') return ['(in: { r: 1 })', '(in: { r: 1, p: 2, k: 3, q: { r: 4 } })'];
  return coordinate.endsWith('.f') ? ['', '(n: 1)', '(n: null)'] : [''];
}
