import { describe, expect, test } from 'vitest';
import { ask, principal, protectedSchema } from './support.ts';

const owner = principal('u1');

async function sees(doc: unknown, who = owner, path = 'ownerId'): Promise<boolean> {
  const schema = protectedSchema(`type Query { doc: Doc } type Doc { secret: String @auth(owner: "${path}") }`, {
    Query: { doc: () => doc },
    Doc: { secret: () => 'SECRET' },
  });
  return (await ask(schema, who, '{ doc { secret } }')).text.includes('SECRET');
}

describe('ownership', () => {
  test('is the same id in both places', async () => {
    expect(await sees({ ownerId: 'u1' })).toBe(true);
    expect(await sees({ ownerId: 'u2' })).toBe(false);
  });

  test('follows a path', async () => {
    expect(await sees({ author: { id: 'u1' } }, owner, 'author.id')).toBe(true);
    expect(await sees({ author: null }, owner, 'author.id')).toBe(false);
    expect(await sees({ author: 'u1' }, owner, 'author.id')).toBe(false);
  });

  test('takes a number for the text of it, as the type ID does', async () => {
    expect(await sees({ ownerId: 7 }, principal('7'))).toBe(true);
    expect(await sees({ ownerId: 7 }, principal('07'))).toBe(false);
    expect(await sees({ ownerId: 2 ** 53 }, principal(String(2 ** 53)))).toBe(false);
  });

  test.each([
    undefined,
    null,
    '',
    Number.NaN,
    Number.POSITIVE_INFINITY,
    true,
    {},
    [],
    ['u1'],
    { toString: () => 'u1' },
    () => 'u1',
  ])('row 21 needs an id: %s equals nothing, itself included', async (id) => {
    expect(await sees({ ownerId: id })).toBe(false);
    expect(await sees({ ownerId: id }, { ...owner, id: id as never })).toBe(false);
  });

  test('row 21 a missing owner is unknown, so that "not the owner" is not true of it', async () => {
    const schema = protectedSchema(
      'type Query { doc: Doc } type Doc { secret: String @auth(rule: { not: { owner: "ownerId" } }) }',
      {
        Query: { doc: (_: unknown, __: unknown, ___: unknown) => ({}) },
        Doc: { secret: () => 'SECRET' },
      },
    );
    expect((await ask(schema, owner, '{ doc { secret } }')).errors).toEqual(['doc.secret: FORBIDDEN']);
  });

  test('is not inherited from what every object inherits', async () => {
    const hidden = 'doorwardOwner';
    Object.defineProperty(Object.prototype, hidden, { get: () => 'u1', configurable: true });
    try {
      expect(await sees({}, owner, hidden)).toBe(false);
    } finally {
      Reflect.deleteProperty(Object.prototype, hidden);
    }
    expect(await sees({}, { ...owner, id: 'Object' }, 'name')).toBe(false);
  });

  test('reads the getters of a class, its own and inherited, and nothing else of a prototype', async () => {
    class Base {
      readonly #owner = 'u1';
      get ownerId(): string {
        return this.#owner;
      }
    }
    class Doc extends Base {}
    class Broken {
      get ownerId(): string {
        throw new Error('not loaded');
      }
    }
    expect(await sees(new Doc())).toBe(true);
    expect(await sees(Object.create({ ownerId: 'u1' }))).toBe(false);
    expect(await sees(new Broken())).toBe(false);
    expect(await sees(Object.assign(Object.create(null), { ownerId: 'u1' }))).toBe(true);
  });

  test('on a root field is about its arguments', async () => {
    const schema = protectedSchema('type Query { user(id: ID!): String @auth(owner: "id") }', {
      Query: { user: () => 'SECRET' },
    });
    expect((await ask(schema, owner, '{ user(id: "u1") }')).errors).toEqual([]);
    expect((await ask(schema, owner, '{ user(id: "u2") }')).errors).toEqual(['user: FORBIDDEN']);
    expect((await ask(schema, owner, 'query($id: ID!) { user(id: $id) }', { id: 'u1' })).errors).toEqual([]);
  });

  test('on an interface field reads the object that it is', async () => {
    const schema = protectedSchema(
      `type Query { all: [Owned] } interface Owned { secret: String @auth(owner: "by") }
       type A implements Owned { secret: String } type B implements Owned { secret: String }`,
      {
        Query: {
          all: () => [
            { __typename: 'A', by: 'u1', secret: 'mine' },
            { __typename: 'B', by: 'u2', secret: 'SECRET' },
          ],
        },
      },
    );
    expect((await ask(schema, owner, '{ all { secret } }')).data).toEqual({
      all: [{ secret: 'mine' }, { secret: null }],
    });
  });
});
