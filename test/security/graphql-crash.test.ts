import { allow, type Decision, deny, type PolicyDecisionPoint } from 'doorward';
import { type ProtectSchemaOptions, protectSchema } from 'doorward/graphql';
import { execute, parse } from 'graphql';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { build, contextOf, nobody, principal, type Resolvers } from '../graphql/support.ts';

/**
 * An executor that meets a denial at once, in a list of items that may not be null, leaves the list where it is. Had it
 * left a promise behind that rejects, nobody would listen: an unhandled rejection ends the process, for everybody.
 */
const unhandled: unknown[] = [];
const listen = (error: unknown): void => {
  unhandled.push(error);
};

beforeEach(() => {
  unhandled.length = 0;
  process.on('unhandledRejection', listen);
});
afterEach(() => {
  process.off('unhandledRejection', listen);
});

const refusesLater: PolicyDecisionPoint = {
  decide: () => new Promise<Decision>((resolve) => setImmediate(() => resolve(deny('no_permission')))),
};
const policies: NonNullable<ProtectSchemaOptions['policies']> = {
  yes: () => true,
  no: () => false,
  'first later': async ({ resource }) => (resource as { readonly n: number }).n === 0,
  first: ({ resource }) => (resource as { readonly n: number }).n === 0,
  later: () => new Promise((resolve) => setImmediate(() => resolve(false))),
  odd: ({ resource }) => {
    const isOdd = (resource as { readonly n: number }).n % 2 === 1;
    return isOdd ? false : new Promise((resolve) => setImmediate(() => resolve(false)));
  },
};

async function run(
  sdl: string,
  resolvers: Resolvers,
  source: string,
  options: Partial<ProtectSchemaOptions<unknown, never>> = {},
): Promise<readonly string[]> {
  const schema = protectSchema(build(sdl, resolvers), { pdp: refusesLater, policies, ...options });
  const { errors = [] } = await execute({
    schema,
    document: parse(source),
    contextValue: contextOf(principal('viewer', 'viewer')),
  });
  // Rejections are reported when the turn in which nobody listened is over.
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
  return errors.map(({ path, message, extensions }) => `${path?.join('.')} ${extensions.code ?? message}`);
}

const rows = (...names: readonly string[]) => names.map((__typename, n) => ({ __typename, n, x: 'x', y: 'y' }));
/** Rejects after the denial of the next item. */
const failing = () => new Promise((_, reject) => setImmediate(() => reject(new Error('not there'))));

describe('a denial in a list of items that may not be null leaves no rejection without a listener', () => {
  const objects = (rules: string): string =>
    `type Query { list: [T!]! } type T { n: Int x: String! ${rules} y: String! z: String! @auth(policy: [["no"]]) }`;
  const Query = { list: () => rows('T', 'T', 'T') };

  test.each([
    ['a remote permission', '@auth(permissions: ["read"])'],
    ['an asynchronous policy', '@auth(policy: [["later"]])'],
    ['a policy that answers now or later', '@auth(policy: [["odd"]])'],
    ['a remote decision point', '@auth(policy: [["point"]])'],
  ])('on a field: %s before one that denies at once', async (_, rule) => {
    const point = { action: 'read', resource: () => ({ type: 'T', attributes: {} }), pdp: refusesLater };
    for (const fields of ['x', 'x z', 'z x', 'a: z x b: z', 'x ...{ y } z']) {
      const errors = await run(objects(rule), { Query }, `{ list { ${fields} } }`, {
        policies: { ...policies, point } as never,
      });
      expect(errors.length).toBeGreaterThan(0);
      expect(errors.every((error) => error.endsWith('FORBIDDEN'))).toBe(true);
    }
    expect(unhandled).toEqual([]);
  });

  test('on a field that is denied at once after another resolver has begun to fail', async () => {
    const sdl = `type Query { list: [T!]! } type T { n: Int x: String! z: String! @auth(owner: "n") }`;
    const resolvers = { Query: { list: () => [{ n: 'viewer', z: 'z' }, { n: 'other' }] }, T: { x: failing } };
    const errors = await run(sdl, resolvers, '{ list { z x } }');
    expect(errors).toHaveLength(1);
    expect(unhandled).toEqual([]);
  });

  test('to an anonymous caller, beside a resolver that fails', async () => {
    const sdl = `type Query { list: [U!] } union U = A | B type A { x: String! } type B @auth { x: String! y: String! }`;
    const schema = protectSchema(build(sdl, { Query: { list: () => rows('A', 'B') }, A: { x: failing } }), {
      pdp: refusesLater,
    });
    for (const source of ['{ list { __typename ... on A { x } ... on B { x } } }', '{ list { ... on A { x } } }']) {
      await execute({ schema, document: parse(source), contextValue: contextOf(undefined) });
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    expect(unhandled).toEqual([]);
  });

  test.each([
    ['a union', 'union U = A | B'],
    ['an interface', 'interface U { n: Int }'],
  ])('on %s of which one type is decided later and one at once', async (_, declaration) => {
    const own = declaration.startsWith('interface') ? ' implements U' : '';
    const type = (name: string, rule: string) => `type ${name}${own} ${rule} { n: Int x: String! }`;
    const sdl = `type Query { us: [U!] deep: [[U!]!]! } ${declaration}
      ${type('A', '@auth(permissions: ["read"])')} ${type('B', '@auth(requires: "admin")')}`;
    const resolvers = {
      Query: { us: () => rows('A', 'B', 'A'), deep: () => [rows('A'), rows('B', 'A'), rows('A')] },
    };
    for (const field of ['us', 'deep']) {
      expect(await run(sdl, resolvers, `{ ${field} { __typename } }`)).toHaveLength(1);
      expect(await run(sdl, resolvers, `{ ${field} { __typename ... on A { x } ... on B { x } } }`)).toHaveLength(1);
    }
    expect(unhandled).toEqual([]);
  });

  test('on an object of an interface that may not be null, in an item', async () => {
    const sdl = `type Query { list: [T!]! } type T { u: U! } union U = A | B
      type A @auth(permissions: ["read"]) { x: String! } type B @auth(requires: "admin") { x: String! }`;
    const resolvers = { Query: { list: () => rows('A', 'B', 'A').map((u) => ({ u })) } };
    expect(await run(sdl, resolvers, '{ list { u { __typename } } }')).toHaveLength(1);
    expect(unhandled).toEqual([]);
  });

  test.each([
    ['[T!]', ['ERROR'], () => rows('T', 'T', 'T')],
    ['[[T!]!]!', ['ERROR'], () => [rows('T'), rows('T', 'T'), rows('T', 'T', 'T')]],
    ['[T!]', ['ERROR', 'FILTER'], () => rows('T', 'T', 'T')],
  ])('on what a field of type %s resolves to, denied with %j', async (type, onDeny, list) => {
    const rules = onDeny.map((way) => `@auth(policy: [["odd"]], from: RESULT, onDeny: ${way})`).join(' ');
    const sdl = `type Query { list: ${type} ${rules} } type T { n: Int x: String! y: String! @auth(policy: [["no"]]) }`;
    for (const fields of ['n', 'y', 'x']) {
      const errors = await run(sdl, { Query: { list } }, `{ list { ${fields} } }`);
      expect(errors.length).toBeGreaterThan(0);
    }
    expect(unhandled).toEqual([]);
  });

  test('on an item of a list that was waited for, after the resolver of another has begun to fail', async () => {
    const sdl = `type Query { list: [T!]
      @auth(policy: [["first later"]], from: RESULT) @auth(policy: [["yes"]], from: RESULT, onDeny: FILTER) }
      type T { x: String! }`;
    const resolvers = { Query: { list: () => rows('T', 'T') }, T: { x: failing } };
    expect(await run(sdl, resolvers, '{ list { x } }')).toHaveLength(1);
    expect(unhandled).toEqual([]);
  });

  test('on a value behind a mask that fails, or shows nothing', async () => {
    const sdl = `type Query { list: [T!]! } type T { n: Int
      x: String! @auth(policy: [["later"]]) y: String! @auth(policy: [["no"]], onDeny: MASK)
      z: String! @auth(policy: [["no"]], from: RESULT) }`;
    const resolvers = { Query: { list: () => rows('T', 'T') }, T: { x: failing, z: () => 'z' } };
    const broken = () => {
      throw new Error('no mask');
    };
    for (const mask of [broken, () => null]) {
      for (const fields of ['n x y', 'y x', 'z x', 'x z']) {
        await run(sdl, resolvers, `{ list { ${fields} } }`, { masks: { 'T.y': mask } });
      }
    }
    // The first item has begun to fail when the mask of the second does.
    const second = sdl
      .replace('@auth(policy: [["later"]])', '')
      .replace('y: String! @auth(policy: [["no"]]', 'y: String! @auth(policy: [["first"]]');
    for (const mask of [broken, () => null]) {
      await run(second, resolvers, '{ list { y x } }', { masks: { 'T.y': mask } });
    }
    expect(unhandled).toEqual([]);
  });
});

test('a denial that is known at once is told at once where nothing can be left behind', () => {
  const sdl = `type Query { one: String! @auth(requires: "admin") list: [T] us: [U] }
    type T { x: String! @auth(requires: "admin") y: String @auth(requires: "admin") }
    union U = A type A @auth(requires: "admin") { x: String }`;
  const schema = protectSchema(build(sdl, { Query: { list: () => rows('T'), us: () => rows('A') } }), {
    pdp: { decide: () => allow('rule') },
  });
  for (const source of ['{ one }', '{ list { y } }', '{ us { __typename } }']) {
    const result = execute({ schema, document: parse(source), contextValue: contextOf(nobody) });
    expect(result).toMatchObject({ errors: [{ extensions: { code: 'FORBIDDEN' } }] });
  }
});

test('a resource that a policy makes later, and then not, denies and is listened to', async () => {
  const resource = (async () => {
    throw new Error('not there');
  }) as never;
  const asked = { readLater: { action: 'read', resource } };
  const denied = await run('type Query { a: Int @auth(policy: [["readLater"]]) }', {}, '{ a }', {
    policies: asked,
  } as never);
  expect(denied).toEqual(['a FORBIDDEN']);
  expect(unhandled).toEqual([]);
});
